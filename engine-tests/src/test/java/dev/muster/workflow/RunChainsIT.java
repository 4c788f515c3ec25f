package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.Priority;
import dev.muster.testkit.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
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
        final CountDownLatch atTheEnd = new CountDownLatch(1);
        final List<String> undone = new CopyOnWriteArrayList<>();
        volatile CountDownLatch mayRead = new CountDownLatch(0);
        volatile CountDownLatch continuing = new CountDownLatch(0);

        @Workflow(name = "inbox", version = "v1")
        List<String> inbox(WorkflowContext wf, List<String> before) throws InterruptedException {
            List<String> all = new ArrayList<>(before);
            String letter = wf.awaitEvent("letter", String.class);
            all.add(letter);
            wf.step("read").compensateWith("unread", letter).run(step -> {
                reading.countDown();
                mayRead.await();
                return null;
            });
            atTheEnd.countDown();
            continuing.await();
            if (all.size() < 3) {
                throw wf.continueAsNew(all);
            }
            return all;
        }

        @Compensation("unread")
        void unread(String letter) {
            undone.add(letter);
        }
    }

    private final Letters letters = new Letters();

    /** Counts ticks without an end. */
    private static int meter(WorkflowContext wf, int count) {
        String tick = wf.awaitEvent("tick", String.class);
        if ("stop".equals(tick)) {
            return count;
        }
        throw wf.continueAsNew(count + 1);
    }

    public static final class FirstMeter {
        @Workflow(name = "meter", version = "v1")
        int first(WorkflowContext wf, int count) {
            return meter(wf, count);
        }
    }

    public static final class BothMeters {
        @Workflow(name = "meter", version = "v1", lifecycle = Workflow.Lifecycle.DEPRECATED)
        int first(WorkflowContext wf, int count) {
            return meter(wf, count);
        }

        @Workflow(name = "meter", version = "v2", queue = "meters", priority = Priority.LOW)
        int second(WorkflowContext wf, int count) {
            return meter(wf, count);
        }
    }

    public static final class SecondMeter {
        @Workflow(name = "meter", version = "v2", queue = "meters", priority = Priority.LOW)
        int second(WorkflowContext wf, int count) {
            return meter(wf, count);
        }
    }

    /** Lets a run continue as a new one, and returns that. */
    private RunInfo tick(JobId run) {
        awaitStatus(run, RunStatus.WAITING);
        workflows().signal(run, "tick", "on");
        await().atMost(SOON).until(() -> found(run).continuedAs().isPresent());
        JobId next = found(run).continuedAs().orElseThrow();
        awaitStatus(next, RunStatus.WAITING);
        return found(next);
    }

    /** A workflow without an end would keep its first version as long as it lives otherwise. */
    @Test
    void aRunWithoutAnEndLeavesItsVersionWhenThatIsDeprecated() {
        Node old = cluster.node(new FirstMeter());
        JobId run = workflows().start(RunRequest.of("meter", 0).key("kitchen").priority(Priority.HIGH));
        RunInfo second = tick(run);
        assertThat(second.version()).isEqualTo("v1");

        // Deprecated. The run ends its wait in the old version, on whichever node.
        Node current = cluster.node(new BothMeters());
        old.close();
        RunInfo third = tick(second.id());
        assertThat(third.version()).isEqualTo("v2");
        assertThat(cluster.jobs().find(third.id()).orElseThrow())
                .extracting(JobInfo::queue, JobInfo::priority)
                .containsExactly("meters", Priority.HIGH);

        // Drained and removed.
        assertThat(workflows().countLive("meter", "v1")).isZero();
        cluster.node(new SecondMeter());
        current.close();
        RunInfo fourth = tick(third.id());
        assertThat(fourth.version()).isEqualTo("v2");
        assertThat(workflows().start(RunRequest.of("meter", 0).key("kitchen"))).isEqualTo(fourth.id());
        workflows().signal(run, "tick", "stop");
        assertThat(ended(run).result()).as("of the whole chain").contains("3");
    }

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

    /** Its successor knows nothing of its steps, so it could not undo them. */
    @Test
    void aRunThatWasCancelledIsNotContinuedButUndone() throws InterruptedException {
        letters.mayRead = new CountDownLatch(1);
        cluster.node(letters);
        JobId run = workflows().start(INBOX, List.of());
        workflows().signal(run, "letter", "one");
        assertThat(letters.reading.await(90, TimeUnit.SECONDS)).isTrue();
        letters.continuing = new CountDownLatch(1);
        letters.mayRead.countDown();
        // The activation has stored its last step, so it does not learn of the request any more.
        await().atMost(SOON).until(() -> letters.atTheEnd.getCount() == 0);

        assertThat(workflows().cancel(run, "no more letters")).isTrue();
        letters.continuing.countDown();

        RunInfo end = ended(run);
        assertThat(end.id()).isEqualTo(run);
        assertThat(end.status()).isEqualTo(RunStatus.CANCELLED_BY_OPERATOR);
        assertThat(end.reason()).contains("no more letters");
        assertThat(letters.undone).containsExactly("one");
        assertThat(workflows().list(Workflows.RunQuery.all())).hasSize(1);
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
