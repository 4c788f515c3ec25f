package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.graph.GraphId;
import dev.muster.graph.GraphInfo;
import dev.muster.graph.GraphStatus;
import dev.muster.graph.GraphTree;
import dev.muster.graph.Graphs.GraphQuery;
import dev.muster.graph.TaskInfo;
import dev.muster.graph.TaskStatus;
import dev.muster.graph.Trigger;
import dev.muster.internal.graph.GraphStore;
import dev.muster.internal.graph.GraphStore.Changed;
import dev.muster.internal.graph.GraphStore.Swept;
import dev.muster.internal.graph.GraphStore.TaskSource;
import dev.muster.internal.job.payload.Payloads;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.Cancellation;
import dev.muster.job.JobId;
import dev.muster.job.KeyConflict;
import dev.muster.job.payload.PayloadCipher;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Graphs: a task becomes a job when it is ready, its end is taken over once, and decisions about a graph are never lost. */
abstract class GraphStoreContract extends JobStoreContract {

    private GraphStore graphs() {
        return store().port(GraphStore.class);
    }

    private GraphId submit(GraphDraft draft) {
        return graphs().submit(draft.graph()).id();
    }

    private GraphTree tree(GraphId graph) {
        return graphs().tree(graph).orElseThrow();
    }

    private TaskInfo task(GraphId graph, String id) {
        return tree(graph).task(id).orElseThrow();
    }

    private Map<String, TaskStatus> statuses(GraphId graph) {
        return tree(graph).tasks().stream().collect(Collectors.toMap(TaskInfo::id, TaskInfo::status));
    }

    private GraphStatus status(GraphId graph) {
        return graphs().find(graph).orElseThrow().status();
    }

    /** Runs the one job that can be claimed, as the job of this task, and tells the graph. */
    private void end(GraphId graph, String task, @Nullable String result) {
        JobId job = endQuietly(graph, task, result);
        store().dependencies().resolveDependents(List.of(job));
    }

    /** The same without telling the graph, as if the node had died. */
    private JobId endQuietly(GraphId graph, String task, @Nullable String result) {
        ClaimedJob claimed = claimOne("n1", LEASE);
        assertThat(claimed.id()).isEqualTo(task(graph, task).job());
        write(
                result == null
                        ? new Outcome.Failed(claimed.claim(), "as asked")
                        : new Outcome.Completed(claimed.claim(), result));
        return claimed.id();
    }

    @Test
    void aTaskBecomesAJobWhenItIsReady() {
        GraphId graph = submit(GraphDraft.empty().task("a").task("b", "a"));

        assertThat(statuses(graph)).isEqualTo(Map.of("a", TaskStatus.PENDING, "b", TaskStatus.WAITING));
        assertThat(store().jobReader().find(task(graph, "b").job())).isEmpty();
        end(graph, "a", "7");
        assertThat(statuses(graph)).isEqualTo(Map.of("a", TaskStatus.COMPLETED, "b", TaskStatus.PENDING));
        assertThat(task(graph, "a").result()).contains("7");
        assertThat(status(graph)).isEqualTo(GraphStatus.RUNNING);
        end(graph, "b", "8");
        assertThat(status(graph)).isEqualTo(GraphStatus.COMPLETED);
        assertThat(graphs().find(graph).orElseThrow().ended()).isEqualTo(2);
    }

    @Test
    void aTaskIsShownAsRunningWhileANodeHoldsItsJob() {
        GraphId graph = submit(GraphDraft.empty().task("a"));

        claimOne("n1", LEASE);

        assertThat(task(graph, "a").status()).isEqualTo(TaskStatus.RUNNING);
        assertThat(task(graph, "a").node()).contains("n1");
    }

    @Test
    void tasksAreCountedAsTheyAreShown() {
        GraphId graph = submit(GraphDraft.empty().task("a").task("b").task("c", "a"));
        assertThat(graphs().counts(graph)).isEqualTo(tree(graph).counts());

        claimOne("n1", LEASE);

        assertThat(graphs().counts(graph))
                .containsExactly(
                        Map.entry(TaskStatus.WAITING, 1L),
                        Map.entry(TaskStatus.PENDING, 1L),
                        Map.entry(TaskStatus.RUNNING, 1L))
                .isEqualTo(tree(graph).counts());
        assertThat(graphs().counts(GraphId.next())).isEmpty();
    }

    @Test
    void whatCannotRunIsSkippedWithItsReason() {
        GraphId graph = submit(
                GraphDraft.empty().task("a").task("b", "a").task("c", "b").task("handler", Trigger.ANY_FAILED, "a"));

        end(graph, "a", null);

        assertThat(statuses(graph))
                .isEqualTo(Map.of(
                        "a", TaskStatus.FAILED,
                        "b", TaskStatus.SKIPPED,
                        "c", TaskStatus.SKIPPED,
                        "handler", TaskStatus.PENDING));
        assertThat(task(graph, "b").reason()).contains("parent a failed");
        assertThat(task(graph, "c").reason()).contains("parent b was skipped");
        assertThat(task(graph, "a").error()).contains("as asked");
        end(graph, "handler", "null");
        assertThat(status(graph)).isEqualTo(GraphStatus.FAILED);
    }

    @Test
    void resolvingTwiceChangesNothing() {
        GraphId graph = submit(GraphDraft.empty().task("a").task("b", "a").task("c", "b"));
        JobId job = endQuietly(graph, "a", "1");

        store().dependencies().resolveDependents(List.of(job, job));
        store().dependencies().resolveDependents(List.of(job));

        assertThat(graphs().find(graph).orElseThrow().ended()).isEqualTo(1);
        end(graph, "b", "2");
        end(graph, "c", "3");
        assertThat(status(graph)).isEqualTo(GraphStatus.COMPLETED);
    }

    @Test
    void aLiveJobLeavesItsTaskAlone() {
        GraphId graph = submit(GraphDraft.empty().task("a").task("b", "a"));

        store().dependencies().resolveDependents(List.of(task(graph, "a").job()));

        assertThat(statuses(graph)).containsEntry("a", TaskStatus.PENDING).containsEntry("b", TaskStatus.WAITING);
    }

    @Test
    void theSweepFindsATaskWhoseEndWasMissed() {
        GraphId graph = submit(GraphDraft.empty().task("a").task("b", "a"));
        endQuietly(graph, "a", "1");
        assertThat(task(graph, "b").status()).isEqualTo(TaskStatus.WAITING);

        Swept swept = inTransaction(tx -> graphs().sweep(tx, null));

        assertThat(swept.resolved()).isEqualTo(1);
        assertThat(swept.lanes()).containsExactly(DEFAULT);
        assertThat(swept.next()).isNull();
        assertThat(task(graph, "b").status()).isEqualTo(TaskStatus.PENDING);
        Swept nothing = inTransaction(tx -> graphs().sweep(tx, null));
        assertThat(nothing.resolved()).isZero();
    }

    @Test
    void aKeyAndAnIdAreSubmittedOnce() throws Exception {
        GraphStore.NewGraph given = GraphDraft.empty().task("a").key("k").graph();
        Set<GraphId> ids = ConcurrentHashMap.newKeySet();

        inParallel(8, number -> ids.add(submit(GraphDraft.empty().task("a").key("k"))));

        assertThat(ids).hasSize(1);
        assertThat(graphs().submit(given).added()).isFalse();
        assertThat(graphs().list(GraphQuery.all())).hasSize(1);
        GraphStore.NewGraph other = GraphDraft.empty().task("a").graph();
        assertThat(graphs().submit(other).added()).isTrue();
        assertThat(graphs().submit(other)).isEqualTo(new GraphStore.Submitted(other.id(), false, Set.of()));
    }

    @Test
    void aKeyOfAGraphStandsForOneContentHoweverItIsEncrypted() {
        Payloads plain = new Payloads(PayloadCipher.none());
        Payloads one = new Payloads(PayloadCipher.aesGcm(Map.of("k1", new byte[32]), "k1"));
        GraphId first = submit(GraphDraft.empty().task("a").key("k", plain, "1"));
        GraphId secret = submit(GraphDraft.empty().task("a").key("s", one, "1"));

        assertThat(submit(GraphDraft.empty().task("a").key("k", one, "1"))).isEqualTo(first);
        assertThat(submit(GraphDraft.empty().task("a").key("s", one, "1"))).isEqualTo(secret);
        for (GraphDraft other : List.of(
                GraphDraft.empty().task("a").key("k", plain, "2"),
                GraphDraft.empty().task("a").key("s", one, "2"),
                GraphDraft.empty().task("a").key("s", plain, "1"))) {
            assertThatThrownBy(() -> submit(other)).isInstanceOf(KeyConflict.class);
        }
        assertThat(graphs().list(GraphQuery.all())).hasSize(2);
    }

    @Test
    void aSubmissionBelongsToTheCallersTransaction() throws SQLException {
        GraphId graph;
        try (Connection connection = transaction()) {
            graph = graphs().submit(connection, GraphDraft.empty().task("a").graph())
                    .id();
            connection.rollback();
        }
        assertThat(graphs().find(graph)).isEmpty();
        try (Connection connection = transaction()) {
            connection.setAutoCommit(true);
            assertThatThrownBy(() -> graphs().submit(
                                    connection, GraphDraft.empty().task("a").graph()))
                    .isInstanceOf(MusterException.class)
                    .hasMessageContaining("setAutoCommit(false)");
        }
    }

    @Test
    void theSourceOfATaskHasTheResultsOfTheParentsItNames() {
        GraphId graph = submit(GraphDraft.empty().task("a").task("b", "a"));
        end(graph, "a", "{\"x\": 1}");

        TaskSource source = graphs().source(task(graph, "b").job()).orElseThrow();

        assertThat(source.graph()).isEqualTo(graph);
        assertThat(source.task()).isEqualTo("b");
        assertThat(source.inputs()).isEqualTo("{\"task\": \"b\"}");
        assertThat(source.parents())
                .isEqualTo(Map.of(
                        "a",
                        new GraphStore.ParentResult(
                                TaskStatus.COMPLETED, task(graph, "a").job(), "{\"x\": 1}")));
        assertThat(graphs().source(JobId.next())).isEmpty();
    }

    @Test
    void cancellingEndsWhatNoNodeHoldsAndAsksTheRest() {
        GraphId graph = submit(GraphDraft.empty().task("a").task("b").task("c", "a"));
        ClaimedJob held = claimOne("n1", LEASE);
        String running = tree(graph).tasks().stream()
                .filter(task -> task.job().equals(held.id()))
                .findFirst()
                .orElseThrow()
                .id();

        Changed changed = graphs().cancel(graph, null, "enough");

        assertThat(changed.tasks()).isEqualTo(3);
        assertThat(statuses(graph).entrySet())
                .filteredOn(task -> !task.getKey().equals(running))
                .allMatch(task -> task.getValue() == TaskStatus.CANCELLED);
        assertThat(status(graph)).isEqualTo(GraphStatus.RUNNING);
        assertThat(graphs().cancel(graph, null, "still").tasks()).isEqualTo(1);
        write(new Outcome.Cancelled(held.claim(), "cancelled while running"));
        assertThatThrownBy(() -> graphs().retry(graph, null))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("is still stopping: task " + running);
        store().dependencies().resolveDependents(List.of(held.id()));
        assertThat(status(graph)).isEqualTo(GraphStatus.CANCELLED);
        assertThat(task(graph, running).reason()).contains("still");
        assertThat(task(graph, running.equals("a") ? "b" : "a").reason()).contains("enough");
        assertThat(task(graph, "c").reason()).contains("enough");
        assertThat(graphs().find(graph).map(GraphInfo::reason)).contains(Optional.of("still"));
        assertThat(graphs().cancel(graph, null, "again").tasks()).isZero();
    }

    @Test
    void cancellingATaskLeavesTheOthers() {
        GraphId graph = submit(
                GraphDraft.empty().task("a").task("b", "a").task("c", "b").task("d", "a"));

        assertThat(graphs().cancel(graph, "b", "enough").tasks()).isEqualTo(2);

        assertThat(statuses(graph))
                .isEqualTo(Map.of(
                        "a", TaskStatus.PENDING,
                        "b", TaskStatus.CANCELLED,
                        "c", TaskStatus.CANCELLED,
                        "d", TaskStatus.WAITING));
        end(graph, "a", "1");
        end(graph, "d", "1");
        assertThat(status(graph)).isEqualTo(GraphStatus.CANCELLED);
        assertThatThrownBy(() -> graphs().cancel(graph, "x", "?"))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("has no task 'x'");
        assertThatThrownBy(() -> graphs().cancel(GraphId.next(), null, "?"))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("there is no graph");
    }

    @Test
    void aJobThatIsCancelledByItselfCancelsItsTask() {
        GraphId graph = submit(GraphDraft.empty().task("a").task("b", Trigger.ALL_DONE, "a"));
        JobId job = task(graph, "a").job();

        assertThat(store().jobs().cancel(job)).isEqualTo(Cancellation.CANCELLED);
        store().dependencies().resolveDependents(List.of(job));

        assertThat(statuses(graph)).containsEntry("a", TaskStatus.CANCELLED).containsEntry("b", TaskStatus.PENDING);
        assertThat(task(graph, "a").reason()).contains("its job was cancelled");
    }

    @Test
    void theSweepTellsAJobThatWasLockedWhenItsTaskWasCancelled() throws SQLException {
        GraphId graph = submit(GraphDraft.empty().task("a").task("b", "a").task("c"));
        try (Connection connection = transaction()) {
            try (PreparedStatement lock =
                    connection.prepareStatement("SELECT id FROM muster_jobs WHERE id = ? FOR UPDATE")) {
                lock.setObject(1, task(graph, "a").job().value());
                lock.execute();
            }
            assertThat(graphs().cancel(graph, "a", "bad data").tasks()).isEqualTo(2);
            connection.rollback();
        }
        assertThat(statuses(graph)).containsEntry("a", TaskStatus.PENDING).containsEntry("b", TaskStatus.CANCELLED);

        // The first sweep cancels the job, the second one finds that it has ended.
        inTransaction(tx -> graphs().sweep(tx, null));
        inTransaction(tx -> graphs().sweep(tx, null));

        assertThat(statuses(graph)).containsEntry("a", TaskStatus.CANCELLED).containsEntry("c", TaskStatus.PENDING);
        assertThat(task(graph, "a").reason()).contains("bad data");
    }

    @Test
    void theSweepWaitsForNoGraph() throws SQLException {
        GraphId graph = submit(GraphDraft.empty().task("a"));
        endQuietly(graph, "a", "1");
        try (Connection connection = transaction()) {
            try (PreparedStatement lock =
                    connection.prepareStatement("SELECT id FROM muster_graphs WHERE id = ? FOR UPDATE")) {
                lock.setObject(1, graph.value());
                lock.execute();
            }
            assertThat(inTransaction(tx -> graphs().sweep(tx, null)).resolved()).isZero();
            connection.rollback();
        }

        assertThat(inTransaction(tx -> graphs().sweep(tx, null)).resolved()).isEqualTo(1);
    }

    @Test
    void aRetryGivesANewJobAndKeepsWhatCompleted() {
        GraphId graph = submit(GraphDraft.empty().task("a").task("b", "a").task("c", "b"));
        end(graph, "a", "1");
        JobId first = task(graph, "b").job();
        end(graph, "b", null);
        assertThat(status(graph)).isEqualTo(GraphStatus.FAILED);

        Changed changed = graphs().retry(graph, null);

        assertThat(changed.tasks()).isEqualTo(2);
        assertThat(changed.lanes()).containsExactly(DEFAULT);
        assertThat(task(graph, "b").job()).isNotEqualTo(first);
        assertThat(graphs().find(graph).orElseThrow().ended()).isEqualTo(1);
        store().dependencies().resolveDependents(List.of(first));
        assertThat(task(graph, "b").status()).isEqualTo(TaskStatus.PENDING);
        assertThat(graphs().source(first)).isEmpty();
        end(graph, "b", "2");
        end(graph, "c", "3");
        assertThat(status(graph)).isEqualTo(GraphStatus.COMPLETED);
        assertThat(graphs().retry(graph, null).tasks()).isZero();
    }

    @Test
    void aRetryOfOneTaskLeavesOtherFailuresAlone() {
        GraphId graph = submit(GraphDraft.empty().task("a").task("b").task("c", "a", "b"));
        end(graph, "a", null);
        end(graph, "b", null);

        assertThat(graphs().retry(graph, "a").tasks()).isEqualTo(2);

        assertThat(statuses(graph))
                .isEqualTo(Map.of("a", TaskStatus.PENDING, "b", TaskStatus.FAILED, "c", TaskStatus.SKIPPED));
        assertThat(task(graph, "c").reason()).contains("parent b failed");
        assertThat(graphs().retry(graph, "b").tasks()).isEqualTo(2);
        assertThat(task(graph, "c").status()).isEqualTo(TaskStatus.WAITING);
        end(graph, "a", "1");
        end(graph, "b", "1");
        end(graph, "c", "1");
        assertThat(status(graph)).isEqualTo(GraphStatus.COMPLETED);
    }

    @Test
    void ofTwoRetriesAtTheSameTimeOneFindsNothing() throws Exception {
        GraphId graph = submit(GraphDraft.empty().task("a").task("b", "a"));
        end(graph, "a", null);
        List<Integer> retried = new CopyOnWriteArrayList<>();

        inParallel(4, number -> retried.add(graphs().retry(graph, null).tasks()));

        assertThat(retried).containsExactlyInAnyOrder(2, 0, 0, 0);
        end(graph, "a", "1");
        end(graph, "b", "1");
        assertThat(status(graph)).isEqualTo(GraphStatus.COMPLETED);
    }

    @Test
    void endedGraphsAreForgottenAndLiveOnesAreNot() {
        GraphId live = submit(GraphDraft.empty().task("a"));
        GraphId ended = submit(GraphDraft.empty().task("a").task("b", "a"));
        graphs().cancel(ended, null, "enough");
        advance(Duration.ofDays(30));

        boolean more = inTransaction(tx -> graphs().forget(tx, Duration.ofDays(7)));

        assertThat(more).isFalse();
        assertThat(graphs().find(ended)).isEmpty();
        assertThat(graphs().find(live)).isPresent();
    }
}
