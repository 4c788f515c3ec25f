package dev.muster.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Keyboard;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.Node;
import org.junit.jupiter.api.Test;

/** Everything an operator needs at night can be done without a mouse. */
class KeyboardIT extends InBrowser {
    private static final int MOST_STOPS = 60;

    static final class Bank {
        volatile boolean answers;

        @Job(value = "charge", maxAttempts = 1)
        void charge() {
            if (!answers) {
                throw new IllegalStateException("the bank does not answer");
            }
        }

        @Job("other")
        void other() {}
    }

    @Test
    void aDeadLetterIsFoundAndRetriedWithKeysAlone(Cluster cluster) {
        Bank bank = new Bank();
        Node node = openGateway(cluster, bank);
        cluster.awaitEnded(cluster.jobs().enqueue(JobRequest.of("other")));
        JobId older = cluster.jobs().enqueue(JobRequest.of("charge"));
        cluster.awaitEnded(older);
        JobId newer = cluster.jobs().enqueue(JobRequest.of("charge"));
        cluster.awaitEnded(newer);
        bank.answers = true;
        Tab tab = open(node, Look.DESK_LIGHT).go("#/").settle();
        Keyboard keyboard = tab.page().keyboard();

        keyboard.press("/");
        assertThat(tab.find("search")).isFocused();
        keyboard.type("name:charge");
        keyboard.press("Enter");
        assertThat(tab.find("job")).hasCount(2);
        keyboard.press("Escape");
        keyboard.press("j");
        assertThat(tab.find("job", newer.toString())).isFocused();
        keyboard.press("j");
        assertThat(tab.find("job", older.toString())).isFocused();
        keyboard.press("Enter");
        assertThat(tab.find("job-id")).hasText(older.toString());

        tabTo(tab, "retry");
        keyboard.press("Enter");
        assertThat(tab.find("dialog")).isVisible();
        keyboard.press("Enter");
        assertThat(tab.find("dialog")).hasCount(0);
        assertThat(tab.status("completed")).isVisible();

        keyboard.press("?");
        assertThat(tab.find("keys")).isVisible();
        keyboard.press("Escape");
        assertThat(tab.find("keys")).hasCount(0);
        keyboard.press("g");
        keyboard.press("n");
        assertThat(tab.find("node", node.id())).isVisible();
        tab.assertNoProblems();
    }

    /** Goes on with the tabulator until this is focused, and checks that each stop can be seen. */
    private static void tabTo(Tab tab, String mark) {
        for (int stop = 0; stop < MOST_STOPS; stop++) {
            tab.page().keyboard().press("Tab");
            assertThat(
                            tab.page()
                                    .evaluate(
                                            "() => document.activeElement === document.body || getComputedStyle(document.activeElement).outlineStyle !== 'none'"))
                    .as(
                            "the focus is visible at %s",
                            tab.page().evaluate("() => document.activeElement.outerHTML.slice(0, 200)"))
                    .isEqualTo(true);
            if (Boolean.TRUE.equals(
                    tab.page().evaluate("mark => document.activeElement.dataset.test === mark", mark))) {
                return;
            }
        }
        throw new AssertionError("the tabulator does not reach " + mark);
    }
}
