package dev.muster.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.job.Cancellation;
import dev.muster.job.ClaimRef;
import dev.muster.job.ClaimScope;
import dev.muster.job.ClaimSession;
import dev.muster.job.ClaimSession.Exchange;
import dev.muster.job.ClaimedJob;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.job.JobStore;
import dev.muster.job.JobStore.CompletionState;
import dev.muster.job.JobStore.Marked;
import dev.muster.job.JobStore.Recovered;
import dev.muster.job.JobStore.Renewal;
import dev.muster.job.JobStore.Start;
import dev.muster.job.KeyConflict;
import dev.muster.job.Lane;
import dev.muster.job.NewJob;
import dev.muster.job.Outcome;
import dev.muster.job.Priority;
import dev.muster.leader.Leadership.FencedWork;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every {@link JobStore} must do. Extend it, and hand in an empty store for each test. */
public abstract class JobStoreContract {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration EXPIRED = Duration.ofMillis(-1);
    private static final Lane DEFAULT = new Lane("default", "");

    protected abstract JobStore store();

    /** A connection to the store's database that is not in autocommit mode. */
    protected abstract Connection transaction() throws SQLException;

    private List<Recovered> recoverExpired() {
        return inTransaction(tx -> store().recoverExpired(tx, 10, true));
    }

    /** Work of whoever keeps the cluster in order. */
    private <T> T inTransaction(FencedWork<T> work) {
        try (Connection connection = transaction()) {
            T value = work.run(connection);
            connection.commit();
            return value;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static NewJob job(String name) {
        return JobDraft.plain(name);
    }

    private static NewJob keyed(String name, String key, String args) {
        return JobDraft.named(name).key(key).args(args).job();
    }

    protected ClaimSession claims(String node) {
        return claims(node, LEASE);
    }

    private ClaimSession claims(String node, Duration lease) {
        return store().openClaims(new ClaimScope(node, null, Set.of("general"), null, lease));
    }

    protected JobId enqueue(NewJob job) {
        return store().enqueue(List.of(job)).get(0);
    }

    private ClaimedJob claimOne(String node, Duration lease) {
        List<ClaimedJob> claimed = claims(node, lease).exchange(List.of(), 1).claimed();
        assertThat(claimed).hasSize(1);
        return claimed.get(0);
    }

    private Exchange write(Outcome... outcomes) {
        return claims("writer").exchange(List.of(outcomes), 0);
    }

    private JobInfo find(JobId id) {
        return store().find(id).orElseThrow();
    }

    @Test
    void twoNodesClaimOneJobAndOneGetsIt() {
        JobId id = enqueue(job("a"));

        List<ClaimedJob> first = claims("n1").exchange(List.of(), 1).claimed();
        List<ClaimedJob> second = claims("n2").exchange(List.of(), 1).claimed();

        assertThat(first).extracting(ClaimedJob::id).containsExactly(id);
        assertThat(second).isEmpty();
        assertThat(find(id).status()).isEqualTo(JobStatus.CLAIMED);
        assertThat(find(id).node()).contains("n1");
    }

    @Test
    void claimsGoByPriorityThenByDueTime() {
        JobId late = enqueue(JobDraft.named("a").priority(Priority.NORMAL).job());
        JobId later = enqueue(JobDraft.named("a").priority(Priority.NORMAL).job());
        JobId background =
                enqueue(JobDraft.named("a").priority(Priority.BACKGROUND).job());
        JobId critical = enqueue(JobDraft.named("a").priority(Priority.CRITICAL).job());
        enqueue(JobDraft.named("a")
                .priority(Priority.CRITICAL)
                .delay(Duration.ofHours(1))
                .job());

        ClaimSession node = claims("n1");
        List<JobId> order = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            node.exchange(List.of(), 1).claimed().forEach(job -> order.add(job.id()));
        }

        assertThat(order).containsExactly(critical, late, later, background);
    }

    @Test
    void aBatchComesInTheOrderOfItsPriorities() {
        JobId low = enqueue(JobDraft.named("a").priority(Priority.LOW).job());
        JobId normal = enqueue(job("a"));
        JobId critical = enqueue(JobDraft.named("a").priority(Priority.CRITICAL).job());

        assertThat(claims("n1").exchange(List.of(), 10).claimed())
                .extracting(ClaimedJob::id)
                .containsExactly(critical, normal, low);
    }

    @Test
    void aNodeThatHoldsJobsThatRunAloneLeavesOthersAndFindsThemLater() {
        store().enqueue(List.of(job("a"), job("a")));
        dieRunning(2);
        dieRunning(2);
        JobId ordinary = enqueue(job("a"));
        ClaimSession node = claims("n1");

        assertThat(node.exchange(List.of(), 10, false).claimed())
                .extracting(ClaimedJob::id)
                .containsExactly(ordinary);
        assertThat(node.exchange(List.of(), 10, false).claimed()).isEmpty();
        assertThat(node.exchange(List.of(), 10, true).claimed()).hasSize(2).allMatch(ClaimedJob::runsAlone);
    }

    /** A node claims so many jobs, writes that they run, and dies. */
    private void dieRunning(int jobs) {
        store().markRunning(claims("dead", EXPIRED).exchange(List.of(), jobs).claimed().stream()
                .map(job -> new Start(job.claim(), 3, 5, 0))
                .toList());
        assertThat(recoverExpired()).hasSize(jobs);
    }

    @Test
    void aDelayedJobBecomesDueByTheDatabasesClock() throws InterruptedException {
        enqueue(JobDraft.named("a").delay(Duration.ofMillis(150)).job());
        ClaimSession node = claims("n1");

        Exchange early = node.exchange(List.of(), 5);
        assertThat(early.claimed()).isEmpty();
        assertThat(early.nextDue())
                .hasValueSatisfying(due -> assertThat(due).isLessThanOrEqualTo(Duration.ofMillis(150)));

        List<ClaimedJob> claimed = List.of();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (claimed.isEmpty() && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(10);
            claimed = node.exchange(List.of(), 5).claimed();
        }
        assertThat(claimed).hasSize(1);
    }

    @Test
    void aNodeTakesOnlyItsLanesAndNames() {
        JobId any = enqueue(job("known"));
        JobId general = enqueue(JobDraft.named("known")
                .lane("default", "general")
                .priority(Priority.NORMAL)
                .job());
        enqueue(JobDraft.named("known")
                .lane("default", "gpu")
                .priority(Priority.CRITICAL)
                .job());
        enqueue(JobDraft.named("known")
                .lane("mail", "")
                .priority(Priority.CRITICAL)
                .job());
        enqueue(job("unknown"));
        ClaimSession node =
                store().openClaims(new ClaimScope("n1", Set.of("default"), Set.of("general"), Set.of("known"), LEASE));

        assertThat(node.exchange(List.of(), 10).claimed())
                .extracting(ClaimedJob::id)
                .containsExactlyInAnyOrder(any, general);
        assertThat(node.exchange(List.of(), 10).claimed()).isEmpty();
        ClaimSession everyQueue = store().openClaims(new ClaimScope("n2", null, Set.of("gpu"), null, LEASE));
        assertThat(everyQueue.exchange(List.of(), 10).claimed()).hasSize(3);
    }

    @Test
    void manyClaimersTakeEachJobOnceAndNeverMoreThanAsked() throws Exception {
        int jobs = 2_000;
        int limit = 7;
        store().enqueue(IntStream.range(0, jobs).mapToObj(i -> job("a")).toList());

        List<JobId> claimed = Collections.synchronizedList(new ArrayList<>());
        inParallel(8, i -> {
            ClaimSession node = claims("n" + i);
            while (claimed.size() < jobs) {
                List<ClaimedJob> batch = node.exchange(List.of(), limit).claimed();
                assertThat(batch).hasSizeLessThanOrEqualTo(limit);
                batch.forEach(job -> claimed.add(job.id()));
            }
            return null;
        });

        assertThat(claimed).hasSize(jobs).doesNotHaveDuplicates();
    }

    @Test
    void tokensOfAJobAscendWithEveryClaim() {
        enqueue(job("a"));
        long last = 0;
        for (int i = 0; i < 5; i++) {
            ClaimedJob claimed = claimOne("n" + i, LEASE);
            assertThat(claimed.claim().token()).isGreaterThan(last);
            last = claimed.claim().token();
            write(new Outcome.Released(claimed.claim()));
        }
    }

    @Test
    void aCompletionIsAcceptedOnceAndRecognisedWhenRepeated() {
        JobId id = enqueue(job("a"));
        ClaimedJob claimed = claimOne("n1", LEASE);
        Outcome done = new Outcome.Completed(claimed.claim(), "{\"x\": 1}");

        assertThat(write(done).rejected()).isEmpty();
        assertThat(write(done).rejected()).isEmpty();

        assertThat(find(id).status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(find(id).result()).contains("{\"x\": 1}");
        assertThat(find(id).attempt()).isEqualTo(1);
    }

    @Test
    void aStaleClaimCanDoNothing() {
        JobId id = enqueue(job("a"));
        ClaimRef stale = claimOne("n1", EXPIRED).claim();
        assertThat(recoverExpired()).hasSize(1);
        ClaimRef current = claimOne("n2", LEASE).claim();

        assertThat(write(new Outcome.Completed(stale, null)).rejected()).containsExactly(stale);
        assertThat(write(new Outcome.Failed(stale, "no")).rejected()).containsExactly(stale);
        assertThat(write(new Outcome.Retried(stale, "no", Duration.ZERO)).rejected())
                .containsExactly(stale);
        assertThat(write(new Outcome.Released(stale)).rejected()).containsExactly(stale);
        assertThat(write(new Outcome.Cancelled(stale, "no")).rejected()).containsExactly(stale);
        assertThat(store().renew(List.of(stale), LEASE).lost()).containsExactly(stale);
        assertThat(store().markRunning(List.of(new Start(stale, 3, 5, 0))).lost())
                .containsExactly(stale);

        assertThat(find(id).status()).isEqualTo(JobStatus.CLAIMED);
        assertThat(find(id).node()).contains("n2");
        assertThat(write(new Outcome.Completed(current, null)).rejected()).isEmpty();
    }

    @Test
    void oneRefusedOutcomeFailsItsOwnJobAndNoOther() {
        int count = 20;
        store().enqueue(IntStream.range(0, count).mapToObj(i -> job("a")).toList());
        List<ClaimedJob> claimed = claims("n1").exchange(List.of(), count).claimed();
        List<Outcome> outcomes = new ArrayList<>();
        for (ClaimedJob job : claimed) {
            outcomes.add(new Outcome.Completed(job.claim(), "{\"ok\": true}"));
        }
        outcomes.set(7, new Outcome.Completed(claimed.get(7).claim(), "{\"bad\": \"\\u0000\"}"));
        outcomes.set(13, new Outcome.Failed(claimed.get(13).claim(), "nul \0 in a message"));
        enqueue(job("next"));

        Exchange exchange = claims("n1").exchange(outcomes, 5);

        assertThat(exchange.rejected()).isEmpty();
        assertThat(find(claimed.get(7).id()).status()).isEqualTo(JobStatus.FAILED);
        assertThat(find(claimed.get(7).id()).error())
                .hasValueSatisfying(e -> assertThat(e).contains("refused"));
        assertThat(find(claimed.get(13).id()).status()).isEqualTo(JobStatus.FAILED);
        assertThat(store().list(JobQuery.all().status(JobStatus.COMPLETED))).hasSize(count - 2);
    }

    @Test
    void aRetryKeepsItsAttemptAndWaits() {
        JobId id = enqueue(job("a"));
        ClaimRef claim = claimOne("n1", LEASE).claim();

        write(new Outcome.Retried(claim, "boom", Duration.ofHours(1)));

        JobInfo job = find(id);
        assertThat(job.status()).isEqualTo(JobStatus.PENDING);
        assertThat(job.attempt()).isEqualTo(1);
        assertThat(job.error()).contains("boom");
        assertThat(claims("n1").exchange(List.of(), 1).claimed()).isEmpty();
    }

    @Test
    void aReleasedJobCountsNothingAndGoesFirstInItsPriority() {
        JobId released = enqueue(job("a"));
        ClaimRef claim = claimOne("n1", LEASE).claim();
        store().enqueue(IntStream.range(0, 50).mapToObj(i -> job("a")).toList());
        JobId high = enqueue(JobDraft.named("a").priority(Priority.HIGH).job());
        ClaimSession other = claims("n2");
        assertThat(other.exchange(List.of(), 1).claimed())
                .extracting(ClaimedJob::id)
                .containsExactly(high);

        Exchange exchange = write(new Outcome.Released(claim));

        assertThat(exchange.returned()).containsExactly(DEFAULT);
        assertThat(find(released).attempt()).isZero();
        ClaimedJob next = other.exchange(List.of(), 1).claimed().get(0);
        assertThat(next.id()).isEqualTo(released);
        assertThat(next.attempt()).isEqualTo(1);
        assertThat(next.suspect()).isFalse();
    }

    @Test
    void aDeadClaimIsChargedOnlyIfItsStartWasWritten() {
        JobId buffered = enqueue(job("a"));
        JobId running = enqueue(job("a"));
        List<ClaimedJob> claimed =
                claims("dead", EXPIRED).exchange(List.of(), 2).claimed();
        ClaimRef started = claimed.stream()
                .filter(j -> j.id().equals(running))
                .findFirst()
                .orElseThrow()
                .claim();
        Marked marked = store().markRunning(List.of(new Start(started, 3, 5, 0)));
        assertThat(marked.running()).containsExactly(started);

        List<Recovered> recovered = recoverExpired();

        assertThat(recovered).extracting(Recovered::node).containsOnly("dead");
        assertThat(find(buffered).crashes()).isZero();
        assertThat(find(running).crashes()).isEqualTo(1);
        assertThat(find(running).attempt()).isZero();
    }

    @Test
    void whatMayHaveStartedUnseenIsASuspectAndWhatHasCrashedTwiceRunsAlone() {
        enqueue(job("a"));
        claims("dead", EXPIRED).exchange(List.of(), 1);
        recoverExpired();
        ClaimedJob unseen = claimOne("dead", EXPIRED);
        assertThat(unseen.suspect()).isTrue();
        assertThat(unseen.runsAlone()).isFalse();

        store().markRunning(List.of(new Start(unseen.claim(), 3, 5, 0)));
        recoverExpired();
        assertThat(claimOne("n2", LEASE).runsAlone()).isTrue();
    }

    @Test
    void whatWasSeenRunningIsNoSuspectTheFirstTime() {
        enqueue(job("a"));
        dieRunning(1);
        ClaimedJob again = claimOne("dead", EXPIRED);
        assertThat(again.suspect()).isFalse();
        assertThat(again.crashes()).isEqualTo(1);

        store().markRunning(List.of(new Start(again.claim(), 3, 5, 0)));
        recoverExpired();
        assertThat(claimOne("n2", LEASE).runsAlone()).isTrue();
    }

    @Test
    void tooManyCrashesMakeADeadLetter() {
        JobId id = enqueue(JobDraft.named("a").maxAttempts(3).maxCrashes(2).job());
        for (int crash = 1; crash <= 2; crash++) {
            ClaimRef claim = claimOne("n" + crash, EXPIRED).claim();
            store().markRunning(List.of(new Start(claim, 3, 2, 0)));
            recoverExpired();
        }
        assertThat(find(id).status()).isEqualTo(JobStatus.FAILED);
        assertThat(find(id).crashes()).isEqualTo(2);
        assertThat(find(id).error())
                .hasValueSatisfying(e -> assertThat(e).contains("n2").contains("died"));
    }

    @Test
    void aJobThatMayBeTriedOnceEndsWithItsFirstCrash() {
        JobId id = enqueue(JobDraft.named("pay").maxAttempts(1).job());
        ClaimRef claim = claimOne("n1", EXPIRED).claim();
        store().markRunning(List.of(new Start(claim, 1, 0, 0)));

        recoverExpired();

        assertThat(find(id).status()).isEqualTo(JobStatus.FAILED);
    }

    @Test
    void aRenewedLeaseIsNotRecovered() {
        enqueue(job("a"));
        ClaimRef claim = claimOne("n1", EXPIRED).claim();

        assertThat(store().renew(List.of(claim), LEASE)).isEqualTo(new Renewal(Set.of(), Set.of(), Set.of()));

        assertThat(recoverExpired()).isEmpty();
    }

    @Test
    void theSameKeyFromManyThreadsGivesOneJob() throws Exception {
        Set<JobId> ids = Collections.synchronizedSet(new HashSet<>());
        inParallel(20, i -> ids.add(enqueue(keyed("a", "order-42", "{\"x\": 1, \"y\": 2}"))));

        assertThat(ids).hasSize(1);
        assertThat(store().list(JobQuery.all())).hasSize(1);

        write(new Outcome.Completed(claimOne("n1", LEASE).claim(), null));
        assertThat(enqueue(keyed("a", "order-42", "{\"y\":2,\"x\":1}")))
                .isEqualTo(ids.iterator().next());
        assertThat(store().list(JobQuery.all())).hasSize(1);
    }

    @Test
    void otherArgsUnderTheSameKeyAreRefusedAndNothingIsWritten() {
        JobId first = enqueue(keyed("a", "k", "{\"x\": 1}"));

        assertThatThrownBy(() -> store().enqueue(List.of(job("b"), keyed("a", "k", "{\"x\": 2}"))))
                .isInstanceOfSatisfying(
                        KeyConflict.class, e -> assertThat(e.existing()).isEqualTo(first))
                .hasMessageContaining("'k'");

        assertThat(store().list(JobQuery.all())).hasSize(1);
        assertThat(enqueue(keyed("b", "k", "{\"x\": 2}"))).isNotEqualTo(first);
    }

    @Test
    void aKeyTwiceInOneBatchIsOneJob() {
        List<JobId> ids = store().enqueue(List.of(keyed("a", "k", "{}"), keyed("a", "k", "{}"), job("a")));

        assertThat(ids.get(0)).isEqualTo(ids.get(1));
        assertThat(store().list(JobQuery.all())).hasSize(2);
    }

    @Test
    void anIdSentAgainIsOneJobLiveOrEnded() {
        JobId id = JobId.next();
        NewJob given = JobDraft.named("a").id(id).job();
        enqueue(given);
        enqueue(given);
        assertThat(store().list(JobQuery.all())).hasSize(1);

        write(new Outcome.Completed(claimOne("n1", LEASE).claim(), null));
        enqueue(given);

        assertThat(store().list(JobQuery.all())).extracting(JobInfo::status).containsExactly(JobStatus.COMPLETED);
    }

    @Test
    void anEnqueueInATransactionThatRollsBackLeavesNothing() throws SQLException {
        try (Connection connection = transaction()) {
            store().enqueue(connection, List.of(job("a"), keyed("a", "k", "{}")));
            connection.rollback();
        }
        assertThat(store().list(JobQuery.all())).isEmpty();

        try (Connection connection = transaction()) {
            store().enqueue(connection, List.of(keyed("a", "k", "{}")));
            assertThat(claims("n1").exchange(List.of(), 1).claimed()).isEmpty();
            connection.commit();
        }
        assertThat(claims("n1").exchange(List.of(), 1).claimed()).hasSize(1);
    }

    @Test
    void aRefusedEnqueueLeavesNothingInATransactionThatIsCommittedAllTheSame() throws SQLException {
        enqueue(keyed("a", "taken", "{\"x\": 1}"));
        try (Connection connection = transaction()) {
            List<NewJob> refused = List.of(keyed("a", "fresh", "{}"), keyed("a", "taken", "{\"x\": 2}"));
            assertThatThrownBy(() -> store().enqueue(connection, refused)).isInstanceOf(KeyConflict.class);
            connection.commit();
        }
        JobId fresh = enqueue(keyed("a", "fresh", "{\"other\": true}"));
        assertThat(find(fresh).status()).isEqualTo(JobStatus.PENDING);
        assertThat(store().list(JobQuery.all())).hasSize(2);
    }

    @Test
    void cancelEndsWhatIsPendingAndAsksWhatRuns() {
        JobId pending = enqueue(job("a"));
        assertThat(store().cancel(pending)).isEqualTo(Cancellation.CANCELLED);
        assertThat(store().cancel(pending)).isEqualTo(Cancellation.ALREADY_ENDED);
        assertThat(store().cancel(JobId.next())).isEqualTo(Cancellation.NOT_FOUND);
        assertThat(find(pending).status()).isEqualTo(JobStatus.CANCELLED);

        enqueue(job("a"));
        ClaimRef claim = claimOne("n1", LEASE).claim();
        assertThat(store().cancel(claim.id())).isEqualTo(Cancellation.REQUESTED);
        assertThat(store().inspect(List.of(claim)).cancelled()).containsExactly(claim);
        assertThat(store().renew(List.of(claim), LEASE).cancelled()).containsExactly(claim);
        write(new Outcome.Cancelled(claim, "asked to"));
        assertThat(find(claim.id()).status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void aJobThatIsCancelledWhileItIsHandedBackEndsAsCancelled() {
        enqueue(job("a"));
        ClaimRef claim = claimOne("n1", LEASE).claim();
        store().cancel(claim.id());

        assertThat(write(new Outcome.Retried(claim, "boom", Duration.ofHours(1)))
                        .rejected())
                .isEmpty();

        assertThat(find(claim.id()).status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(find(claim.id()).error()).contains("boom");
    }

    @Test
    void aCancelledJobWhoseNodeDiedEndsAsCancelled() {
        JobId id = enqueue(job("a"));
        claimOne("n1", EXPIRED);
        store().cancel(id);

        recoverExpired();

        assertThat(find(id).status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void aDeadLetterCanBeRetriedWithACleanSlate() {
        JobId id = enqueue(job("a"));
        write(new Outcome.Failed(claimOne("n1", LEASE).claim(), "boom"));

        assertThat(store().retry(id)).contains(DEFAULT);

        assertThat(find(id).status()).isEqualTo(JobStatus.PENDING);
        assertThat(claimOne("n1", LEASE).attempt()).isEqualTo(1);
        assertThat(store().retry(id)).isEmpty();
    }

    @Test
    void completionInTheHandlersTransactionIsAllOrNothing() throws SQLException {
        enqueue(job("a"));
        ClaimRef claim = claimOne("n1", LEASE).claim();

        try (Connection connection = transaction()) {
            assertThat(store().completeIn(connection, claim, "1")).isTrue();
            assertThat(store().completionOf(claim)).isEqualTo(CompletionState.OPEN);
            connection.rollback();
        }
        assertThat(store().completionOf(claim)).isEqualTo(CompletionState.ROLLED_BACK);

        try (Connection connection = transaction()) {
            assertThat(store().completeIn(connection, claim, "1")).isTrue();
            connection.commit();
        }
        assertThat(store().completionOf(claim)).isEqualTo(CompletionState.COMMITTED);
        assertThat(find(claim.id()).status()).isEqualTo(JobStatus.COMPLETED);
        try (Connection connection = transaction()) {
            assertThat(store().completeIn(connection, claim, "1")).isFalse();
        }
    }

    @Test
    void anOpenCompletionDelaysNobodyElse() throws SQLException {
        store().enqueue(List.of(job("a"), job("a"), job("a")));
        List<ClaimedJob> claimed = claims("n1", EXPIRED).exchange(List.of(), 3).claimed();
        ClaimRef open = claimed.get(0).claim();
        ClaimRef other = claimed.get(1).claim();
        try (Connection connection = transaction()) {
            store().completeIn(connection, open, null);

            assertThat(store().renew(List.of(open, other), LEASE))
                    .isEqualTo(new Renewal(Set.of(), Set.of(), Set.of(open)));
            Marked marked = store().markRunning(List.of(new Start(open, 3, 5, 0), new Start(other, 3, 5, 0)));
            assertThat(marked).isEqualTo(new Marked(Set.of(other), Set.of()));
            assertThat(recoverExpired())
                    .extracting(Recovered::id)
                    .containsExactly(claimed.get(2).id());
            assertThat(store().cancel(open.id())).isEqualTo(Cancellation.COMPLETING);
            assertThat(write(new Outcome.Completed(other, null)).rejected()).isEmpty();
            connection.commit();
        }
        assertThat(find(open.id()).status()).isEqualTo(JobStatus.COMPLETED);
    }

    /** Runs a task on so many threads at once and fails with the first failure. */
    protected static <T> void inParallel(int threads, java.util.function.IntFunction<T> task) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            CountDownLatch start = new CountDownLatch(1);
            List<Future<T>> results = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int number = i;
                Callable<T> call = () -> {
                    start.await();
                    return task.apply(number);
                };
                results.add(pool.submit(call));
            }
            start.countDown();
            for (Future<T> result : results) {
                result.get(60, TimeUnit.SECONDS);
            }
        } finally {
            pool.shutdownNow();
        }
    }
}
