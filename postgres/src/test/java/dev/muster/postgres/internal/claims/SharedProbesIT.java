package dev.muster.postgres.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.job.Priority;
import dev.muster.job.QueueLimit;
import dev.muster.postgres.OnFreshDatabase;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.SqlFiles;
import dev.muster.testing.Seeds;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The sessions of a node's executors: while they are idle, one of them probes for all. */
class SharedProbesIT extends OnFreshDatabase {
    private static final int SESSIONS = 5;
    private static final Lane LANE = new Lane("default", "");

    /** It stands still, so that probes seem to cost nothing and are due whenever a session is asked. */
    private final AtomicLong nanos = new AtomicLong(TimeUnit.DAYS.toNanos(1));

    private final HeldClaims held = new HeldClaims();
    private List<ClaimSession> sessions;
    private final List<Integer> told = new ArrayList<>();

    @BeforeEach
    void prepare() {
        ClaimFilter filter = new ClaimFilter("n1", null, Set.of(), null, Duration.ofMinutes(5));
        SharedProbe sharedProbe = new SharedProbe(nanos::get);
        sessions = IntStream.range(0, SESSIONS)
                .<ClaimSession>mapToObj(i -> {
                    ClaimSessions session = new ClaimSessions(
                            new Database(database.dataSource(), new SqlFiles("public")),
                            held,
                            List.of(),
                            filter.onlyNames(Set.of("job" + i)),
                            nanos::get);
                    session.join(sharedProbe);
                    return session;
                })
                .toList();
        for (int i = 0; i < SESSIONS; i++) {
            int number = i;
            sessions.get(i).onSharedProbe(() -> told.add(number));
        }
    }

    private long statements() {
        return sessions.stream().mapToLong(ClaimSession::answers).sum();
    }

    private static Set<JobId> claim(ClaimSession session) {
        return session.exchange(List.of(), 100).claimed().stream()
                .map(ClaimedJob::id)
                .collect(Collectors.toSet());
    }

    private static boolean mayHaveJobs(ClaimSession session) {
        return session.untilKnownJobs().filter(Duration::isZero).isPresent();
    }

    @Test
    void oneProbeIsEnoughForAllLimitedQueuesToo() {
        database.store().queues().limit("scarce", QueueLimit.maxRunning(1));
        database.execute(
                "INSERT INTO muster_queues (name, max_running) SELECT 'empty' || i, 1 FROM generate_series(1, 20) i");
        for (int round = 0; round < 2; round++) {
            sessions.forEach(SharedProbesIT::claim);
        }
        long before = statements();
        told.clear();

        assertThat(sessions.get(2).probeBacklog()).isFalse();

        assertThat(statements() - before).isOne();
        assertThat(sessions).as("nobody has a reason to probe at once").noneMatch(SharedProbesIT::mayHaveJobs);

        JobId job = database.store()
                .jobs()
                .enqueue(List.of(JobDraft.named("job3").lane("scarce", "").job()))
                .get(0);
        sessions.get(2).probeBacklog();
        assertThat(mayHaveJobs(sessions.get(3))).isTrue();
        assertThat(claim(sessions.get(3))).containsExactly(job);
    }

    @Test
    void oneProbeIsEnoughForAllWhileThereAreNoJobs() {
        for (ClaimSession session : sessions) {
            claim(session);
        }
        long before = statements();
        told.clear();

        assertThat(sessions.get(2).probeBacklog()).isFalse();

        assertThat(statements() - before).isOne();
        assertThat(told).hasSize(SESSIONS - 1);
        assertThat(sessions).noneMatch(SharedProbesIT::mayHaveJobs);
    }

    @Test
    void aJobThatASharedProbeFindsIsClaimedByTheSessionOfItsName() {
        sessions.forEach(SharedProbesIT::claim);
        JobId job =
                database.store().jobs().enqueue(List.of(JobDraft.plain("job3"))).get(0);
        told.clear();

        sessions.get(0).probeBacklog();

        assertThat(told).contains(3);
        assertThat(mayHaveJobs(sessions.get(3))).isTrue();
        assertThat(claim(sessions.get(0))).isEmpty();
        assertThat(claim(sessions.get(3))).containsExactly(job);
    }

    /** Such a job is found by every probe until it is due, and must not make the sessions wake each other all the time. */
    @Test
    void afterASharedProbeHasFoundAJobEachSessionProbesByItselfForAWhile() {
        database.store().jobs().enqueue(List.of(JobDraft.plain("job3")));
        sessions.forEach(SharedProbesIT::claim);
        sessions.forEach(SharedProbesIT::claim);
        database.store()
                .jobs()
                .enqueue(List.of(
                        JobDraft.named("job3").delay(Duration.ofSeconds(100)).job()));
        sessions.get(0).probeBacklog();
        sessions.forEach(SharedProbesIT::claim);
        long before = statements();
        told.clear();

        sessions.forEach(ClaimSession::probeBacklog);

        assertThat(told).isEmpty();
        assertThat(statements() - before).isEqualTo(SESSIONS);

        nanos.addAndGet(TimeUnit.SECONDS.toNanos(61));
        sessions.get(0).probeBacklog();
        assertThat(told).as("they try again to probe together").isNotEmpty();
    }

    /** It is behind the cursors of the session when it commits. */
    @Test
    void aJobThatCommitsLateIsFoundByASharedProbe() throws SQLException {
        try (Connection writer = database.connection()) {
            writer.setAutoCommit(false);
            database.store().jobs().enqueue(writer, List.of(JobDraft.plain("job4")));
            database.store().jobs().enqueue(List.of(JobDraft.plain("job4"), JobDraft.plain("job1")));
            sessions.forEach(session -> session.wake(Set.of(LANE)));
            sessions.forEach(SharedProbesIT::claim);
            sessions.forEach(SharedProbesIT::claim);
            writer.commit();
        }
        sessions.get(1).probeBacklog();

        assertThat(claim(sessions.get(4))).hasSize(1);
    }

    /** Jobs come without a wake-up, in any lane and with any priority; polls find all of them, each by the session of its name. */
    @Test
    void pollsFindWhateverComes() {
        Random random = new Random(Seeds.next(getClass()));
        Set<JobId> waiting = new HashSet<>();
        for (int round = 0; round < 60; round++) {
            for (int i = random.nextInt(4); i > 0; i--) {
                JobDraft draft = JobDraft.named("job" + random.nextInt(SESSIONS))
                        .lane("q" + random.nextInt(3), "")
                        .priority(Priority.values()[random.nextInt(Priority.values().length)]);
                waiting.addAll(database.store().jobs().enqueue(List.of(draft.job())));
            }
            waiting.removeAll(claim(sessions.get(random.nextInt(SESSIONS))));
        }
        for (int round = 0; round < 4; round++) {
            for (ClaimSession session : sessions) {
                session.probeBacklog();
                waiting.removeAll(claim(session));
            }
        }
        assertThat(waiting).isEmpty();
    }
}
