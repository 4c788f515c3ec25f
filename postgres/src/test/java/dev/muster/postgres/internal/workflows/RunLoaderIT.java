package dev.muster.postgres.internal.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.RunDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.workflow.WorkflowStore;
import dev.muster.internal.workflow.WorkflowStore.LoadedRun;
import dev.muster.postgres.OnFreshDatabase;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.SqlFiles;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** For how long a run that was read along is used. */
class RunLoaderIT extends OnFreshDatabase {
    private WorkflowStore runs;
    private RunLoader loader;
    private ClaimRef asked;
    private ClaimRef expected;
    private Instant readAt;
    private long nanos;

    /** A run is asked for, and another one that waits for a thread is read along. */
    @BeforeEach
    void readAlong() {
        PostgresStore store = database.store();
        runs = store.port(WorkflowStore.class);
        loader = new RunLoader(new Database(database.dataSource(), new SqlFiles("public")), () -> nanos);
        runs.start(List.of(RunDraft.of("a").run(), RunDraft.of("a").run()));
        List<ClaimRef> claims = store
                .claims()
                .openClaims(new ClaimFilter("n1", null, Set.of(), null, Duration.ofMinutes(5)))
                .exchange(List.of(), 2)
                .claimed()
                .stream()
                .map(ClaimedJob::claim)
                .toList();
        asked = claims.get(0);
        expected = claims.get(1);
        // Makes sure that there is a place for today's steps: a run without one is not read along.
        loader.load(asked);
        loader.expect(expected);
        readAt = loader.load(asked).orElseThrow().now();
        runs.cancel(expected.id(), "no longer wanted");
    }

    private LoadedRun load() {
        return loader.load(expected).orElseThrow();
    }

    @Test
    void forASecondItIsUsedAndItsTimeContinues() {
        nanos += Duration.ofMillis(900).toNanos();

        LoadedRun run = load();

        assertThat(run.cancelRequested()).isFalse();
        assertThat(run.now()).isAfterOrEqualTo(readAt.plusMillis(900));
    }

    @Test
    void afterASecondTheRunIsReadAgain() {
        nanos += Duration.ofMillis(1_100).toNanos();

        assertThat(load().cancelRequested()).isTrue();
    }
}
