package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.job.store.AdmissionStore;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.ConcurrencyLimit;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.Priority;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The jobs of an ordered group run in the order of their enqueues, whatever the database's clock says, which a failover may set back. */
abstract class AdmissionOrderContract extends AdmissionContract {
    private static final List<String> ORDERED = List.of(FIFO, "order/mail", "order/mail/acme");
    private static final Duration BACK = Duration.ofSeconds(-3);

    private JobId enqueue(String group) {
        return enqueue(inGroup(group));
    }

    private JobId enqueue(String group, Duration delay) {
        return enqueue(JobDraft.named("mail").group(group).delay(delay).job());
    }

    private ClaimedJob claimOne() {
        List<ClaimedJob> claimed = claim();
        assertThat(claimed).hasSize(1);
        return claimed.get(0);
    }

    /** Completes this job, and the next ones as they can be claimed. */
    private List<JobId> runAfter(ClaimedJob running) {
        List<JobId> ran = new ArrayList<>();
        complete(running);
        for (List<ClaimedJob> next = claim(); !next.isEmpty(); next = claim()) {
            assertThat(next).hasSize(1);
            ran.add(next.get(0).id());
            complete(next.get(0));
        }
        return ran;
    }

    @Test
    void jobsRunInTheOrderOfTheirEnqueuesAlsoIfTheClockIsSetBackInBetween() {
        for (String group : ORDERED) {
            enqueue(group);
            ClaimedJob running = claimOne();
            JobId before = enqueue(group);
            advance(BACK);
            List<JobId> expected = new ArrayList<>(List.of(before, enqueue(group)));
            expected.addAll(store().jobs()
                    .enqueue(IntStream.range(0, 3).mapToObj(i -> inGroup(group)).toList()));
            advance(BACK);
            expected.add(enqueue(group));
            assertThat(runAfter(running)).as(group).containsExactlyElementsOf(expected);
        }
    }

    /** Nobody has looked at the group since the job was put in it: its enqueuer has died, or the server. */
    @Test
    void aJobThatWasCommittedRightBeforeTheClockWasSetBackComesFirst() throws Exception {
        for (String group : ORDERED) {
            enqueue(group);
            ClaimedJob running = claimOne();
            advance(MINUTE);
            JobId before;
            try (Connection connection = transaction()) {
                before = store().jobs()
                        .enqueue(connection, List.of(inGroup(group)))
                        .get(0);
                connection.commit();
            }
            advance(BACK);
            JobId after;
            try (Connection connection = transaction()) {
                after = store().jobs()
                        .enqueue(connection, List.of(inGroup(group)))
                        .get(0);
                connection.commit();
            }
            assertThat(runAfter(running)).as(group).containsExactly(before, after);
        }
    }

    /** Its position would be below the floors of the group, which were written when the clock was ahead. */
    @Test
    void aJobThatIsPutIntoItsGroupWhileTheClockIsBehindIsNotPassed() throws Exception {
        for (String group : ORDERED) {
            for (int i = 0; i < 3; i++) {
                enqueue(group);
                complete(claimOne());
                advance(Duration.ofSeconds(2));
            }
            enqueue(group);
            ClaimedJob running = claimOne();
            advance(BACK);
            JobId first;
            try (Connection connection = transaction()) {
                first = store().jobs()
                        .enqueue(connection, List.of(inGroup(group)))
                        .get(0);
                connection.commit();
            }
            advance(MINUTE);
            JobId second = enqueue(group);
            assertThat(runAfter(running)).as(group).containsExactly(first, second);
        }
    }

    @Test
    void aDelayedJobTakesItsPlaceWhenItIsDueAndNeitherEarlierNorInTheWayOfOthers() {
        for (String group : ORDERED) {
            enqueue(group);
            ClaimedJob running = claimOne();
            JobId delayed = enqueue(group, MINUTE);
            JobId first = enqueue(group);
            advance(BACK);
            JobId second = enqueue(group);
            complete(running);
            ClaimedJob next = claimOne();
            assertThat(next.id()).as(group).isEqualTo(first);
            advance(MINUTE.multipliedBy(2));
            JobId third = enqueue(group);
            assertThat(runAfter(next)).as(group).containsExactly(second, delayed, third);

            JobId tomorrow = enqueue(group, Duration.ofDays(1));
            advance(BACK);
            complete(claimAfter(group));
            assertThat(find(tomorrow).status()).as(group).isEqualTo(JobStatus.WAITING);
            advance(Duration.ofDays(1).plus(MINUTE));
            complete(claimAdmitted(group));
            assertThat(find(tomorrow).status()).as(group).isEqualTo(JobStatus.COMPLETED);
        }
    }

    private ClaimedJob claimAfter(String group) {
        JobId id = enqueue(group);
        ClaimedJob job = claimOne();
        assertThat(job.id()).isEqualTo(id);
        return job;
    }

    private ClaimedJob claimAdmitted(String group) {
        store().claims().admit(Set.of(group));
        return claimOne();
    }

    @Test
    void aRetriedAndARescheduledJobGoToTheEndAlsoIfTheClockIsSetBack() {
        for (String group : ORDERED) {
            JobId failed = enqueue(group);
            ClaimedJob running = claimOne();
            end(running, new Outcome.Failed(running.claim(), "no"));
            enqueue(group);
            running = claimOne();
            List<JobId> ids = List.of(enqueue(group), enqueue(group), enqueue(group));
            advance(BACK);
            store().jobs().retry(failed);
            assertThat(store().jobs().reschedule(ids.get(0), Duration.ZERO, null))
                    .isPresent();
            assertThat(store().jobs().reschedule(ids.get(1), MINUTE, null)).isPresent();
            assertThat(runAfter(running)).as(group).containsExactly(ids.get(2), failed, ids.get(0));
            advance(MINUTE);
            complete(claimAdmitted(group));
            assertThat(find(ids.get(1)).status()).as(group).isEqualTo(JobStatus.COMPLETED);
        }
    }

    /** The rank of a job that waits for admission says whether it has its place there. */
    @Test
    void aJobInAnOrderedGroupIsNotLifted() {
        for (Priority priority : Priority.values()) {
            enqueue(FIFO);
            JobId now = enqueue(
                    JobDraft.named("mail").group(FIFO).priority(priority).job());
            JobId later = enqueue(JobDraft.named("mail")
                    .group(FIFO)
                    .priority(priority)
                    .delay(MINUTE)
                    .job());
            assertThat(find(now).liftedTo()).isEmpty();
            assertThat(find(later).liftedTo()).isEmpty();
        }
    }

    /** A failed attempt keeps the place of its job, whatever the clock says. */
    @Test
    void aJobInBackoffIsNotOvertakenIfTheClockIsSetBack() {
        for (String group : ORDERED) {
            JobId first = enqueue(group);
            JobId second = enqueue(group);
            ClaimedJob running = claimOne();
            end(running, new Outcome.Retried(running.claim(), "no", MINUTE));
            advance(BACK);
            JobId third = enqueue(group);
            assertThat(claim()).as(group).isEmpty();
            advance(MINUTE.multipliedBy(2));
            ClaimedJob again = claimOne();
            assertThat(again.id()).as(group).isEqualTo(first);
            assertThat(runAfter(again)).as(group).containsExactly(second, third);
        }
    }

    /** They were due when they were put into their groups, so the clock has nothing to say about them any more. */
    @Test
    void jobsOfOtherGroupsThatWereDueStayDueIfTheClockIsSetBack() {
        store().port(AdmissionStore.class).publish(Map.of("mail", new ConcurrencyLimit(1, "", false, null)), Set.of());
        enqueue(GROUP);
        ClaimedJob running = claimOne();
        List<JobId> due = List.of(enqueue(GROUP), enqueue(GROUP));
        JobId later = enqueue(GROUP, MINUTE);
        advance(BACK);
        assertThat(runAfter(running)).containsExactlyElementsOf(due);
        assertThat(find(later).status()).isEqualTo(JobStatus.WAITING);
        advance(MINUTE.minus(BACK));
        assertThat(claimAdmitted(GROUP).id()).isEqualTo(later);
    }
}
