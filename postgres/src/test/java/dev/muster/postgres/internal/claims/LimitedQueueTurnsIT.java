package dev.muster.postgres.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimSession.Exchange;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.NewJob;
import dev.muster.job.Lane;
import dev.muster.postgres.OnFreshDatabase;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.SqlFiles;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a node with one free thread at a time chooses among queues, and what limited queues cost that have no jobs. */
class LimitedQueueTurnsIT extends OnFreshDatabase {
    private static final int EXCHANGES = 60;

    /** It moves only when the test says so, and by less than a second: else the server's clock would seem to have been set back. */
    private final AtomicLong nanos = new AtomicLong(TimeUnit.DAYS.toNanos(1));

    private ClaimSession session;

    @BeforeEach
    void prepare() {
        session = new ClaimSessions(
                new Database(database.dataSource(), new SqlFiles("public")),
                new HeldClaims(),
                List.of(),
                new ClaimFilter("n1", null, Set.of(), null, Duration.ofMinutes(5)),
                nanos::get);
    }

    private void limit(String... queues) {
        for (String queue : queues) {
            database.execute("INSERT INTO muster_queues (name, max_running) VALUES ('" + queue + "', 1000)");
        }
    }

    private void enqueue(String queue) {
        List<NewJob> jobs = IntStream.range(0, EXCHANGES)
                .mapToObj(i -> JobDraft.named(queue).lane(queue, "").job())
                .toList();
        database.store().jobs().enqueue(jobs);
    }

    /** How many jobs of each queue are claimed, one in each exchange. */
    private Map<String, Long> claims() {
        return claims(() -> {});
    }

    private Map<String, Long> claims(Runnable between) {
        return Stream.generate(() -> {
                    between.run();
                    return session.exchange(List.of(), 1);
                })
                .limit(EXCHANGES)
                .flatMap(exchange -> exchange.claimed().stream())
                .map(ClaimedJob::name)
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    }

    @Test
    void besideABacklogLimitedQueuesTakeTurnsWithItAndAmongThemselves() {
        limit("a", "b");
        enqueue("a");
        enqueue("b");
        enqueue("plain");

        Map<String, Long> claims = claims();

        assertThat(claims.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(EXCHANGES);
        assertThat(claims.get("plain")).isBetween(EXCHANGES / 2L - 3, EXCHANGES / 2L + 3);
        assertThat(claims.get("a")).isBetween(EXCHANGES / 4L - 3, EXCHANGES / 4L + 3);
        assertThat(claims.get("b")).isBetween(EXCHANGES / 4L - 3, EXCHANGES / 4L + 3);
    }

    /** Such as those that only write outcomes, while enough jobs wait for a thread. */
    @Test
    void exchangesThatWantNoJobsUseUpNoTurn() {
        limit("a", "b");
        enqueue("a");
        enqueue("b");
        enqueue("plain");

        Map<String, Long> claims = claims(() -> session.exchange(List.of(), 0));

        assertThat(claims).containsOnlyKeys("a", "b", "plain");
        assertThat(claims.get("plain")).isBetween(EXCHANGES / 2L - 3, EXCHANGES / 2L + 3);
    }

    @Test
    void theNextJobOfARateIsLookedForWhenItMayStart() {
        database.stopClock();
        database.execute(
                "INSERT INTO muster_queues (name, rate_per, rate_interval, burst) VALUES ('a', 1, '1 hour', 1)");
        enqueue("a");
        assertThat(claims()).containsEntry("a", 1L);
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(3));

        assertThat(session.exchange(List.of(), 1).nextDue())
                .as("neither earlier, in vain, nor later")
                .contains(Duration.ofHours(1));
    }

    @Test
    void noneOfManyLimitedQueuesIsForgotten() {
        String[] queues = {"a", "b", "c", "d", "e", "f"};
        limit(queues);
        for (String queue : queues) {
            enqueue(queue);
        }

        Map<String, Long> claims = claims();

        assertThat(claims).hasSize(queues.length);
        assertThat(claims.values()).allMatch(count -> count >= EXCHANGES / queues.length - 3);
    }

    @Test
    void limitedQueuesWithoutJobsCostABusyNodeNothing() {
        String[] queues = IntStream.range(0, 30).mapToObj(i -> "empty" + i).toArray(String[]::new);
        limit(queues);
        enqueue("plain");
        // A queue that has just got a limit is looked at once.
        for (int i = 0; i < 4; i++) {
            session.exchange(List.of(), 1);
        }
        long before = session.answers();

        int claimed = 0;
        for (int i = 0; i < 20; i++) {
            nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(25));
            claimed += session.exchange(List.of(), 1).claimed().size();
        }

        assertThat(claimed).isEqualTo(20);
        assertThat(session.answers() - before)
                .as("a claim for each job, and probes now and then")
                .isLessThanOrEqualTo(20 + 2);
    }

    @Test
    void limitedQueuesWithoutJobsKeepNoNodeAwake() {
        String[] queues = IntStream.range(0, 30).mapToObj(i -> "empty" + i).toArray(String[]::new);
        limit(queues);
        session.exchange(List.of(), 1);
        session.exchange(List.of(), 1);
        long before = session.answers();

        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(800));
        Exchange exchange = session.exchange(List.of(), 1);

        assertThat(session.answers() - before).as("one probe for all").isOne();
        assertThat(exchange.exhausted()).isTrue();
        assertThat(exchange.nextDue()).as("a reason to look again").isEmpty();
    }

    /** Its wake-up was lost. */
    @Test
    void aJobOfALimitedQueueIsFoundByTheProbeForAll() {
        limit("scarce");
        session.exchange(List.of(), 1);
        session.exchange(List.of(), 1);
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(800));
        database.store()
                .jobs()
                .enqueue(List.of(JobDraft.named("late").lane("scarce", "").job()));

        assertThat(session.probeBacklog()).as("has found something").isTrue();
        assertThat(session.exchange(List.of(), 1).claimed())
                .extracting(ClaimedJob::lane)
                .containsExactly(new Lane("scarce", ""));
    }
}
