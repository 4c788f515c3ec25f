package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.job.JobId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Runs that continue one another are one run to whoever started them. */
class RunChainsIT extends WorkflowCluster {
    private static final WorkflowType<List<String>, List<String>> INBOX = inbox();

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static WorkflowType<List<String>, List<String>> inbox() {
        return (WorkflowType) WorkflowType.of("inbox", List.class, List.class);
    }

    /** Collects three letters, each in a run of its own. */
    public static final class Letters {
        final CountDownLatch reading = new CountDownLatch(1);
        volatile CountDownLatch mayRead = new CountDownLatch(0);

        @Workflow(name = "inbox", version = "v1")
        List<String> inbox(WorkflowContext wf, List<String> before) {
            List<String> all = new ArrayList<>(before);
            all.add(wf.awaitEvent("letter", String.class));
            wf.step("read", () -> {
                reading.countDown();
                mayRead.await();
            });
            if (all.size() < 3) {
                throw wf.continueAsNew(all);
            }
            return all;
        }
    }

    private final Letters letters = new Letters();

    @Test
    void eventsReachTheRunThatContinuesTheirReceiverInTheirOrder() {
        letters.mayRead = new CountDownLatch(1);
        cluster.node(letters);
        JobId run = workflows().start(RunRequest.of(INBOX, List.of()).key("ann"));

        assertThat(workflows().signal(run, "letter", "one", "1")).isTrue();
        assertThat(workflows().signal(run, "letter", "two", "2"))
                .as("before the first run ends")
                .isTrue();
        letters.mayRead.countDown();
        await().atMost(SOON).until(() -> found(run).continuedAs().isPresent());
        assertThat(workflows().signal(run, "letter", "one again", "1"))
                .as("the same event")
                .isFalse();
        assertThat(workflows().signal(run, "letter", "three", "3"))
                .as("after the first run has ended")
                .isTrue();

        RunInfo last = ended(run);
        assertThat(workflows().result(INBOX, last)).containsExactly("one", "two", "three");
        assertThat(last.id()).isNotEqualTo(run);
        assertThat(workflows().start(RunRequest.of(INBOX, List.of()).key("ann")))
                .as("the key belongs to the last run now")
                .isEqualTo(last.id());
    }

    @Test
    void aRequestToEndIsNotLostWhenTheRunContinuesAsANewOne() throws InterruptedException {
        letters.mayRead = new CountDownLatch(1);
        cluster.node(letters);
        JobId run = workflows().start(INBOX, List.of());
        workflows().signal(run, "letter", "one");
        assertThat(letters.reading.await(90, TimeUnit.SECONDS)).isTrue();

        // The row says so, but the activation has not seen it: it learns it only with its next step, and there is none.
        database.execute("UPDATE muster_workflow_runs SET cancel_requested = true");
        letters.mayRead.countDown();

        assertThat(ended(run).status()).isEqualTo(RunStatus.CANCELLED_BY_OPERATOR);
    }

    @Test
    void aCancellationReachesTheLastRun() {
        cluster.node(letters);
        JobId run = workflows().start(INBOX, List.of());
        workflows().signal(run, "letter", "one");
        await().atMost(SOON).until(() -> found(run).continuedAs().isPresent());

        assertThat(workflows().cancel(run, "no more letters")).isTrue();

        RunInfo last = ended(run);
        assertThat(last.status()).isEqualTo(RunStatus.CANCELLED_BY_OPERATOR);
        assertThat(last.reason()).contains("no more letters");
        assertThat(workflows().cancel(run, "again")).isFalse();
    }
}
