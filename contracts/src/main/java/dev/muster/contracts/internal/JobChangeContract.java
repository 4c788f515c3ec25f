package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.Enqueued;
import dev.muster.job.JobCount;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobPage;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.job.KeyConflict;
import dev.muster.job.Priority;
import dev.muster.job.RetryableJobs;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Changes of existing jobs: retries of jobs that depend on others, due times, priorities; and keys that are taken. */
abstract class JobChangeContract extends JobStoreContract {

    private JobId enqueue(String name, JobId... dependsOn) {
        return enqueue(JobDraft.named(name).dependsOn(List.of(dependsOn)).job());
    }

    private void end(JobId id, boolean completed) {
        ClaimedJob job = claimOne("n1", LEASE);
        assertThat(job.id()).isEqualTo(id);
        write(completed ? new Outcome.Completed(job.claim(), null) : new Outcome.Failed(job.claim(), "boom"));
        store().dependencies().resolveDependents(List.of(id));
    }

    private JobStatus status(JobId id) {
        return find(id).status();
    }

    private void assertNothingToClaim() {
        assertThat(claims("n1").exchange(List.of(), 10).claimed()).isEmpty();
    }

    @Test
    void aJobThatWasCancelledWithItsParentDoesNotRunBeforeThatCompletes() {
        JobId charge = enqueue("charge");
        JobId invoice = enqueue("invoice", charge);
        end(charge, false);
        JobInfo cancelled = find(invoice);
        assertThat(cancelled.status()).isEqualTo(JobStatus.CANCELLED);

        assertThatThrownBy(() -> store().jobs().retry(invoice))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining(charge + " ('charge'), which is failed");
        assertThat(find(invoice)).isEqualTo(cancelled);
        assertThat(store().jobs().retryAll(JobQuery.all().name("invoice").status(JobStatus.CANCELLED)))
                .isEmpty();
        assertThat(find(invoice)).isEqualTo(cancelled);

        assertThat(store().jobs().retry(charge)).isPresent();
        assertThat(store().jobs().retry(invoice)).isPresent();
        assertThat(status(invoice)).isEqualTo(JobStatus.WAITING);
        end(charge, true);
        assertThat(status(invoice)).isEqualTo(JobStatus.PENDING);
        end(invoice, false);

        assertThat(store().jobs().retry(invoice)).isPresent();
        assertThat(status(invoice)).isEqualTo(JobStatus.PENDING);
        end(invoice, true);
    }

    @Test
    void aJobWhoseParentCompletedSinceRunsWhenItIsRetried() {
        JobId parent = enqueue("a");
        JobId child = enqueue("b", parent);
        store().jobs().cancel(child);
        end(parent, true);

        store().jobs().retry(child);

        assertThat(status(child)).isEqualTo(JobStatus.PENDING);
    }

    @Test
    void ofTheJobsThatWereCancelledBecauseOfAnotherOnlyThoseOfATenantCanBeRetried() {
        JobId parent = enqueue(JobDraft.named("a").tenant("acme").job());
        JobId own = enqueue(
                JobDraft.named("b").tenant("acme").dependsOn(List.of(parent)).job());
        JobId others = enqueue(
                JobDraft.named("b").tenant("b").dependsOn(List.of(parent)).job());
        JobId nobodys = enqueue("b", parent);
        JobId afterOwn = enqueue(
                JobDraft.named("c").tenant("acme").dependsOn(List.of(own)).job());
        end(parent, false);
        store().jobs().retry(parent);

        assertThat(store().jobs().retryDependents(parent, "acme")).hasSize(2);

        assertThat(List.of(own, afterOwn)).allMatch(id -> status(id) == JobStatus.WAITING);
        assertThat(List.of(others, nobodys)).allMatch(id -> status(id) == JobStatus.CANCELLED);
        assertThat(store().jobs().retryDependents(parent, "nobody")).isEmpty();
        assertThat(store().jobs().retryDependents(parent)).hasSize(2);
    }

    @Test
    void allJobsOfATenantAreCancelledAndRetriedAndNoOthers() {
        List<JobId> own = new ArrayList<>();
        List<JobId> others = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            own.add(enqueue(JobDraft.named("a").tenant("acme").job()));
            others.add(enqueue(JobDraft.named("a").tenant("acme2").job()));
            others.add(enqueue("a"));
        }
        JobQuery acme = JobQuery.all().metadata("tenant", "acme");
        List<JobId> all = Stream.concat(own.stream(), others.stream()).toList();
        assertThat(store().jobReader().jobsOf("acme", all)).containsExactlyInAnyOrderElementsOf(own);

        assertThat(store().jobs().cancelAll(acme.before(own.get(2))).cancelled())
                .isEqualTo(2);
        assertThat(store().jobs().cancelAll(acme.ids(others)).cancelled()).isZero();
        assertThat(store().jobs().cancelAll(acme).cancelled()).isEqualTo(1);

        assertThat(own).allMatch(id -> status(id) == JobStatus.CANCELLED);
        assertThat(others).allMatch(id -> status(id) == JobStatus.PENDING);
        assertThat(store().jobReader().jobsOf("acme", all)).containsExactlyInAnyOrderElementsOf(own);
        store().jobs().cancelAll(JobQuery.all().ids(others));
        JobQuery cancelled = acme.status(JobStatus.CANCELLED);
        assertThat(store().jobs().retryable(cancelled)).containsExactly(new RetryableJobs("a", JobStatus.CANCELLED, 3));
        assertThat(store().jobs().retryAll(cancelled.ids(others))).isEmpty();
        assertThat(store().jobs().retryAll(cancelled)).hasSize(3);
        assertThat(own).allMatch(id -> status(id) == JobStatus.PENDING);
        assertThat(others).allMatch(id -> status(id) == JobStatus.CANCELLED);
    }

    @Test
    void theJobsOfATenantAreListedPageByPageAndCounted() {
        List<JobId> own = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            own.add(0, enqueue(JobDraft.named("a").tenant("acme").job()));
            enqueue(JobDraft.named("a").tenant("b").job());
            enqueue("a");
        }
        store().jobs().cancel(own.get(1));
        JobQuery query = JobQuery.all().metadata("tenant", "acme").limit(2);
        List<JobId> found = new ArrayList<>();
        JobPage page = store().jobReader().search(query, Duration.ZERO);
        page.jobs().forEach(job -> found.add(job.id()));
        while (page.next().isPresent()) {
            page = store().jobReader().search(query.before(page.next().get()), Duration.ZERO);
            page.jobs().forEach(job -> found.add(job.id()));
        }

        assertThat(found).isEqualTo(own);
        assertThat(store().jobReader().list(query.ids(own).limit(10)))
                .extracting(JobInfo::id)
                .isEqualTo(own);
        assertThat(store().jobReader().list(query.name("a").status(JobStatus.CANCELLED)))
                .extracting(JobInfo::id)
                .containsExactly(own.get(1));
        assertThat(store().jobReader().counts(query))
                .containsEntry(JobStatus.PENDING, new JobCount(4, true))
                .containsEntry(JobStatus.CANCELLED, new JobCount(1, true));
    }

    @Test
    void aKeyIsShownAsItWasWrittenAndFoundWithItsTenant() {
        JobId own =
                enqueue(JobDraft.named("a").tenant("acme").key("@acme/order").job());
        JobId nobodys = enqueue(JobDraft.named("a").key("order").job());
        JobId withSign = enqueue(JobDraft.named("a").key("@/@acme/order").job());

        assertThat(find(own).key()).contains("order");
        assertThat(find(withSign).key()).contains("@acme/order");
        assertThat(store().jobReader().list(JobQuery.all().key("order")))
                .extracting(JobInfo::id)
                .containsExactly(nobodys);
        assertThat(store().jobReader().list(JobQuery.all().key("@acme/order")))
                .extracting(JobInfo::id)
                .containsExactly(withSign);
        JobQuery ofTenant = JobQuery.all().metadata("tenant", "acme").key("order");
        assertThat(store().jobReader().list(ofTenant)).extracting(JobInfo::id).containsExactly(own);
        assertThat(store().jobReader().counts(ofTenant)).containsEntry(JobStatus.PENDING, new JobCount(1, true));
        assertThatThrownBy(() -> enqueue(JobDraft.named("a")
                        .tenant("acme")
                        .key("@acme/order")
                        .args("1")
                        .job()))
                .isInstanceOf(KeyConflict.class)
                .hasMessageStartingWith("key 'order' of job 'a'");
    }

    /** The parent is live when the child is retried, and fails before, during and after the retry. */
    @Test
    void aParentThatFailsWhileItsChildIsRetriedCancelsItAgain() throws Exception {
        for (int round = 0; round < 20; round++) {
            JobId parent = enqueue("a");
            JobId child = enqueue("b", parent);
            store().jobs().cancel(child);
            ClaimedJob claimed = claimOne("n1", LEASE);
            inParallel(2, i -> {
                if (i == 0) {
                    write(new Outcome.Failed(claimed.claim(), "boom"));
                    return store().dependencies().resolveDependents(List.of(parent));
                }
                try {
                    return store().jobs().retry(child);
                } catch (MusterException refused) {
                    return refused;
                }
            });
            inTransaction(tx -> store().dependencies().sweepWaiting(tx));
            assertThat(status(child)).isEqualTo(JobStatus.CANCELLED);
            assertNothingToClaim();
        }
    }

    @Test
    void aJobIsRetriedWithAllThatWereCancelledBecauseOfIt() {
        JobId parent = enqueue("a");
        JobId other = enqueue("a");
        JobId child = enqueue("b", parent);
        JobId ofBoth = enqueue("b", parent, other);
        JobId grandchild = enqueue("c", child);
        JobId byHand = enqueue("b", parent);
        store().jobs().cancel(byHand);
        end(parent, false);
        end(other, false);
        assertThat(List.of(child, ofBoth, grandchild)).allMatch(id -> status(id) == JobStatus.CANCELLED);

        store().jobs().retry(parent);
        assertThat(store().jobs().retryDependents(parent)).hasSize(2);

        assertThat(List.of(child, grandchild)).allMatch(id -> status(id) == JobStatus.WAITING);
        assertThat(List.of(byHand, ofBoth)).allMatch(id -> status(id) == JobStatus.CANCELLED);
        end(parent, true);
        end(child, true);
        end(grandchild, true);
        store().jobs().retry(other);
        assertThat(store().jobs().retryDependents(other)).hasSize(1);
        end(other, true);
        end(ofBoth, true);
        assertThat(store().jobs().retryDependents(other)).isEmpty();
        assertThat(store().jobs().retryDependents(JobId.next())).isEmpty();
    }

    @Test
    void manyAreRetriedWithWhatTheyDependOn() {
        JobId parent = enqueue("a");
        JobId child = enqueue("b", parent);
        JobId grandchild = enqueue("c", child);
        JobId alone = enqueue("c");
        store().jobs().cancel(alone);
        end(parent, false);
        JobQuery query = JobQuery.all().status(JobStatus.FAILED, JobStatus.CANCELLED);

        assertThat(store().jobs().retryable(query))
                .containsExactly(
                        new RetryableJobs("a", JobStatus.FAILED, 1),
                        new RetryableJobs("b", JobStatus.CANCELLED, 1),
                        new RetryableJobs("c", JobStatus.CANCELLED, 2));
        assertThat(store().jobs().retryAll(query)).hasSize(4);

        assertThat(List.of(parent, alone)).allMatch(id -> status(id) == JobStatus.PENDING);
        assertThat(List.of(child, grandchild)).allMatch(id -> status(id) == JobStatus.WAITING);
        assertThat(store().jobs().retryAll(query)).isEmpty();
    }

    @Test
    void onlyAJobThatNobodyHoldsGetsAnotherDueTime() {
        JobId id = enqueue(JobDraft.named("a").delay(Duration.ofHours(1)).job());
        assertNothingToClaim();

        assertThat(store().jobs().reschedule(id, Duration.ofHours(2), null)).contains(DEFAULT);
        assertThat(find(id).runAt()).isAfter(find(id).createdAt().plus(Duration.ofMinutes(119)));
        assertNothingToClaim();
        assertThat(store().jobs().reschedule(id, null, Instant.EPOCH)).contains(DEFAULT);
        assertThat(find(id).runAt()).isEqualTo(Instant.EPOCH);
        ClaimedJob claimed = claimOne("n1", LEASE);

        assertThat(store().jobs().reschedule(id, Duration.ZERO, null)).isEmpty();
        write(new Outcome.Retried(claimed.claim(), "boom", Duration.ofHours(1)));
        assertThat(store().jobs().reschedule(id, Duration.ZERO, null)).contains(DEFAULT);
        end(id, true);
        assertThat(store().jobs().reschedule(id, Duration.ZERO, null)).isEmpty();
        assertThat(store().jobs().reschedule(JobId.next(), Duration.ZERO, null)).isEmpty();
    }

    @Test
    void aWaitingJobThatIsRescheduledStillWaits() {
        JobId parent = enqueue("a");
        JobId child = enqueue("b", parent);
        assertThat(store().jobs().reschedule(child, Duration.ZERO, null)).contains(DEFAULT);
        assertThat(store().jobs().reprioritise(child, Priority.CRITICAL)).contains(DEFAULT);
        assertThat(status(child)).isEqualTo(JobStatus.WAITING);
        store().jobs().reschedule(child, Duration.ofHours(1), null);

        end(parent, true);

        assertThat(status(child)).isEqualTo(JobStatus.PENDING);
        assertNothingToClaim();
        store().jobs().reschedule(child, Duration.ZERO, null);
        end(child, true);
    }

    @Test
    void onlyAJobThatNobodyHoldsGetsAnotherPriority() {
        JobId first = enqueue("a");
        JobId second = enqueue("a");
        JobId third = enqueue("a");

        assertThat(store().jobs().reprioritise(third, Priority.HIGH)).contains(DEFAULT);
        assertThat(store().jobs().reprioritise(first, Priority.LOW)).contains(DEFAULT);

        assertThat(find(third).priority()).isEqualTo(Priority.HIGH);
        end(third, true);
        end(second, true);
        assertThat(claimOne("n1", LEASE).id()).isEqualTo(first);
        assertThat(store().jobs().reprioritise(first, Priority.HIGH)).isEmpty();
        assertThat(store().jobs().reprioritise(third, Priority.HIGH)).isEmpty();
    }

    @Test
    void whetherAJobIsNewIsTold() throws SQLException {
        NewJob keyed = JobDraft.named("a").key("k").job();
        NewJob again = JobDraft.named("a").key("k").job();
        NewJob own = JobDraft.named("a").id(JobId.next()).job();
        NewJob plain = JobDraft.plain("a");

        assertThat(store().jobs().submit(List.of(keyed, plain, again)))
                .containsExactly(
                        new Enqueued(keyed.id(), true),
                        new Enqueued(plain.id(), true),
                        new Enqueued(keyed.id(), false));
        assertThat(store().jobs().submit(List.of(again))).containsExactly(new Enqueued(keyed.id(), false));
        assertThat(store().jobs().submit(List.of(own, own)))
                .containsExactly(new Enqueued(own.id(), true), new Enqueued(own.id(), false));
        assertThat(store().jobs().submit(List.of(own))).containsExactly(new Enqueued(own.id(), false));
        assertThat(store().jobs().submit(List.of(JobDraft.plain("a")))).allMatch(Enqueued::created);
        try (Connection connection = transaction()) {
            assertThat(store().jobs().submit(connection, List.of(again, own)))
                    .containsExactly(new Enqueued(keyed.id(), false), new Enqueued(own.id(), false));
        }
    }

    @Test
    void whatWentWrongBeforeItCompletedIsKept() {
        JobId id = enqueue("a");
        write(new Outcome.Retried(claimOne("n1", LEASE).claim(), "the first time", Duration.ZERO));
        assertThat(find(id).error()).contains("the first time");
        end(id, true);

        assertThat(find(id).error()).isEmpty();
        assertThat(find(id).earlierError()).contains("the first time");
        JobId other = enqueue("a");
        end(other, true);
        assertThat(find(other).earlierError()).isEqualTo(Optional.empty());
    }
}
