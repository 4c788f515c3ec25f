package dev.muster.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.engine.SetClock;
import dev.muster.internal.job.payload.Payloads;
import dev.muster.internal.lock.DatabaseLocks;
import dev.muster.internal.lock.LockStartupCoordinator;
import dev.muster.internal.lock.LockStore;
import dev.muster.internal.provider.Store;
import dev.muster.internal.provider.StoreProvider;
import dev.muster.internal.schedule.CronJobs;
import dev.muster.internal.schedule.CronPublisher;
import dev.muster.internal.schedule.CronStore;
import dev.muster.internal.schedule.CronStore.TickRow;
import dev.muster.internal.schedule.Scheduler;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.job.Job;
import dev.muster.job.JobOptions;
import dev.muster.job.JobRequest;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.LeaderTerm;
import dev.muster.leader.Leadership;
import dev.muster.lock.StartupCoordinator;
import dev.muster.runtime.Clock;
import dev.muster.runtime.JsonCodec;
import dev.muster.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Crons where several nodes believe that it is up to them. */
class CronRacesIT {
    private TestDatabase database;
    private Store store;
    private CronStore crons;
    private Muster muster;

    /** Has the job that the crons enqueue. */
    static final class Nothing {
        @Job("nothing")
        void nothing() {}
    }

    @BeforeEach
    void open() {
        database = TestDatabase.fromEnv();
        store = ServiceLoader.load(StoreProvider.class)
                .findFirst()
                .orElseThrow()
                .open(database.dataSource(), MusterConfig.defaults());
        crons = store.port(CronStore.class);
        muster = Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(database.dataSource())
                .register(new Nothing())
                .build();
    }

    @AfterEach
    void close() {
        muster.close();
        store.close();
        database.close();
    }

    /** Takes itself for the leader, whoever else does, and fences nothing. */
    private final class Usurper implements Leadership {
        @Override
        public LeaderRole role() {
            return LeaderRole.SCHEDULER;
        }

        @Override
        public Optional<LeaderTerm> current() {
            return Optional.of(new LeaderTerm(LeaderRole.SCHEDULER, "usurper", UUID.randomUUID(), 1, 1));
        }

        @Override
        public <T> T fenced(FencedWork<T> work) {
            try (Connection tx = database.dataSource().getConnection()) {
                tx.setAutoCommit(false);
                try {
                    T value = work.run(tx);
                    tx.commit();
                    return value;
                } catch (SQLException | RuntimeException e) {
                    tx.rollback();
                    throw e;
                } finally {
                    tx.setAutoCommit(true);
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public Duration vacantFor() {
            return Duration.ZERO;
        }
    }

    private Scheduler scheduler() {
        return new Scheduler(
                crons,
                new CronJobs(
                        ServiceLoader.load(JsonCodec.class).findFirst().orElseThrow(),
                        Payloads.of(null, MusterConfig.defaults().encryption())),
                muster.jobs(),
                new Usurper(),
                Duration.ofMillis(20),
                Duration.ofDays(1),
                TelemetryListeners.none(),
                Clock.system());
    }

    @Test
    void threeLeadersGiveOneJobPerTick() throws Exception {
        IntStream.range(0, 8)
                .forEach(i -> muster.crons()
                        .create(CronSpec.of("cron_" + i, "@every 1s", JobRequest.of("nothing"))
                                .catchUp(1_000)));
        List<Scheduler> schedulers = List.of(scheduler(), scheduler(), scheduler());
        schedulers.forEach(Scheduler::start);
        try {
            patiently()
                    .until(() -> crons.list().stream()
                            .allMatch(cron -> cron.nextTick().isPresent()));
            for (int jump = 1; jump <= 3; jump++) {
                SetClock.ahead(database, Duration.ofSeconds(25L * jump));
                schedulers.forEach(Scheduler::wake);
                Instant reached = crons.now();
                patiently()
                        .until(() -> crons.list().stream()
                                .allMatch(cron -> cron.nextTick().orElseThrow().isAfter(reached)));
            }
        } finally {
            schedulers.forEach(Scheduler::stop);
        }

        long ticks = database.number("SELECT count(*) FROM muster_cron_ticks");
        assertThat(ticks).isGreaterThan(8 * 70);
        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isEqualTo(ticks);
        assertThat(database.number("SELECT count(DISTINCT (metadata ->> 'muster.cron', metadata ->> 'muster.tick'))"
                        + " FROM muster_jobs"))
                .isEqualTo(ticks);
        // Nothing left out either: the ticks of each cron are a second apart.
        assertThat(database.number(
                        "SELECT count(*) FROM (SELECT tick - lag(tick) OVER (PARTITION BY cron ORDER BY tick)"
                                + " AS step FROM muster_cron_ticks) s WHERE step <> interval '1 second'"))
                .isZero();
    }

    @Test
    void theRowOfATickDecidesBetweenTwoTransactions() throws Exception {
        Instant tick = Instant.parse("2026-05-01T00:00:00Z");
        try (Connection first = transaction();
                Connection second = transaction()) {
            assertThat(recordTick(first, tick)).isTrue();
            CompletableFuture<Boolean> rival = CompletableFuture.supplyAsync(() -> {
                try {
                    return recordTick(second, tick);
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            patiently()
                    .until(() -> database.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                    + " AND datname = current_database()")
                            == 1);
            first.commit();

            assertThat(rival.get(90, TimeUnit.SECONDS)).isFalse();
            assertThat(recordTick(second, tick.plusSeconds(1))).isTrue();
            second.rollback();
        }
    }

    private boolean recordTick(Connection tx, Instant tick) throws SQLException {
        return !crons.recordTicks(tx, List.of(new TickRow("a", tick, null))).isEmpty();
    }

    private Connection transaction() throws SQLException {
        Connection connection = database.dataSource().getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private static CronDefinition definition(String name, String expression) {
        return new CronDefinition(
                name,
                expression,
                "UTC",
                Misfire.SKIP,
                1,
                Overlap.ALLOW,
                Duration.ZERO,
                name,
                "null",
                new JobOptions("default", null, null, 3, 5, null));
    }

    private String expression(String name) {
        return crons.find(name).map(CronInfo::definition).orElseThrow().expression();
    }

    @Test
    void theNewestCodeWinsAndOldNodesThatRestartChangeNothing() {
        CronDefinition old = definition("report", "0 1 * * *");
        CronDefinition fresh = definition("report", "0 2 * * *");
        assertThat(crons.publish(List.of(old))).isTrue();
        assertThat(crons.publish(List.of(fresh))).isTrue();
        crons.pause("report");

        assertThat(crons.publish(List.of(old))).isFalse();
        assertThat(crons.publish(List.of(fresh))).isFalse();
        assertThat(expression("report")).isEqualTo("0 2 * * *");

        // A deployment that is taken back: nobody publishes the new one any more.
        SetClock.ahead(database, Duration.ofMinutes(4));
        assertThat(crons.publish(List.of(old))).isTrue();
        assertThat(expression("report")).isEqualTo("0 1 * * *");
        assertThat(crons.find("report").orElseThrow().pausedAt()).isPresent();
        assertThat(crons.find("report").orElseThrow().nextTick()).isEmpty();
    }

    @Test
    void manyNodesThatPublishAtOnceAgree() {
        CronDefinition old = definition("report", "0 1 * * *");
        CronDefinition fresh = definition("report", "0 2 * * *");
        crons.publish(List.of(old));
        crons.publish(List.of(fresh));

        List<CompletableFuture<Boolean>> publishers = IntStream.range(0, 20)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> crons.publish(List.of(i % 2 == 0 ? old : fresh))))
                .toList();

        assertThat(publishers)
                .allSatisfy(publisher ->
                        assertThat(publisher.get(90, TimeUnit.SECONDS)).isFalse());
        assertThat(expression("report")).isEqualTo("0 2 * * *");
    }

    private CronPublisher service(String cron) {
        StartupCoordinator coordinator =
                new LockStartupCoordinator(new DatabaseLocks(store.port(LockStore.class), cron, Clock.system()));
        return new CronPublisher(
                crons,
                List.of(definition(cron, "@daily")),
                coordinator,
                () -> {},
                new CronPublisher.Timing(Duration.ofMillis(50), Duration.ofMinutes(10), 3));
    }

    @Test
    void servicesThatShareADatabaseLeaveEachOthersCronsAlone() {
        CronPublisher a = service("cron_of_a");
        CronPublisher b = service("cron_of_b");
        a.start();
        b.start();
        try {
            for (int minutes = 9; minutes <= 27; minutes += 9) {
                SetClock.ahead(database, Duration.ofMinutes(minutes));
                Instant now = crons.now().truncatedTo(ChronoUnit.MILLIS);
                patiently()
                        .until(() ->
                                database.number("SELECT count(*) FROM muster_cron_definitions WHERE published_at > '"
                                                + now + "'")
                                        == 2);
            }
            // Both have judged several times by now.
            patiently().until(() -> database.number("SELECT last_value FROM muster_fence_seq") >= 4);
            assertThat(crons.list()).extracting(CronInfo::name).containsExactly("cron_of_a", "cron_of_b");
            assertThat(crons.list()).allMatch(cron -> cron.goneAt().isEmpty());

            b.stop();
            SetClock.ahead(database, Duration.ofMinutes(45));
            // The clock may jump between a publication and the judgement after it: the next publication corrects that.
            patiently()
                    .until(() -> crons.find("cron_of_b").orElseThrow().goneAt().isPresent()
                            && crons.find("cron_of_a").orElseThrow().goneAt().isEmpty());

            SetClock.ahead(database, Duration.ofDays(31));
            patiently()
                    .until(() ->
                            crons.list().stream().map(CronInfo::name).toList().equals(List.of("cron_of_a")));
        } finally {
            a.stop();
            b.stop();
        }
    }

    private List<String> ticks(String cron) {
        return database.column(
                "SELECT to_char(tick AT TIME ZONE 'UTC', 'HH24:MI') || CASE WHEN job_id IS NULL THEN ' skipped'"
                        + " ELSE '' END FROM muster_cron_ticks WHERE cron = '" + cron + "' ORDER BY tick");
    }

    private static CronDefinition definition(String name, String expression, Misfire misfire, int limit) {
        return new CronDefinition(
                name,
                expression,
                "UTC",
                misfire,
                limit,
                Overlap.ALLOW,
                Duration.ZERO,
                "nothing",
                "null",
                new JobOptions("default", null, null, 3, 5, null));
    }

    /** The time until it is so late in the day, tomorrow. */
    private Duration untilTomorrowAt(int hour, int minute) {
        Instant now = Instant.parse(database.column(
                        "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC'," + " 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
                .get(0));
        Instant then = now.truncatedTo(ChronoUnit.DAYS)
                .plus(Duration.ofHours(24 + hour).plusMinutes(minute));
        return Duration.between(now, then);
    }

    @Test
    void aServiceThatWasDownGetsItsMissedTicksByTheirPolicy() {
        List<CronDefinition> nightly = List.of(
                definition("once", "0 2 * * *", Misfire.FIRE_ONCE, 1),
                definition("caught_up", "0,30 2 * * *", Misfire.CATCH_UP, 5),
                definition("skipped", "0 2 * * *", Misfire.SKIP, 1));
        SetClock.ahead(database, untilTomorrowAt(1, 0));
        crons.publish(nightly);
        Scheduler scheduler = scheduler();
        scheduler.start();
        try {
            patiently()
                    .until(() -> crons.list().stream()
                            .allMatch(cron -> cron.nextTick().isPresent()));
            SetClock.ahead(database, untilTomorrowAt(1, 43));
            assertThat(crons.markGone(Duration.ofMinutes(10)))
                    .containsExactlyInAnyOrder("once", "caught_up", "skipped");
            SetClock.ahead(database, untilTomorrowAt(3, 0));
            scheduler.wake();
            muster.crons().create(CronSpec.of("other", "@every 1s", JobRequest.of("nothing")));
            patiently().until(() -> {
                scheduler.wake();
                return !ticks("other").isEmpty();
            });
            assertThat(ticks("once")).isEmpty();

            assertThat(crons.publish(nightly)).isTrue();
            scheduler.wake();
            patiently()
                    .until(() -> crons.list().stream()
                            .allMatch(cron -> cron.nextTick()
                                    .filter(next -> next.isAfter(crons.now().minusSeconds(60)))
                                    .isPresent()));
        } finally {
            scheduler.stop();
        }
        assertThat(ticks("once")).containsExactly("02:00");
        assertThat(ticks("caught_up")).containsExactly("02:00", "02:30");
        assertThat(ticks("skipped")).isEmpty();
        assertThat(crons.publish(nightly)).isFalse();
    }

    @Test
    void aTickThatIsDueFiresAlthoughItsCronIsChangedBefore() {
        CronSpec spec = CronSpec.of("dynamic", "0 2 * * *", JobRequest.of("nothing"));
        SetClock.ahead(database, untilTomorrowAt(1, 0));
        muster.crons().create(spec);
        crons.publish(List.of(definition("static", "0 2 * * *", Misfire.FIRE_ONCE, 1)));
        Scheduler before = scheduler();
        before.start();
        patiently()
                .until(() ->
                        crons.list().stream().allMatch(cron -> cron.nextTick().isPresent()));
        before.stop();

        SetClock.ahead(database, untilTomorrowAt(2, 5));
        muster.crons().update(CronSpec.of("dynamic", "0 5 * * *", JobRequest.of("nothing")));
        crons.publish(List.of(definition("static", "0 5 * * *", Misfire.FIRE_ONCE, 1)));
        Scheduler after = scheduler();
        after.start();
        try {
            patiently()
                    .until(() -> crons.list().stream()
                            .allMatch(cron -> cron.nextTick().orElseThrow().isAfter(crons.now())));
        } finally {
            after.stop();
        }

        assertThat(ticks("dynamic")).containsExactly("02:00");
        assertThat(ticks("static")).containsExactly("02:00");
        assertThat(crons.list())
                .allSatisfy(cron -> assertThat(cron.nextTick().orElseThrow())
                        .hasToString(cron.nextTick()
                                .orElseThrow()
                                .truncatedTo(ChronoUnit.DAYS)
                                .plus(Duration.ofHours(5))
                                .toString()));
    }

    @Test
    void cronsCreatedAtRunTimeAreNobodysOrphans() {
        muster.crons().create(CronSpec.of("dynamic", "@daily", JobRequest.of("nothing")));
        SetClock.ahead(database, Duration.ofDays(2));

        assertThat(crons.markGone(Duration.ofMinutes(10))).isEmpty();
        assertThat(crons.find("dynamic")).isPresent();
    }

    @Test
    void oldTicksAreForgotten() throws SQLException {
        try (Connection tx = transaction()) {
            recordTick(tx, Instant.parse("2026-05-01T00:00:00Z"));
            tx.commit();
            SetClock.ahead(database, Duration.ofDays(8));
            recordTick(tx, Instant.parse("2026-05-02T00:00:00Z"));

            assertThat(crons.forgetTicks(tx, Duration.ofDays(7))).isFalse();
            tx.commit();
        }
        assertThat(database.column("SELECT extract(day FROM tick AT TIME ZONE 'UTC') FROM muster_cron_ticks"))
                .containsExactly("2");
    }

    private static ConditionFactory patiently() {
        return await().atMost(Duration.ofSeconds(90));
    }
}
