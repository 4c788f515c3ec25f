package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.graph.GraphId;
import dev.muster.internal.graph.GraphStore;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.workflow.WorkflowStore.Ended;
import dev.muster.internal.workflow.WorkflowStore.NewRun;
import dev.muster.internal.workflow.WorkflowStore.Retry;
import dev.muster.internal.workflow.WorkflowStore.StepKind;
import dev.muster.internal.workflow.WorkflowStore.StepRow;
import dev.muster.internal.workflow.WorkflowStore.StepState;
import dev.muster.job.JobId;
import dev.muster.workflow.RunStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Jobs and runs keep the trace that they belong to, whatever becomes of them. */
abstract class TraceContract extends WorkflowStoreContract {
    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private static final String OTHER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    private static final int MANY = 150;

    private static JobDraft traced(String name) {
        return JobDraft.named(name).trace(TRACE);
    }

    private Optional<String> traceOf(JobId id) {
        return find(id).trace();
    }

    private ClaimedJob claim() {
        return claimOne("n1", LEASE);
    }

    @Test
    void everyWayInKeepsTheTrace() {
        List<NewJob> each = List.of(
                traced("plain").job(),
                traced("keyed").key("k").job(),
                traced("tagged").tags("t").job(),
                traced("given").id(JobId.next()).job(),
                traced("later").delay(Duration.ofHours(1)).job());
        for (NewJob job : each) {
            assertThat(traceOf(enqueue(job))).as(job.name()).contains(TRACE);
        }
        List<JobId> many = store().jobs()
                .enqueue(IntStream.range(0, MANY)
                        .mapToObj(i -> i % 3 == 0
                                ? job("many")
                                : JobDraft.named("many")
                                        .trace(i % 3 == 1 ? TRACE : OTHER)
                                        .job())
                        .toList());
        assertThat(traceOf(many.get(0))).isEmpty();
        assertThat(traceOf(many.get(1))).contains(TRACE);
        assertThat(traceOf(many.get(2))).contains(OTHER);
        List<JobId> few =
                store().jobs().enqueue(List.of(job("few"), traced("few").job()));
        assertThat(traceOf(few.get(0))).isEmpty();
        assertThat(traceOf(few.get(1))).contains(TRACE);
        assertThat(traceOf(enqueue(JobDraft.named("none").key("none").job()))).isEmpty();
    }

    @Test
    void everyClaimOfAJobHasItsTraceAndHistoryKeepsIt() {
        JobId id = enqueue(traced("a").job());
        ClaimedJob first = claim();
        assertThat(first.trace()).isEqualTo(TRACE);
        write(new Outcome.Retried(first.claim(), "no", Duration.ZERO, Duration.ZERO, null, null));

        dieRunning(1);
        ClaimedJob third = claim();
        assertThat(third.trace()).isEqualTo(TRACE);
        write(new Outcome.Failed(third.claim(), "no"));
        assertThat(traceOf(id)).contains(TRACE);

        store().jobs().retry(id);
        ClaimedJob again = claim();
        assertThat(again.trace()).isEqualTo(TRACE);
        write(new Outcome.Completed(again.claim(), null));
        assertThat(traceOf(id)).contains(TRACE);

        enqueue(job("untraced"));
        assertThat(claim().trace()).isNull();
    }

    @Test
    void aJobThatIsCancelledBeforeItRunsKeepsItsTrace() {
        JobId id = enqueue(traced("a").job());

        store().jobs().cancel(id);

        assertThat(traceOf(id)).contains(TRACE);
    }

    @Test
    void everyDriverOfARunHasItsTrace() {
        start(RunDraft.of("a").trace(TRACE));
        ClaimedJob first = claim();
        assertThat(first.trace()).isEqualTo(TRACE);
        write(parked(first.claim(), now(first.claim())));

        ClaimedJob second = claim();
        assertThat(second.trace()).isEqualTo(TRACE);
        NewRun successor = RunDraft.of("a").run();
        write(ended(second.claim(), RunStatus.COMPLETED, successor));

        ClaimedJob third = claim();
        assertThat(third.id()).isEqualTo(successor.id());
        assertThat(third.trace()).isEqualTo(TRACE);
        write(new Ended(third.claim(), RunStatus.FAILED, null, "no", List.of("0"), null, false, null));
        runs().retry(List.of(new Retry(runs().failedRun(third.id()).orElseThrow(), List.of("0"))));

        assertThat(claim().trace()).isEqualTo(TRACE);
    }

    @Test
    void aRunWhoseDriverDiedContinuesInItsTrace() {
        start(RunDraft.of("a").trace(TRACE));
        ClaimedJob first = claim();
        runs().save(
                        held(first.claim()),
                        new StepRow(
                                "0",
                                "step",
                                StepKind.STEP,
                                StepState.COMPLETED,
                                1,
                                "1",
                                null,
                                null,
                                null,
                                "undo",
                                "{}"),
                        "n1");
        write(new Outcome.Failed(first.claim(), "its node died running it"));

        inTransaction(tx -> runs().revive(tx, null));

        assertThat(claim().trace()).isEqualTo(TRACE);
    }

    @Test
    void everyJobOfATaskHasTheTraceOfItsGraph() {
        GraphStore graphs = store().port(GraphStore.class);
        GraphId graph = graphs.submit(
                        GraphDraft.empty().trace(TRACE).task("a").task("b", "a").graph())
                .id();
        ClaimedJob first = claim();
        assertThat(first.trace()).isEqualTo(TRACE);
        write(new Outcome.Failed(first.claim(), "no"));
        store().dependencies().resolveDependents(List.of(first.id()));

        assertThat(graphs.retry(graph, null).tasks()).isPositive();

        ClaimedJob again = claim();
        assertThat(again.id()).isNotEqualTo(first.id());
        assertThat(again.trace()).isEqualTo(TRACE);
        graphs.submit(GraphDraft.empty().task("c").graph());
        assertThat(claim().trace()).isNull();
    }

    @Test
    void aRunWithoutATraceHasNone() {
        start(RunDraft.of("a"));

        assertThat(claim().trace()).isNull();
    }
}
