package dev.muster.postgres.internal.graphs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.contracts.internal.GraphDraft;
import dev.muster.graph.GraphId;
import dev.muster.graph.TaskInfo;
import dev.muster.graph.TaskStatus;
import dev.muster.internal.graph.GraphStore;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.provider.Store;
import dev.muster.job.JobId;
import dev.muster.postgres.internal.FreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Two nodes tell a graph of the same ended job at the same time, held in the moment that decides. */
class DecisionRacesIT {
    /** Counted twice, it would also stand for the other parent, and the child would begin too early. */
    @Test
    void aTaskWhoseEndIsToldTwiceAtTheSameTimeIsCountedOnce() throws Exception {
        try (FreshDatabase database = new FreshDatabase();
                PostgresStore store = database.store()) {
            store.connect(Store.Events.ignored());
            GraphStore graphs = store.port(GraphStore.class);
            GraphId graph = graphs.submit(GraphDraft.empty()
                            .task("a")
                            .task("b")
                            .task("child", "a", "b")
                            .graph())
                    .id();
            JobId ended = completeOneQuietly(store);
            try (Connection first = database.transaction();
                    Statement statement = first.createStatement()) {
                statement.execute("SELECT * FROM muster_tasks_ended(ARRAY['" + ended + "'::uuid])");
                CompletableFuture<Void> second =
                        CompletableFuture.runAsync(() -> store.dependencies().resolveDependents(List.of(ended)));
                await().until(() -> second.isDone() || waits(database));
                first.commit();
                second.join();
            }
            assertThat(graphs.tree(graph).orElseThrow().tasks())
                    .filteredOn(task -> task.id().equals("child"))
                    .extracting(TaskInfo::status)
                    .containsExactly(TaskStatus.WAITING);
            assertThat(graphs.find(graph).orElseThrow().ended()).isEqualTo(1);
        }
    }

    /** Ends one of the two parents, and tells nobody. */
    private static JobId completeOneQuietly(PostgresStore store) {
        ClaimSession session =
                store.claims().openClaims(new ClaimFilter("n", null, Set.of(), null, Duration.ofMinutes(10)));
        ClaimedJob claimed = session.exchange(List.of(), 1).claimed().get(0);
        session.exchange(List.of(new Outcome.Completed(claimed.claim(), null)), 0);
        return claimed.id();
    }

    private static boolean waits(FreshDatabase database) {
        return database.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                        + " AND datname = current_database() AND query LIKE '%muster_tasks_ended%'")
                == 1;
    }
}
