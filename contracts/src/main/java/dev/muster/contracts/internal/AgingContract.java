package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.maintenance.AgingStore;
import dev.muster.internal.maintenance.AgingStore.Lifted;
import dev.muster.internal.maintenance.AgingStore.RankedLane;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.job.Priority;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A job that nobody claims rises by one priority for each period that it waits, and keeps the priority that was asked for. */
abstract class AgingContract extends JobStoreContract {
    private static final Duration AGE = Duration.ofMinutes(15);

    private AgingStore aging() {
        return store().port(AgingStore.class);
    }

    private JobId enqueue(Priority priority) {
        return enqueue(JobDraft.named("a").priority(priority).job());
    }

    /** Searches, and lifts in all lanes; returns how many jobs were lifted. */
    private int pass(int most) {
        Map<Integer, List<RankedLane>> ranked =
                aging().findWaiting(AGE).stream().collect(Collectors.groupingBy(RankedLane::rank));
        return ranked.values().stream().mapToInt(of -> lift(of, most).jobs()).sum();
    }

    private Lifted lift(List<RankedLane> ranked, int most) {
        return inTransaction(tx -> aging().lift(tx, ranked, AGE, most));
    }

    private Optional<Priority> liftedTo(JobId id) {
        JobInfo job = find(id);
        assertThat(job.priority()).isEqualTo(Priority.BACKGROUND);
        return job.liftedTo();
    }

    private List<JobId> claimAll() {
        return claims("n").exchange(List.of(), 100).claimed().stream()
                .map(ClaimedJob::id)
                .toList();
    }

    @Test
    void aJobRisesByOnePriorityForEachPeriodUpToCritical() {
        JobId id = enqueue(Priority.BACKGROUND);
        Instant due = find(id).runAt();
        assertThat(pass(10)).isZero();
        for (Priority next : List.of(Priority.LOW, Priority.NORMAL, Priority.HIGH, Priority.CRITICAL)) {
            advance(AGE);
            assertThat(pass(10)).isEqualTo(1);
            assertThat(pass(10)).as("it has not waited with its new rank").isZero();
            assertThat(liftedTo(id)).contains(next);
        }
        advance(AGE.multipliedBy(100));

        assertThat(pass(10)).isZero();
        assertThat(liftedTo(id)).contains(Priority.CRITICAL);
        assertThat(find(id).runAt()).isEqualTo(due);
        assertThat(store().jobReader().list(JobQuery.all()))
                .extracting(JobInfo::liftedTo)
                .containsExactly(Optional.of(Priority.CRITICAL));
    }

    @Test
    void aJobThatWasLiftedIsClaimedBehindThoseOfItsNewPriorityAndBeforeLaterOnes() {
        JobId old = enqueue(Priority.BACKGROUND);
        // The cursors of this node pass the position that the job would have had.
        JobId high = enqueue(Priority.HIGH);
        assertThat(claims("n").exchange(List.of(), 1).claimed())
                .extracting(ClaimedJob::id)
                .containsExactly(high);
        advance(AGE);
        pass(10);
        advance(AGE);
        JobId before = enqueue(Priority.NORMAL);
        pass(10);
        JobId after = enqueue(Priority.NORMAL);

        assertThat(claimAll()).containsExactly(before, old, after);
    }

    @Test
    void theOldestAreLiftedFirstAndNoMoreThanAsked() {
        List<JobId> jobs = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            jobs.add(enqueue(Priority.BACKGROUND));
        }
        advance(AGE);
        List<RankedLane> ranked = aging().findWaiting(AGE);

        Lifted first = lift(ranked, 3);

        assertThat(first.jobs()).isEqualTo(3);
        assertThat(first.lanes()).containsExactly(DEFAULT);
        assertThat(jobs.stream().filter(id -> liftedTo(id).isPresent())).containsExactlyElementsOf(jobs.subList(0, 3));
        Lifted second = lift(first.next(), 3);
        assertThat(second.jobs()).isEqualTo(2);
        Lifted third = lift(second.next(), 3);
        assertThat(third.jobs()).isZero();
        assertThat(third.lanes()).isEmpty();
        // The lane stays known: what becomes old later is found there without a search.
        JobId later = enqueue(Priority.BACKGROUND);
        advance(AGE);
        assertThat(lift(third.next(), 3).jobs()).isEqualTo(1);
        assertThat(liftedTo(later)).contains(Priority.LOW);
    }

    @Test
    void lanesShareWhatIsLifted() {
        for (int i = 0; i < 10; i++) {
            enqueue(JobDraft.named("a").priority(Priority.LOW).job());
            enqueue(JobDraft.named("a")
                    .priority(Priority.LOW)
                    .lane("mail", "gpu")
                    .job());
        }
        advance(AGE);

        Lifted lifted = lift(aging().findWaiting(AGE), 6);

        assertThat(lifted.jobs()).isEqualTo(6);
        assertThat(lifted.lanes()).isEqualTo(Set.of(DEFAULT, new Lane("mail", "gpu")));
        assertThat(store().jobReader().list(JobQuery.all()).stream()
                        .filter(job -> job.liftedTo().isPresent())
                        .map(JobInfo::queue))
                .containsExactlyInAnyOrder("default", "default", "default", "mail", "mail", "mail");
        assertThat(lift(aging().findWaiting(AGE), 1).jobs())
                .as("fewer than lanes")
                .isEqualTo(1);
    }

    @Test
    void onlyDueJobsThatNobodyHoldsAreLifted() {
        JobId claimed = enqueue(Priority.BACKGROUND);
        assertThat(claimAll()).containsExactly(claimed);
        JobId delayed = enqueue(JobDraft.named("a")
                .priority(Priority.BACKGROUND)
                .delay(AGE.plus(AGE))
                .job());
        JobId waiting = enqueue(JobDraft.named("a")
                .priority(Priority.BACKGROUND)
                .dependsOn(List.of(claimed))
                .job());
        advance(AGE.plus(AGE).plusSeconds(1));
        assertThat(pass(10)).isZero();

        advance(AGE);

        assertThat(pass(10)).isEqualTo(1);
        assertThat(liftedTo(delayed)).contains(Priority.LOW);
        assertThat(liftedTo(claimed)).isEmpty();
        assertThat(liftedTo(waiting)).isEmpty();
    }

    @Test
    void nothingIsLiftedInAPausedQueue() {
        JobId id = enqueue(Priority.BACKGROUND);
        advance(AGE.multipliedBy(10));
        List<RankedLane> known = aging().findWaiting(AGE);
        store().queues().pause("default");

        assertThat(aging().findWaiting(AGE)).isEmpty();
        Lifted none = lift(known, 10);
        assertThat(none.jobs()).isZero();

        store().queues().resume("default");
        assertThat(lift(none.next(), 10).jobs()).isEqualTo(1);
        assertThat(liftedTo(id)).as("one step, however long it waited").contains(Priority.LOW);
    }

    @Test
    void aReleasedOrRecoveredJobStaysLiftedAndGoesFirstThere() {
        JobId id = enqueue(Priority.BACKGROUND);
        advance(AGE);
        pass(10);
        write(new Outcome.Released(claimOne("n", LEASE).claim()));
        assertThat(liftedTo(id)).contains(Priority.LOW);
        dieRunning(1);
        assertThat(liftedTo(id)).contains(Priority.LOW);
        advance(AGE);
        assertThat(pass(10)).isEqualTo(1);
        assertThat(liftedTo(id)).contains(Priority.NORMAL);
        JobId normal = enqueue(Priority.NORMAL);
        advance(AGE.dividedBy(2));

        assertThat(claims("n").exchange(List.of(), 1).claimed())
                .extracting(ClaimedJob::id)
                .containsExactly(id);
        assertThat(find(normal).status()).isEqualTo(JobStatus.PENDING);
    }

    @Test
    void aJobThatWasHandedBackReachesCriticalAtMost() {
        JobId id = enqueue(Priority.BACKGROUND);
        write(new Outcome.Released(claimOne("n", LEASE).claim()));
        for (int i = 0; i < 6; i++) {
            advance(AGE);
            pass(10);
        }

        assertThat(liftedTo(id)).contains(Priority.CRITICAL);
        assertThat(claimAll()).containsExactly(id);
    }

    @Test
    void aRetryStartsAtItsOwnPriorityAgain() {
        JobId id = enqueue(Priority.BACKGROUND);
        advance(AGE);
        pass(10);
        write(new Outcome.Retried(claimOne("n", LEASE).claim(), "boom", Duration.ofMinutes(1)));
        assertThat(liftedTo(id)).isEmpty();

        advance(AGE);
        assertThat(pass(10)).as("it has been due for a minute less").isZero();
        advance(Duration.ofMinutes(1));
        assertThat(pass(10)).isEqualTo(1);
    }

    @Test
    void anotherPriorityOrDueTimeTakesTheLiftAway() {
        JobId moved = enqueue(Priority.BACKGROUND);
        JobId raised = enqueue(Priority.BACKGROUND);
        advance(AGE);
        pass(10);
        advance(AGE);
        pass(10);

        store().jobs().reschedule(moved, Duration.ZERO, null);
        store().jobs().reprioritise(raised, Priority.HIGH);

        assertThat(liftedTo(moved)).isEmpty();
        assertThat(find(raised).liftedTo()).isEmpty();
        assertThat(claimAll()).containsExactly(raised, moved);
    }

    @Test
    void twoLeadersLiftEachJobOnce() throws Exception {
        for (int i = 0; i < 200; i++) {
            enqueue(Priority.BACKGROUND);
        }
        advance(AGE);
        List<RankedLane> ranked = aging().findWaiting(AGE);
        AtomicInteger lifted = new AtomicInteger();

        inParallel(4, n -> lifted.addAndGet(lift(ranked, 1_000).jobs()));

        lifted.addAndGet(pass(1_000));
        assertThat(lifted).hasValue(200);
        assertThat(store().jobReader().list(JobQuery.all()))
                .extracting(JobInfo::liftedTo)
                .containsOnly(Optional.of(Priority.LOW));
    }
}
