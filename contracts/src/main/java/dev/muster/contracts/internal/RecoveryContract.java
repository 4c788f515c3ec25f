package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.internal.access.TimeStore;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimStore.Marked;
import dev.muster.internal.job.store.ClaimStore.Renewal;
import dev.muster.internal.job.store.ClaimStore.Start;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.JobStore;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Recovery in every {@link JobStore}: what happens to claims of dead nodes, and which jobs are charged a crash. */
abstract class RecoveryContract extends JobStoreContract {

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
        Marked marked = store().claims().markRunning(List.of(new Start(started, 3, 5, 0)));
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

        store().claims().markRunning(List.of(new Start(unseen.claim(), 3, 5, 0)));
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

        store().claims().markRunning(List.of(new Start(again.claim(), 3, 5, 0)));
        recoverExpired();
        assertThat(claimOne("n2", LEASE).runsAlone()).isTrue();
    }

    @Test
    void tooManyCrashesMakeADeadLetter() {
        JobId id = enqueue(JobDraft.named("a").maxAttempts(3).maxCrashes(2).job());
        for (int crash = 1; crash <= 2; crash++) {
            ClaimRef claim = claimOne("n" + crash, EXPIRED).claim();
            store().claims().markRunning(List.of(new Start(claim, 3, 2, 0)));
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
        store().claims().markRunning(List.of(new Start(claim, 1, 0, 0)));

        recoverExpired();

        assertThat(find(id).status()).isEqualTo(JobStatus.FAILED);
    }

    @Test
    void aRenewedLeaseIsNotRecovered() {
        enqueue(job("a"));
        ClaimRef claim = claimOne("n1", EXPIRED).claim();

        assertThat(store().claims().renew(List.of(claim), LEASE)).isEqualTo(new Renewal(Set.of(), Set.of(), Set.of()));

        assertThat(recoverExpired()).isEmpty();
    }

    /** A node that does not know yet that it has lost a job must not keep it from others when its new holder dies. */
    @Test
    void aStaleClaimExtendsNobodysLease() {
        JobId id = enqueue(job("a"));
        ClaimRef stale = claimOne("n1", EXPIRED).claim();
        assertThat(recoverExpired()).hasSize(1);
        claimOne("n2", EXPIRED);

        assertThat(store().claims().renew(List.of(stale), LEASE).lost()).containsExactly(stale);

        assertThat(recoverExpired()).extracting(Recovered::id).containsExactly(id);
    }

    /** The clock may have been set since, and then its holder has had no time to renew it. */
    @Test
    void aLeaseThatEndedAfterTheTimeNamedIsLeftAlone() {
        JobId id = enqueue(job("a"));
        claims("n1", EXPIRED).exchange(List.of(), 1);
        Instant now = now();

        assertThat(recoverExpired(now.minus(Duration.ofHours(1)), false)).isEmpty();
        assertThat(recoverExpired(now.minus(Duration.ofHours(1)), true)).isEmpty();

        assertThat(recoverExpired(now, true)).extracting(Recovered::id).containsExactly(id);
    }

    @Test
    void ofJobsThatWereClaimedTogetherOnlyThoseAreTakenBackWhoseLeasesHadEnded() {
        enqueue(job("a"));
        enqueue(job("a"));
        List<ClaimedJob> both = claims("n1", EXPIRED).exchange(List.of(), 2).claimed();
        Instant looked = now();
        assertThat(store().claims()
                        .renew(List.of(both.get(1).claim()), Duration.ofMillis(1))
                        .lost())
                .isEmpty();
        await().until(() -> now().isAfter(looked.plusMillis(5)));

        assertThat(recoverExpired(looked, true))
                .extracting(Recovered::id)
                .containsExactly(both.get(0).claim().id());

        assertThat(recoverExpired(now(), true))
                .extracting(Recovered::id)
                .containsExactly(both.get(1).claim().id());
    }

    private Instant now() {
        return store().port(TimeStore.class).now();
    }

    private List<Recovered> recoverExpired(Instant endedBefore, boolean everything) {
        return inTransaction(tx -> store().recovery().recoverExpired(tx, endedBefore, 10, everything));
    }

    @Test
    void aCancelledJobWhoseNodeDiedEndsAsCancelled() {
        JobId id = enqueue(job("a"));
        claimOne("n1", EXPIRED);
        store().jobs().cancel(id);

        recoverExpired();

        assertThat(find(id).status()).isEqualTo(JobStatus.CANCELLED);
    }
}
