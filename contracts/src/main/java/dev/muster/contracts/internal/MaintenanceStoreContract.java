package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.muster.graph.Trigger;
import dev.muster.internal.batch.BatchStore;
import dev.muster.internal.batch.BatchStore.NewBatch;
import dev.muster.internal.graph.GraphStore;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimStore;
import dev.muster.internal.job.store.ClaimStore.NewLogLine;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.lock.LockStore;
import dev.muster.internal.maintenance.MaintenanceStore;
import dev.muster.internal.maintenance.MaintenanceStore.Days;
import dev.muster.internal.maintenance.MaintenanceStore.Dropped;
import dev.muster.internal.maintenance.MaintenanceStore.Stretch;
import dev.muster.job.BatchId;
import dev.muster.job.Fence;
import dev.muster.job.JobId;
import dev.muster.job.JobOptions;
import dev.muster.lock.LockInfo;
import dev.muster.telemetry.JobMetrics;
import dev.muster.telemetry.JobMetrics.Row;
import dev.muster.telemetry.MinuteMetrics;
import dev.muster.telemetry.MinuteMetrics.Minute;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Nothing is dropped before its retention is over, everything is afterwards, and each minute is counted once. */
abstract class MaintenanceStoreContract extends JobStoreContract {
    private static final Duration WEEK = Duration.ofDays(7);

    private MaintenanceStore maintenance() {
        return store().port(MaintenanceStore.class);
    }

    private JobId complete(JobDraft draft) {
        JobId id = enqueue(draft.job());
        ClaimedJob job = claimOne("n", LEASE);
        assertThat(write(new Outcome.Completed(job.claim(), null)).rejected()).isEmpty();
        return id;
    }

    /** Drops days for as long as there is one to drop; returns what the last attempt met. */
    private Dropped dropDays(Days of, Duration retain) {
        Dropped last;
        do {
            last = store().leaders().unfenced(tx -> maintenance().dropOldestDay(tx, of, retain));
        } while (last == Dropped.ONE);
        return last;
    }

    private int forgetKeys(Duration retain) {
        int forgotten = 0;
        long page = 0;
        do {
            long from = page;
            Stretch stretch = store().leaders().unfenced(tx -> maintenance().forgetKeys(tx, retain, from));
            forgotten += stretch.forgotten();
            page = stretch.nextPage();
        } while (page > 0);
        return forgotten;
    }

    @Test
    void jobsThatEndedBeforeTheRetentionAreDroppedAndOthersStay() {
        JobId old = complete(JobDraft.named("old"));
        JobId live = enqueue(JobDraft.named("live").delay(Duration.ofDays(100)).job());
        advance(Duration.ofDays(9));
        store().claims().prepareHistory();
        JobId recent = complete(JobDraft.named("recent"));

        assertThat(dropDays(Days.HISTORY, Duration.ofDays(30))).isEqualTo(Dropped.NONE);
        assertThat(store().jobReader().find(old)).isPresent();
        assertThat(dropDays(Days.HISTORY, WEEK)).isEqualTo(Dropped.NONE);

        assertThat(store().jobReader().find(old)).isEmpty();
        assertThat(store().jobReader().find(recent)).isPresent();
        assertThat(store().jobReader().find(live)).isPresent();
    }

    @Test
    void logLinesAreDroppedByTheirOwnRetention() {
        JobId job = enqueue(JobDraft.plain("a"));
        store().claims().appendLogs(List.of(new NewLogLine(job, 1, "info", "old", 0)));
        advance(Duration.ofDays(3));
        store().claims().appendLogs(List.of(new NewLogLine(job, 1, "info", "recent", 0)));

        assertThat(dropDays(Days.JOB_LOGS, WEEK)).isEqualTo(Dropped.NONE);
        assertThat(store().jobReader().logs(job, 0, 10)).hasSize(2);
        assertThat(dropDays(Days.JOB_LOGS, Duration.ofDays(1))).isEqualTo(Dropped.NONE);

        assertThat(store().jobReader().logs(job, 0, 10))
                .singleElement()
                .satisfies(line -> assertThat(line.message()).isEqualTo("recent"));
    }

    @Test
    void aTransactionThatIsRolledBackDropsNothing() throws Exception {
        JobId old = complete(JobDraft.named("old"));
        advance(Duration.ofDays(9));

        try (var tx = transaction()) {
            Dropped last;
            do {
                last = maintenance().dropOldestDay(tx, Days.HISTORY, WEEK);
            } while (last == Dropped.ONE);
            assertThat(last).isEqualTo(Dropped.NONE);
            tx.rollback();
        }

        assertThat(store().jobReader().find(old)).isPresent();
    }

    @Test
    void aKeyIsForgottenOnlyAfterItsJobEndedLongEnoughAgo() {
        JobId id = enqueue(JobDraft.named("a").key("k").job());
        advance(Duration.ofDays(2));
        assertThat(forgetKeys(Duration.ofDays(1))).as("its job has not ended").isZero();

        write(new Outcome.Completed(claimOne("n", LEASE).claim(), null));
        assertThat(forgetKeys(Duration.ofDays(1))).as("it ended just now").isZero();
        assertThat(enqueue(JobDraft.named("a").key("k").job())).isEqualTo(id);
        advance(Duration.ofHours(25));

        assertThat(forgetKeys(Duration.ofDays(1))).isEqualTo(1);
        assertThat(enqueue(JobDraft.named("a").key("k").args("{\"other\": 1}").job()))
                .isNotEqualTo(id);
    }

    @Test
    void locksThatHaveBeenFreeForThatLongAreRemovedAndFencesGoOnGrowing() {
        Fence released = store().port(LockStore.class)
                .acquire("released", "n1", Duration.ofMinutes(1))
                .orElseThrow();
        store().port(LockStore.class).release("released", released.token());
        store().port(LockStore.class).acquire("held", "n1", Duration.ofDays(3));
        assertThat(store().leaders().<Stretch>unfenced(tx -> maintenance().forgetLocks(tx, Duration.ofDays(1), 0)))
                .isEqualTo(new Stretch(0, 0));
        advance(Duration.ofHours(25));

        assertThat(store().leaders().<Stretch>unfenced(tx -> maintenance().forgetLocks(tx, Duration.ofDays(1), 0)))
                .isEqualTo(new Stretch(1, 0));

        assertThat(store().port(LockStore.class).list())
                .extracting(LockInfo::name)
                .containsExactly("held");
        assertThat(store().port(LockStore.class)
                        .acquire("released", "n1", Duration.ofMinutes(1))
                        .orElseThrow())
                .isGreaterThan(released);
    }

    @Test
    void minutesAreReadByQueueAndAllTogether() {
        complete(JobDraft.named("a").lane("mail", ""));
        complete(JobDraft.named("a").lane("mail", ""));
        complete(JobDraft.named("a").lane("few", ""));
        store().jobs().cancel(enqueue(JobDraft.named("b").lane("mail", "").job()));
        enqueue(JobDraft.named("b").lane("few", "").job());
        advance(Duration.ofMinutes(5));
        while (store().leaders().<Duration>unfenced(maintenance()::writeMinute).isZero()) {
            // The next minute is written.
        }

        MinuteMetrics all = maintenance().minutes(Duration.ofHours(1), Optional.empty(), 10);
        assertThat(Duration.between(all.from(), all.to())).isEqualTo(Duration.ofHours(1));
        assertThat(all.queues()).extracting(MinuteMetrics.Queue::name).containsExactly("few", "mail");
        assertThat(all.queues().get(1).minutes()).hasSize(60);
        assertThat(all.queues().get(1).minutes().get(0).minute()).isEqualTo(all.from());
        assertThat(all.queues().get(1).minutes().get(59).minute())
                .isEqualTo(all.to().minusSeconds(60));
        assertThat(all.queues().get(1).minutes().stream()
                        .mapToLong(Minute::completed)
                        .sum())
                .isEqualTo(2);
        assertThat(maintenance()
                        .minutes(Duration.ofHours(1), Optional.empty(), 1)
                        .queues())
                .as("the queue with the most jobs")
                .containsExactly(all.queues().get(1));
        assertThat(maintenance()
                        .minutes(Duration.ofHours(1), Optional.of("few"), 1)
                        .queues())
                .containsExactly(all.queues().get(0));
        assertThat(maintenance()
                        .minutes(Duration.ofHours(1), Optional.of("nobody"), 1)
                        .queues())
                .isEmpty();

        List<Minute> last = maintenance().lastMinutes(60);
        assertThat(last).hasSize(60);
        assertThat(last.get(0).minute()).isEqualTo(all.from());
        assertThat(last.get(59).minute()).isEqualTo(all.to().minusSeconds(60));
        assertThat(last.stream().mapToLong(Minute::completed).sum()).isEqualTo(3);
        assertThat(last.stream().mapToLong(Minute::cancelled).sum()).isEqualTo(1);
        assertThat(last.get(59).depth()).contains(1L);

        advance(Duration.ofMinutes(30));
        List<Minute> later = maintenance().lastMinutes(60);
        assertThat(later).as("nobody has written minutes").hasSize(60);
        assertThat(later.get(59).minute()).isAfter(last.get(59).minute().plusSeconds(27 * 60));
    }

    @Test
    void eachMinuteIsWrittenOnceWhenItIsOver() {
        complete(JobDraft.named("a").lane("mail", ""));
        complete(JobDraft.named("a").lane("mail", ""));
        JobId cancelled = enqueue(JobDraft.named("b").lane("mail", "").job());
        store().jobs().cancel(cancelled);
        advance(Duration.ofMinutes(5));

        Duration wait;
        do {
            wait = store().leaders().unfenced(maintenance()::writeMinute);
        } while (wait.isZero());

        assertThat(wait).isLessThanOrEqualTo(Duration.ofMinutes(1));
        assertThat(store().leaders().<Duration>unfenced(maintenance()::writeMinute))
                .as("the next minute is not over")
                .isPositive();
        JobMetrics figures = maintenance().figures(Duration.ofMinutes(10));
        assertThat(figures.of())
                .filteredOn(row -> row.queue().equals("mail"))
                .extracting(Row::name, Row::completed, Row::cancelled)
                .containsExactlyInAnyOrder(
                        tuple(Optional.empty(), 2L, 1L),
                        tuple(Optional.of("a"), 2L, 0L),
                        tuple(Optional.of("b"), 0L, 1L));
    }

    @Test
    void aPlacementIsForgottenADayAfterItsLastUseUnlessAJobHasIt() {
        enqueue(JobDraft.named("a").lane("q", "gone&x").job());
        write(new Outcome.Completed(
                store().claims()
                        .openClaims(new ClaimFilter("n", null, Set.of("gone", "x"), null, LEASE))
                        .exchange(List.of(), 1)
                        .claimed()
                        .get(0)
                        .claim(),
                null));
        enqueue(JobDraft.named("a").lane("q", "waits&x").job());
        advance(Duration.ofHours(23));
        assertThat(forgetPlacements()).isZero();
        advance(Duration.ofHours(2));

        assertThat(forgetPlacements()).isEqualTo(1);
        assertThat(forgetPlacements()).isZero();
    }

    @Test
    void aPlacementIsNotForgottenWhileAJobHasItThatWaitsForAnother() {
        JobId parent = enqueue(JobDraft.named("a").job());
        enqueue(JobDraft.named("a")
                .lane("q", "child&x")
                .dependsOn(List.of(parent))
                .job());
        advance(Duration.ofHours(25));

        assertThat(forgetPlacements()).isZero();
    }

    private ClaimRef claim(String... capabilities) {
        return store().claims()
                .openClaims(new ClaimFilter("n", null, Set.of(capabilities), null, LEASE))
                .exchange(List.of(), 1)
                .claimed()
                .get(0)
                .claim();
    }

    @Test
    void aPlacementIsNotForgottenWhileAJobWithItRunsOrIsRetried() {
        JobId id = enqueue(JobDraft.named("a").lane("q", "long&x").job());
        ClaimRef claim = claim("long", "x");
        store().claims().markRunning(List.of(new ClaimStore.Start(claim, 1, 1, 0)));
        advance(Duration.ofHours(25));
        assertThat(forgetPlacements()).as("its job runs").isZero();

        write(new Outcome.Failed(claim, "broken"));
        advance(Duration.ofHours(25));
        assertThat(forgetPlacements()).isEqualTo(1);
        store().jobs().retry(id);
        write(new Outcome.Completed(claim("long", "x"), null));
        advance(Duration.ofHours(25));
        assertThat(forgetPlacements()).as("the retried job had a place").isEqualTo(1);
    }

    @Test
    void anEnqueueInACallersTransactionIsAUseToo() throws SQLException {
        // Never with the other enqueue, after which a process remembers the placement for a while.
        try (Connection connection = transaction()) {
            store().jobs()
                    .enqueue(
                            connection,
                            List.of(JobDraft.named("a").lane("q", "own&x").job()));
            connection.commit();
        }
        write(new Outcome.Completed(claim("own", "x"), null));
        advance(Duration.ofHours(20));
        try (Connection connection = transaction()) {
            store().jobs()
                    .enqueue(
                            connection,
                            List.of(JobDraft.named("a").lane("q", "own&x").job()));
            advance(Duration.ofHours(5));
            assertThat(forgetPlacements()).as("somebody is using it").isZero();
            connection.commit();
        }
        write(new Outcome.Completed(claim("own", "x"), null));

        assertThat(forgetPlacements()).isZero();
        advance(Duration.ofHours(20));
        assertThat(forgetPlacements()).isEqualTo(1);
    }

    @Test
    void aPlacementIsNotForgottenWhileATaskOrABatchWillEnqueueAJobWithIt() {
        store().port(GraphStore.class)
                .submit(GraphDraft.empty()
                        .task("first")
                        .task("later", Trigger.ALL_SUCCESS, Map.of(0, true), JobOptions.DEFAULTS.capability("task&x"))
                        .graph());
        BatchId batch = BatchId.next();
        store().port(BatchStore.class)
                .create(new NewBatch(
                        batch,
                        "b",
                        "all",
                        null,
                        JobDraft.named("report").lane("q", "batch&x").job(),
                        null));
        advance(Duration.ofHours(25));

        assertThat(forgetPlacements()).isZero();

        store().port(BatchStore.class).cancel(batch);
        store().port(BatchStore.class).closeDue(true);
        assertThat(forgetPlacements()).as("its completion job has it").isZero();
    }

    private int forgetPlacements() {
        return store().leaders().unfenced(tx -> maintenance().forgetPlacements(tx));
    }
}
