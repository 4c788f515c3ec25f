package dev.muster.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.runtime.InvalidName;
import dev.muster.schedule.CronSpec;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.Node;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import org.junit.jupiter.api.Test;

/** Texts that would be markup, scripts or addresses are shown as texts, wherever users can put them. */
class HostileTextIT extends InBrowser {
    private static final String IMAGE = "<img src=x onerror=alert(1)>";
    private static final String SCRIPT = "\"><script>alert(2)</script>";
    private static final String LINK = "javascript:alert(3)";
    /** Names are words of few characters; this one is also an address. */
    private static final String NAME = "javascript:alert";
    /** Turns the writing direction round, rings the bell, and looks like an end of text. */
    private static final String INVISIBLE = "\u202Etxt.exe\u202C\u0007\u2400${7*7}{{7*7}}";

    private static final List<String> ALL = List.of(IMAGE, SCRIPT, LINK, INVISIBLE);

    /** What would have become of the texts if they had been taken for markup. */
    private static final String FOUND = """
            () => [...document.querySelectorAll('main img, main script, main iframe, dialog img, dialog script')].map((one) => one.outerHTML)
              .concat([...document.querySelectorAll('[href]')].map((one) => one.getAttribute('href')).filter((one) => /^\\s*javascript:/i.test(one)))
              .concat([...document.querySelectorAll('*')].flatMap((one) => [...one.attributes]).filter((one) => one.name.startsWith('on')).map((one) => one.name))""";

    static final class App {
        @Job(NAME)
        void named() {}

        @Job("echo")
        List<String> echo(JobContext ctx, Map<String, String> args) {
            ALL.forEach(ctx.log()::info);
            ctx.progress(50, IMAGE);
            return ALL;
        }

        @Job(value = "fail", maxAttempts = 2)
        void fail() {
            throw new IllegalStateException(IMAGE + "\n" + SCRIPT + "\n" + LINK + INVISIBLE);
        }

        @Workflow(name = "hostile", version = "v1")
        String hostile(WorkflowContext wf, String input) {
            wf.step("say", String.class, step -> SCRIPT);
            return wf.awaitEvent("said", String.class);
        }

        @Workflow(name = "broken", version = "v1")
        String broken(WorkflowContext wf, String input) {
            throw new IllegalStateException(IMAGE + SCRIPT);
        }
    }

    @Test
    void namesAreWords(Cluster cluster) {
        for (String text : List.of(IMAGE, SCRIPT, LINK, INVISIBLE)) {
            assertThatThrownBy(() -> JobRequest.of(text)).isInstanceOf(InvalidName.class);
            assertThatThrownBy(() -> JobRequest.of("echo").queue(text)).isInstanceOf(InvalidName.class);
            assertThatThrownBy(() -> JobRequest.of("echo").tags(text)).isInstanceOf(InvalidName.class);
        }
    }

    @Test
    void textsAreShownAsTheyAre(Cluster cluster) {
        Node node = gateway(cluster, Map.of("gateway.auth", "none", "node.labels", "note=onerror-alert"), new App());
        Map<String, String> args = Map.of(IMAGE, SCRIPT, LINK, INVISIBLE);
        JobId echo = cluster.jobs()
                .enqueue(JobRequest.of("echo", args)
                        .tags(NAME)
                        .queue(NAME)
                        .metadata("customer", SCRIPT)
                        .metadata("site", LINK)
                        .key(IMAGE + INVISIBLE));
        JobId fail = cluster.jobs().enqueue(JobRequest.of("fail").maxAttempts(1));
        JobId later = cluster.jobs()
                .enqueue(JobRequest.of("echo", args).delay(Duration.ofHours(1)).fifo(IMAGE));
        cluster.awaitEnded(echo);
        cluster.awaitEnded(fail);
        cluster.awaitEnded(cluster.jobs().enqueue(JobRequest.of(NAME)));
        cluster.client().queues().pause(NAME);
        cluster.client().crons().create(CronSpec.of(NAME, "0 0 1 1 *", JobRequest.of("echo", args)));
        cluster.client().apiKeys().create(KeyRequest.of(IMAGE, Scope.READ));
        JobId run = cluster.client().workflows().start("hostile", IMAGE);
        JobId broken = cluster.client().workflows().start("broken", SCRIPT);
        cluster.client().workflows().await(broken, Duration.ofMinutes(2));
        cluster.client().workflows().signal(run, "unexpected", LINK, IMAGE);
        await().until(() -> !cluster.client().workflows().steps(run).isEmpty());
        await().until(() -> cluster.jobs().logs(echo, 0, 10).size() == ALL.size());
        Tab tab = open(node, Look.DESK_LIGHT);

        shows(tab, "#/jobs/" + echo, IMAGE, SCRIPT, LINK, INVISIBLE);
        shows(tab, "#/jobs/" + fail, IMAGE, SCRIPT);
        tab.page().locator("[data-test=error-text] summary").first().click();
        assertThat(tab.page().locator("[data-test=error-text] pre").first()).containsText(LINK);
        shows(tab, "#/jobs/" + later, IMAGE);
        shows(tab, "#/jobs", IMAGE, NAME);
        shows(tab, "#/jobs?q=" + encoded("tag:" + NAME), NAME);
        shows(tab, "#/jobs?q=" + encoded("key:\"" + IMAGE + INVISIBLE + "\""), IMAGE);
        shows(tab, "#/queues", NAME);
        shows(tab, "#/queues/" + encoded(NAME), NAME);
        shows(tab, "#/crons", NAME);
        shows(tab, "#/jobs?q=" + encoded("metadata.site:" + LINK + " nothing:\"" + IMAGE + "\""), LINK, IMAGE);
        shows(tab, "#/crons/" + NAME, IMAGE, SCRIPT);
        shows(tab, "#/workflows/" + run, IMAGE, "alert(2)");
        shows(tab, "#/workflows/" + broken, IMAGE, SCRIPT);
        shows(tab, "#/workflows", IMAGE);
        shows(tab, "#/limits");
        shows(tab, "#/audit");
        shows(tab, "#/nodes/" + node.id(), "onerror-alert");
        shows(tab, "#/");
    }

    @Test
    void addressesAreTextsToo(Cluster cluster) {
        Node node = openGateway(cluster, new App());
        Tab tab = open(node, Look.PHONE_LIGHT);

        for (Entry<String, String> route : Map.of(
                        "#/jobs?q=",
                        IMAGE,
                        "#/queues/",
                        SCRIPT,
                        "#/crons/",
                        IMAGE,
                        "#/nodes/",
                        LINK,
                        "#/workflows?name=",
                        IMAGE)
                .entrySet()) {
            tab.go(route.getKey() + encoded(route.getValue()));
            tab.page()
                    .waitForFunction(
                            "() => document.querySelector('main') && !document.querySelector('main [data-test=loading]')");
            assertHarmless(tab, "400", "404", "422");
        }
        tab.go("#/<script>alert(4)</script>");
        assertThat(tab.find("not-found")).isVisible();
        assertHarmless(tab);
    }

    /** A dialog asks with the same texts. */
    @Test
    void dialogsShowTextsAsTheyAre(Cluster cluster) {
        Node node = openGateway(cluster, new App());
        JobId echo = cluster.jobs().enqueue(JobRequest.of("echo", Map.of("text", IMAGE)));
        cluster.awaitEnded(echo);
        Tab tab = open(node, Look.DESK_DARK).go("#/jobs/" + echo).settle();

        tab.find("again").click();
        assertThat(tab.page().locator("#field-args")).isVisible();
        tab.page().locator("#field-name").fill(IMAGE);
        tab.find("dialog-action").click();

        assertThat(tab.find("dialog-error")).containsText(IMAGE);
        assertHarmless(tab, "400", "422");
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static void shows(Tab tab, String route, String... texts) {
        tab.go(route).settle();
        for (String text : texts) {
            Locator shown = tab.page().locator("main");
            assertThat(shown).containsText(text);
        }
        assertHarmless(tab);
    }

    private static void assertHarmless(Tab tab, String... expected) {
        assertThat((List<?>) tab.page().evaluate(FOUND)).isEmpty();
        tab.assertNoProblemsBut(expected);
    }
}
