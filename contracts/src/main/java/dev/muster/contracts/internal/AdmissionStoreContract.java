package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.graph.GraphId;
import dev.muster.internal.graph.GraphStore;
import dev.muster.internal.job.store.AdmissionStore.PutInGroup;
import dev.muster.internal.job.store.ClaimStore.Start;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.Cancellation;
import dev.muster.job.ConcurrencyLimit;
import dev.muster.job.ExpiredJob;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRate;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.job.Priority;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Of a group at most a given number of jobs can be claimed at a time, and the next ones as soon as places are free. */
abstract class AdmissionStoreContract extends AdmissionContract {
    @Test
    void noMoreJobsOfAGroupThanItsLimitCanBeClaimed() {
        limit(3);
        List<JobId> ids = enqueue(GROUP, 5);

        List<ClaimedJob> claimed = claim();

        assertThat(ids(claimed)).containsExactlyElementsOf(ids.subList(0, 3));
        assertThat(claimed).allSatisfy(job -> {
            assertThat(job.concurrencyGroup()).isEqualTo(GROUP);
            assertThat(job.keepsPlace()).isTrue();
        });
        assertThat(find(ids.get(4)).status()).isEqualTo(JobStatus.WAITING);
        complete(claimed.get(1));
        assertThat(ids(claim())).containsExactly(ids.get(3));
        complete(claimed.get(0));
        complete(claimed.get(2));
        assertThat(ids(claim())).containsExactly(ids.get(4));
    }

    @Test
    void groupsDoNotLimitEachOtherNorPlainJobs() {
        limit(1);
        enqueue("key/mail/acme", 2);
        enqueue("key/mail/other", 2);
        enqueue("name/mail", 2);
        enqueue(job("mail"));

        List<ClaimedJob> claimed = claim();

        assertThat(claimed.stream().map(job -> String.valueOf(job.concurrencyGroup())))
                .containsExactlyInAnyOrder("key/mail/acme", "key/mail/other", "name/mail", "null");
        assertThat(claimed.stream().filter(job -> job.concurrencyGroup() == null))
                .noneMatch(ClaimedJob::keepsPlace);
    }

    @Test
    void withoutALimitOfTheHandlerAKeyRunsOneJobAtATimeAndAFairKeyTwoHundred() {
        enqueue("key/mail/acme", 2);
        enqueue("fair/acme", 201);

        List<ClaimedJob> claimed = claims("n").exchange(List.of(), 500).claimed();

        assertThat(claimed.stream().filter(job -> job.concurrencyGroup().startsWith("key/")))
                .hasSize(1);
        assertThat(claimed.stream().filter(job -> job.concurrencyGroup().startsWith("fair/")))
                .hasSize(200)
                .noneMatch(ClaimedJob::keepsPlace);
    }

    /** Their rows tell who runs: a job of a node that died is still admitted. */
    @Test
    void aJobOfADeadNodeKeepsItsPlaceAndGoesFirst() {
        limit(2);
        List<JobId> ids = enqueue(GROUP, 4);
        dieRunning(2);
        store().claims().admit(Set.of(GROUP));

        assertThat(ids(claim())).containsExactlyInAnyOrderElementsOf(ids.subList(0, 2));
    }

    /** A job that is shown as running leaves the index that claims walk, but not its place. */
    @Test
    void aJobThatIsShownAsRunningKeepsItsPlace() {
        limit(1);
        enqueue(GROUP, 2);
        ClaimedJob first = claim().get(0);
        store().claims().markRunning(List.of(new Start(first.claim(), 3, 5, 10)));
        admission().admit(Set.of(GROUP));
        assertThat(claim()).isEmpty();
        complete(first);
        assertThat(claim()).hasSize(1);
    }

    @Test
    void aReleasedJobKeepsItsPlace() {
        limit(1);
        List<JobId> ids = enqueue(GROUP, 2);
        ClaimedJob first = claim().get(0);
        end(first, new Outcome.Released(first.claim()));
        assertThat(ids(claim())).containsExactly(ids.get(0));
    }

    @Test
    void aJobThatWaitsForItsNextAttemptGivesItsPlaceBack() {
        Map<String, Duration> later = laterGroups();
        limit(1);
        List<JobId> ids = enqueue(GROUP, 2);
        ClaimedJob first = claim().get(0);
        end(first, new Outcome.Retried(first.claim(), "no", MINUTE));

        ClaimedJob second = claim().get(0);

        assertThat(second.id()).isEqualTo(ids.get(1));
        assertThat(find(ids.get(0)).status()).isEqualTo(JobStatus.WAITING);
        complete(second);
        assertThat(claim()).isEmpty();
        assertThat(later.get(GROUP)).isBetween(Duration.ofSeconds(31), MINUTE);
        advance(MINUTE);
        admission().admit(Set.of(GROUP));
        ClaimedJob again = claim().get(0);
        assertThat(again.id()).isEqualTo(ids.get(0));
        assertThat(again.attempt()).isEqualTo(2);
    }

    @Test
    void inAnOrderedGroupAJobThatWaitsForItsNextAttemptKeepsItsPlace() {
        List<JobId> ids = enqueue(FIFO, 2);
        ClaimedJob first = claim().get(0);
        end(first, new Outcome.Retried(first.claim(), "no", MINUTE));
        admission().admit(Set.of(FIFO));

        assertThat(claim()).isEmpty();
        advance(MINUTE);
        ClaimedJob again = claim().get(0);
        assertThat(again.id()).isEqualTo(ids.get(0));
        complete(again);
        assertThat(ids(claim())).containsExactly(ids.get(1));
    }

    @Test
    void jobsOfHigherPriorityComeFirstUnlessTheGroupIsOrdered() {
        limit(1);
        for (String group : List.of(GROUP, FIFO)) {
            enqueue(inGroup(group));
            JobId low = enqueue(
                    JobDraft.named("mail").group(group).priority(Priority.LOW).job());
            JobId high = enqueue(
                    JobDraft.named("mail").group(group).priority(Priority.HIGH).job());
            complete(claim().get(0));
            ClaimedJob next = claim().get(0);
            assertThat(next.id()).isEqualTo(group.equals(FIFO) ? low : high);
            complete(next);
            complete(claim().get(0));
        }
    }

    /** It stands behind those that have that priority already. */
    @Test
    void aJobThatWaitsForAdmissionCanBeRescheduledAndReprioritised() {
        limit(1);
        List<JobId> ids = enqueue(GROUP, 4);
        ClaimedJob first = claim().get(0);
        assertThat(store().jobs().reprioritise(ids.get(3), Priority.HIGH)).isPresent();
        assertThat(store().jobs().reschedule(ids.get(1), MINUTE, null)).isPresent();
        complete(first);
        ClaimedJob second = claim().get(0);
        assertThat(second.id()).isEqualTo(ids.get(3));
        complete(second);
        ClaimedJob third = claim().get(0);
        assertThat(third.id()).isEqualTo(ids.get(2));
        complete(third);
        assertThat(claim()).isEmpty();
        advance(MINUTE);
        admission().admit(Set.of(GROUP));
        assertThat(ids(claim())).containsExactly(ids.get(1));
    }

    @Test
    void delayedJobsWaitForAdmissionUntilTheyAreDue() {
        Map<String, Duration> later = laterGroups();
        JobId delayed = enqueue(JobDraft.named("mail").group(FIFO).delay(MINUTE).job());
        JobId now = enqueue(inGroup(FIFO));

        ClaimedJob first = claim().get(0);

        assertThat(first.id()).isEqualTo(now);
        complete(first);
        assertThat(later.get(FIFO)).isBetween(Duration.ofSeconds(31), MINUTE);
        advance(MINUTE);
        admission().admit(Set.of(FIFO));
        assertThat(ids(claim())).containsExactly(delayed);
    }

    @Test
    void whoeverCancelsAnAdmittedJobAdmitsTheNext() {
        limit(1);
        List<JobId> ids = enqueue(GROUP, 4);
        assertThat(store().jobs().cancel(ids.get(0))).isEqualTo(Cancellation.CANCELLED);
        assertThat(store().dependencies().resolveDependents(List.of(ids.get(0))))
                .containsExactly(DEFAULT);
        assertThat(store().jobs().cancel(ids.get(2))).as("one in its group").isEqualTo(Cancellation.CANCELLED);
        ClaimedJob second = claim().get(0);
        assertThat(second.id()).isEqualTo(ids.get(1));
        complete(second);
        assertThat(ids(claim())).containsExactly(ids.get(3));
    }

    @Test
    void aBulkCancellationAdmitsTheNext() {
        limit(1);
        JobId tagged = enqueue(JobDraft.named("mail").group(GROUP).tags("old").job());
        JobId next = enqueue(inGroup(GROUP));
        List<Lane> freed = new ArrayList<>();
        store().jobs().cancelAll(JobQuery.all().tags("old"), freed::addAll);
        assertThat(find(tagged).status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(freed).containsExactly(DEFAULT);
        assertThat(ids(claim())).containsExactly(next);
    }

    /** Nothing runs, so that it would not help to say how many jobs do. */
    @Test
    void aJobNamesTheOneThatHasThePlaceAndDoesNotRun() {
        List<JobId> ids = enqueue(FIFO, 3);
        assertThat(find(ids.get(2)).waitingReason())
                .contains("fifo key 'order-17' waits for job " + ids.get(0) + ", which is pending; 1 before it");
        claim();
        assertThat(find(ids.get(2)).waitingReason()).contains("fifo key 'order-17' runs 1 of at most 1; 1 before it");
    }

    @Test
    void whoeverCancelsAGraphAdmitsTheNext() {
        limit(1);
        GraphStore graphs = store().port(GraphStore.class);
        GraphId graph = graphs.submit(GraphDraft.empty().task("a").graph()).id();
        ClaimedJob task = claim().get(0);
        write(new PutInGroup(task.claim(), GROUP));
        admission().admit(Set.of(GROUP));
        JobId next = enqueue(GROUP, 1).get(0);
        assertThat(find(task.id()).status()).isEqualTo(JobStatus.PENDING);

        assertThat(graphs.cancel(graph, null, "not needed").lanes()).contains(DEFAULT);

        assertThat(ids(claim())).containsExactly(next);
    }

    @Test
    void anAdmittedJobThatExpiresLeavesItsPlace() {
        limit(1);
        JobId expiring =
                enqueue(JobDraft.named("mail").group(GROUP).expiresIn(MINUTE).job());
        JobId next = enqueue(inGroup(GROUP));
        advance(MINUTE.plusSeconds(1));
        List<ExpiredJob> expired = inTransaction(tx -> store().recovery().expire(tx, 10, true));
        assertThat(expired).hasSize(1);
        store().dependencies().resolveDependents(List.of(expiring));
        assertThat(ids(claim())).containsExactly(next);
    }

    @Test
    void aDeadLetterThatIsRetriedWaitsForAdmissionAgain() {
        limit(1);
        List<JobId> ids = enqueue(GROUP, 2);
        ClaimedJob first = claim().get(0);
        end(first, new Outcome.Failed(first.claim(), "no"));
        assertThat(store().jobs().retry(ids.get(0))).contains(DEFAULT);
        ClaimedJob second = claim().get(0);
        assertThat(second.id()).isEqualTo(ids.get(1));
        complete(second);
        assertThat(ids(claim())).containsExactly(ids.get(0));
    }

    @Test
    void aRetriedJobIsAdmittedAtOnceIfThereIsRoom() {
        limit(1);
        JobId id = enqueue(GROUP, 1).get(0);
        ClaimedJob first = claim().get(0);
        end(first, new Outcome.Failed(first.claim(), "no"));
        store().jobs().retryAll(JobQuery.all().status(JobStatus.FAILED));
        assertThat(ids(claim())).containsExactly(id);
    }

    /** It is neither counted nor admitted before, and the sweep of waiting jobs does not take jobs that wait for admission for its own. */
    @Test
    void aJobThatDependsOnOthersIsPutIntoItsGroupWhenTheyHaveEnded() {
        limit(1);
        JobId parent = enqueue(job("parent"));
        JobId child = enqueue(
                JobDraft.named("mail").group(GROUP).dependsOn(List.of(parent)).job());
        JobId other = enqueue(inGroup(GROUP));
        JobId waiting = enqueue(inGroup(GROUP));
        inTransaction(tx -> store().dependencies().sweepWaiting(tx));
        List<ClaimedJob> claimed = claim();
        assertThat(ids(claimed)).containsExactlyInAnyOrder(parent, other);
        for (ClaimedJob job : claimed) {
            write(new Outcome.Completed(job.claim(), null));
        }
        store().dependencies().resolveDependents(List.of(parent));
        admission().admit(Set.of(GROUP));
        ClaimedJob next = claim().get(0);
        assertThat(next.id()).isEqualTo(waiting);
        complete(next);
        assertThat(ids(claim())).containsExactly(child);
    }

    @Test
    void aJobThatCameInPlainIsPutIntoItsGroupWithoutAnAttempt() {
        limit(1);
        JobId id = enqueue(job("mail"));
        JobId before = enqueue(inGroup(GROUP));
        List<ClaimedJob> claimed = claim();
        ClaimedJob plain =
                claimed.stream().filter(job -> job.id().equals(id)).findFirst().orElseThrow();
        write(new PutInGroup(plain.claim(), GROUP));
        store().claims().admit(Set.of(GROUP));

        assertThat(find(id).status()).isEqualTo(JobStatus.WAITING);
        assertThat(find(id).attempt()).isZero();
        assertThat(claim()).isEmpty();
        complete(claimed.stream()
                .filter(job -> job.id().equals(before))
                .findFirst()
                .orElseThrow());
        ClaimedJob again = claim().get(0);
        assertThat(again.id()).isEqualTo(id);
        assertThat(again.attempt()).isOne();
        assertThat(write(new PutInGroup(plain.claim(), GROUP)).rejected())
                .as("the claim is over")
                .containsExactly(plain.claim());
    }

    @Test
    void aLimitThatIsLoweredEndsNothingAndStartsNothingNew() {
        limit(3);
        List<JobId> ids = enqueue(GROUP, 5);
        List<ClaimedJob> claimed = claim();
        assertThat(claimed).hasSize(3);
        limit(1);
        complete(claimed.get(0));
        complete(claimed.get(1));
        assertThat(claim()).isEmpty();
        complete(claimed.get(2));
        assertThat(ids(claim())).containsExactly(ids.get(3));
        limit(2);
        admission().admit(Set.of(GROUP));
        assertThat(ids(claim())).containsExactly(ids.get(4));
    }

    /** Otherwise a job that an operator moves to tomorrow would keep its group's place until then. */
    @Test
    void anAdmittedJobThatIsRescheduledGivesItsPlaceBackUnlessTheGroupIsOrdered() {
        limit(1);
        for (String group : List.of(GROUP, FIFO)) {
            List<JobId> ids = enqueue(group, 2);
            assertThat(store().jobs().reschedule(ids.get(0), MINUTE, null)).isPresent();
            if (group.equals(GROUP)) {
                ClaimedJob other = claim().get(0);
                assertThat(other.id()).isEqualTo(ids.get(1));
                complete(other);
                assertThat(find(ids.get(0)).status()).isEqualTo(JobStatus.WAITING);
            }
            assertThat(claim()).isEmpty();
            advance(MINUTE);
            admission().admit(Set.of(group));
            ClaimedJob moved = claim().get(0);
            assertThat(moved.id()).isEqualTo(ids.get(0));
            complete(moved);
            claim().forEach(this::complete);
        }
    }

    /** After a failover the clock may be behind the one that the floors were taken from. */
    @Test
    void aClockThatStepsBackNeitherHidesJobsNorPlaces() {
        for (String group : List.of(GROUP, FIFO)) {
            limit(1);
            for (int i = 0; i < 3; i++) {
                enqueue(group, 1);
                complete(claim().get(0));
                advance(Duration.ofSeconds(10));
            }
            enqueue(group, 1);
            ClaimedJob first = claim().get(0);
            advance(Duration.ofSeconds(-20));
            end(first, new Outcome.Released(first.claim()));
            JobId second = enqueue(group, 1).get(0);
            advance(Duration.ofSeconds(30));
            JobId third = enqueue(group, 1).get(0);
            for (JobId id : List.of(first.id(), second, third)) {
                List<ClaimedJob> claimed = claim();
                assertThat(ids(claimed)).as(group).containsExactly(id);
                complete(claimed.get(0));
            }
        }
    }

    @Test
    void publishedLimitsCanBeReadAndRemoved() {
        ConcurrencyLimit limit = new ConcurrencyLimit(3, "customer.id", false, new JobRate(100, MINUTE));
        ConcurrencyLimit ordered = new ConcurrencyLimit(0, "", true, null);
        admission().publish(Map.of("mail", limit, "print", ordered), Set.of());
        assertThat(store().nodes().concurrencyLimits(null)).isEqualTo(Map.of("mail", limit, "print", ordered));
        admission().publish(Map.of(), Set.of("mail", "unknown"));
        assertThat(store().nodes().concurrencyLimits(null)).isEqualTo(Map.of("print", ordered));
    }

    @Test
    void groupsWithoutJobsAreForgottenAfterADayAndCreatedAgain() {
        limit(1);
        complete(claimAfter(GROUP));
        JobId waiting = enqueue(FIFO, 2).get(1);
        advance(Duration.ofDays(2));
        inTransaction(tx -> admission().forget(tx));
        complete(claim().get(0));
        assertThat(ids(claim())).containsExactly(waiting);
        complete(claimAfter(GROUP));
    }

    private ClaimedJob claimAfter(String group) {
        enqueue(group, 1);
        return claim().stream()
                .filter(job -> group.equals(job.concurrencyGroup()))
                .findFirst()
                .orElseThrow();
    }
}
