package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimStore.Start;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.JobReader;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.maintenance.MaintenanceStore;
import dev.muster.internal.maintenance.MaintenanceStore.Days;
import dev.muster.internal.maintenance.MaintenanceStore.Dropped;
import dev.muster.job.JobAttempt;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which attempts of a job {@link JobReader#attempts} shows. */
abstract class AttemptContract extends JobStoreContract {
    private static final Duration RAN = Duration.ofMillis(1_500);

    private List<JobAttempt> attempts(JobId id) {
        return store().jobReader().attempts(id, 100);
    }

    private ClaimRef claim(String node) {
        return claimOne(node, LEASE).claim();
    }

    private static Outcome retried(ClaimRef claim, String error) {
        return new Outcome.Retried(claim, error, Duration.ZERO, RAN, null, null);
    }

    private Dropped dropDays(Duration retain) {
        Dropped last;
        do {
            last = store().leaders()
                    .unfenced(tx -> store().port(MaintenanceStore.class).dropOldestDay(tx, Days.ATTEMPTS, retain));
        } while (last == Dropped.ONE);
        return last;
    }

    @Test
    void threeFailedAttemptsAreShownWithTheirNodeTimeAndError() {
        JobId id = enqueue(job("a"));
        write(retried(claim("n1"), "first"));
        write(retried(claim("n2"), "second"));
        assertThat(attempts(id)).hasSize(2);
        write(new Outcome.Failed(claim("n3"), "third", RAN));

        assertThat(attempts(id)).extracting(JobAttempt::attempt).containsExactly(1, 2, 3);
        assertThat(attempts(id)).extracting(each -> each.node().orElseThrow()).containsExactly("n1", "n2", "n3");
        assertThat(attempts(id))
                .extracting(each -> each.error().orElseThrow())
                .containsExactly("first", "second", "third");
        assertThat(attempts(id))
                .extracting(JobAttempt::outcome)
                .containsExactly(JobAttempt.Outcome.RETRIED, JobAttempt.Outcome.RETRIED, JobAttempt.Outcome.FAILED);
        assertThat(attempts(id))
                .allSatisfy(each -> assertThat(Duration.between(each.startedAt().orElseThrow(), each.endedAt()))
                        .isBetween(RAN, RAN.plusSeconds(5)));
        assertThat(attempts(id)).extracting(JobAttempt::endedAt).isSorted();
    }

    @Test
    void theLastAttemptIsThatOfHistoryWithoutTheErrorOfAnEarlierOne() {
        JobId id = enqueue(job("a"));
        write(retried(claim("n1"), "first"));
        write(new Outcome.Completed(claim("n2"), null, RAN));

        assertThat(attempts(id))
                .extracting(JobAttempt::outcome)
                .containsExactly(JobAttempt.Outcome.RETRIED, JobAttempt.Outcome.COMPLETED);
        assertThat(attempts(id).get(1).error()).isEmpty();
    }

    @Test
    void onlyTheNewestAreReadIfThereAreMany() {
        JobId id = enqueue(job("a"));
        for (int i = 0; i < 5; i++) {
            write(new Outcome.Snoozed(claim("n"), Duration.ZERO, "reason " + i));
        }
        write(new Outcome.Completed(claim("n"), null));

        assertThat(store().jobReader().attempts(id, 3))
                .extracting(each -> each.error().orElse("none"))
                .containsExactly("reason 3", "reason 4", "none");
    }

    @Test
    void aSnoozeIsShownWithItsReasonAndHasTheNumberOfTheNextAttempt() {
        JobId id = enqueue(job("a"));
        write(new Outcome.Snoozed(claim("n1"), Duration.ZERO, null, RAN));
        write(new Outcome.Snoozed(claim("n2"), Duration.ZERO, "no key"));

        assertThat(attempts(id)).extracting(JobAttempt::outcome).containsOnly(JobAttempt.Outcome.SNOOZED);
        assertThat(attempts(id)).extracting(JobAttempt::attempt).containsExactly(1, 1);
        assertThat(attempts(id).get(0).error()).isEmpty();
        assertThat(attempts(id).get(0).startedAt()).isPresent();
        assertThat(attempts(id).get(1).error()).contains("no key");
        assertThat(attempts(id).get(1).startedAt())
                .as("its handler was not entered")
                .isEmpty();
    }

    @Test
    void aJobThatSnoozesForeverIsKeptOnceAnHourForEachReason() {
        JobId id = enqueue(job("a"));
        for (int i = 0; i < 3; i++) {
            write(new Outcome.Snoozed(claim("n"), Duration.ZERO, null, RAN));
            write(new Outcome.Snoozed(claim("n"), Duration.ZERO, "no key"));
        }
        assertThat(attempts(id)).extracting(each -> each.error().orElse("none")).containsExactly("none", "no key");

        advance(Duration.ofMinutes(61));
        write(new Outcome.Snoozed(claim("n"), Duration.ZERO, "no key"));
        assertThat(attempts(id))
                .extracting(each -> each.error().orElse("none"))
                .containsExactly("none", "no key", "no key");
        write(retried(claim("n"), "no key"));
        write(retried(claim("n"), "no key"));
        assertThat(attempts(id)).as("attempts that count are all kept").hasSize(5);
    }

    @Test
    void aClaimThatIsGivenBackUnstartedIsNoAttempt() {
        JobId id = enqueue(job("a"));
        write(new Outcome.Released(claim("n1")));
        store().claims().release(List.of(claim("n2")));

        assertThat(attempts(id)).isEmpty();
    }

    @Test
    void aHandlerThatStoppedWithItsNodeIsShown() {
        JobId id = enqueue(job("a"));
        write(new Outcome.Released(claim("n1"), RAN));
        ClaimRef running = claim("n2");
        store().claims().markRunning(List.of(new Start(running, 3, 5, 0)));
        store().claims().release(List.of(running));

        assertThat(attempts(id)).extracting(each -> each.node().orElseThrow()).containsExactly("n1", "n2");
        assertThat(attempts(id)).extracting(JobAttempt::outcome).containsOnly(JobAttempt.Outcome.RELEASED);
    }

    @Test
    void whatADeadNodeHeldIsShownAsLost() {
        JobId id = enqueue(job("a"));
        dieRunning(1);
        assertThat(attempts(id)).singleElement().satisfies(lost -> {
            assertThat(lost.outcome()).isEqualTo(JobAttempt.Outcome.LOST);
            assertThat(lost.node()).contains("dead");
            assertThat(lost.attempt()).isEqualTo(1);
            assertThat(lost.startedAt()).isPresent();
            assertThat(lost.error()).contains("node dead died running it");
        });

        claimOne("unseen", EXPIRED);
        recoverExpired();
        assertThat(attempts(id)).hasSize(2);
        assertThat(attempts(id).get(1).error().orElseThrow()).contains("unseen").contains("not known");
        assertThat(attempts(id).get(1).startedAt()).isEmpty();
    }

    @Test
    void aHandlerThatEndedItsNodeIsShownAsCrashed() {
        JobId id = enqueue(job("a"));
        ClaimedJob claimed = claimOne("n1", LEASE);
        store().claims().crashed(List.of(new Start(claimed.claim(), 3, 5, 0)));

        assertThat(attempts(id)).singleElement().satisfies(crashed -> {
            assertThat(crashed.outcome()).isEqualTo(JobAttempt.Outcome.CRASHED);
            assertThat(crashed.error().orElseThrow()).contains("System.exit").contains("n1");
        });
    }

    @Test
    void anOutcomeThatComesTooLateLeavesNothing() {
        JobId id = enqueue(job("a"));
        ClaimRef stale = claimOne("frozen", EXPIRED).claim();
        recoverExpired();
        write(retried(stale, "too late"));
        write(new Outcome.Completed(claim("n2"), null));

        assertThat(attempts(id))
                .extracting(JobAttempt::outcome)
                .containsExactly(JobAttempt.Outcome.LOST, JobAttempt.Outcome.COMPLETED);
    }

    @Test
    void aRetryOnRequestForgetsNoAttempt() {
        JobId id = enqueue(job("a"));
        write(retried(claim("n1"), "first"));
        write(new Outcome.Failed(claim("n2"), "second", RAN));

        assertThat(store().jobs().retry(id)).isPresent();
        assertThat(find(id).status()).isEqualTo(JobStatus.PENDING);
        assertThat(attempts(id)).extracting(each -> each.error().orElseThrow()).containsExactly("first", "second");
        write(new Outcome.Completed(claim("n3"), null));

        assertThat(attempts(id))
                .extracting(JobAttempt::outcome)
                .containsExactly(JobAttempt.Outcome.RETRIED, JobAttempt.Outcome.FAILED, JobAttempt.Outcome.COMPLETED);
    }

    @Test
    void aRetryOfAJobThatEndedLongAgoWorksWithoutAPartitionForItsAttempt() {
        JobId id = enqueue(job("a"));
        write(new Outcome.Failed(claim("n1"), "long ago", RAN));
        advance(Duration.ofDays(5));
        dropDays(Duration.ofDays(1));

        assertThat(store().jobs().retry(id)).isPresent();
        assertThat(attempts(id)).isEmpty();
    }

    @Test
    void aJobThatNobodyClaimedHasNoAttempt() {
        JobId id = enqueue(job("a"));
        store().jobs().cancel(id);

        assertThat(find(id).status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(attempts(id)).isEmpty();
    }

    @Test
    void attemptsAreDroppedByTheirRetention() {
        JobId id = enqueue(job("a"));
        write(retried(claim("n1"), "old"));
        advance(Duration.ofDays(3));
        write(retried(claim("n1"), "recent"));

        assertThat(dropDays(Duration.ofDays(7))).isEqualTo(Dropped.NONE);
        assertThat(attempts(id)).hasSize(2);
        assertThat(dropDays(Duration.ofDays(1))).isEqualTo(Dropped.NONE);

        assertThat(attempts(id)).extracting(each -> each.error().orElseThrow()).containsExactly("recent");
    }

    @Test
    void aRecoveryThatComesBeforeItsDayIsPreparedWorks() {
        JobId id = enqueue(job("a"));
        claimOne("dead", LEASE);
        advance(Duration.ofDays(30));

        assertThat(recoverExpired()).hasSize(1);
        assertThat(find(id).status()).isEqualTo(JobStatus.PENDING);
        write(retried(claim("n1"), "the day is prepared now"));
        assertThat(attempts(id)).hasSize(1);
    }
}
