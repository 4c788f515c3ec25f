package dev.muster.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.LineLimit;
import dev.muster.job.Priority;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.LineStore;
import dev.muster.job.store.NewJob;
import dev.muster.job.store.Outcome;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The jobs of an ordered line run in the order of their enqueues, whatever the database's clock says, which a failover may set back. */
abstract class LineOrderContract extends JobStoreContract {
    private static final String KEY = "key/mail/acme";
    private static final String FIFO = "fifo/order-17";
    private static final List<String> ORDERED = List.of(FIFO, "order/mail", "order/mail/acme");
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration BACK = Duration.ofSeconds(-3);

    private static NewJob inLine(String line) {
        return JobDraft.named("mail").line(line).job();
    }

    private JobId enqueue(String line) {
        return enqueue(inLine(line));
    }

    private JobId enqueue(String line, Duration delay) {
        return enqueue(JobDraft.named("mail").line(line).delay(delay).job());
    }

    private List<ClaimedJob> claim() {
        return claims("n").exchange(List.of(), 100).claimed();
    }

    private ClaimedJob claimOne() {
        List<ClaimedJob> claimed = claim();
        assertThat(claimed).hasSize(1);
        return claimed.get(0);
    }

    private void end(ClaimedJob job, Outcome outcome) {
        assertThat(write(outcome).rejected()).isEmpty();
        store().claims().admit(Set.of(String.valueOf(job.line())));
    }

    private void complete(ClaimedJob job) {
        end(job, new Outcome.Completed(job.claim(), null));
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
        for (String line : ORDERED) {
            enqueue(line);
            ClaimedJob running = claimOne();
            JobId before = enqueue(line);
            advance(BACK);
            List<JobId> expected = new ArrayList<>(List.of(before, enqueue(line)));
            expected.addAll(store().jobs()
                    .enqueue(IntStream.range(0, 3).mapToObj(i -> inLine(line)).toList()));
            advance(BACK);
            expected.add(enqueue(line));
            assertThat(runAfter(running)).as(line).containsExactlyElementsOf(expected);
        }
    }

    /** Nobody has looked at the line since the job was put in it: its enqueuer has died, or the server. */
    @Test
    void aJobThatWasCommittedRightBeforeTheClockWasSetBackComesFirst() throws Exception {
        for (String line : ORDERED) {
            enqueue(line);
            ClaimedJob running = claimOne();
            advance(MINUTE);
            JobId before;
            try (Connection connection = transaction()) {
                before = store().jobs()
                        .enqueue(connection, List.of(inLine(line)))
                        .get(0);
                connection.commit();
            }
            advance(BACK);
            JobId after;
            try (Connection connection = transaction()) {
                after = store().jobs()
                        .enqueue(connection, List.of(inLine(line)))
                        .get(0);
                connection.commit();
            }
            assertThat(runAfter(running)).as(line).containsExactly(before, after);
        }
    }

    /** Its position would be below the floors of the line, which were written when the clock was ahead. */
    @Test
    void aJobThatIsPutInLineWhileTheClockIsBehindIsNotPassed() throws Exception {
        for (String line : ORDERED) {
            for (int i = 0; i < 3; i++) {
                enqueue(line);
                complete(claimOne());
                advance(Duration.ofSeconds(2));
            }
            enqueue(line);
            ClaimedJob running = claimOne();
            advance(BACK);
            JobId first;
            try (Connection connection = transaction()) {
                first = store().jobs()
                        .enqueue(connection, List.of(inLine(line)))
                        .get(0);
                connection.commit();
            }
            advance(MINUTE);
            JobId second = enqueue(line);
            assertThat(runAfter(running)).as(line).containsExactly(first, second);
        }
    }

    @Test
    void aDelayedJobTakesItsPlaceWhenItIsDueAndNeitherEarlierNorInTheWayOfOthers() {
        for (String line : ORDERED) {
            enqueue(line);
            ClaimedJob running = claimOne();
            JobId delayed = enqueue(line, MINUTE);
            JobId first = enqueue(line);
            advance(BACK);
            JobId second = enqueue(line);
            complete(running);
            ClaimedJob next = claimOne();
            assertThat(next.id()).as(line).isEqualTo(first);
            advance(MINUTE.multipliedBy(2));
            JobId third = enqueue(line);
            assertThat(runAfter(next)).as(line).containsExactly(second, delayed, third);

            JobId tomorrow = enqueue(line, Duration.ofDays(1));
            advance(BACK);
            complete(claimAfter(line));
            assertThat(find(tomorrow).status()).as(line).isEqualTo(JobStatus.WAITING);
            advance(Duration.ofDays(1).plus(MINUTE));
            complete(claimAdmitted(line));
            assertThat(find(tomorrow).status()).as(line).isEqualTo(JobStatus.COMPLETED);
        }
    }

    private ClaimedJob claimAfter(String line) {
        JobId id = enqueue(line);
        ClaimedJob job = claimOne();
        assertThat(job.id()).isEqualTo(id);
        return job;
    }

    private ClaimedJob claimAdmitted(String line) {
        store().claims().admit(Set.of(line));
        return claimOne();
    }

    @Test
    void aRetriedAndARescheduledJobGoToTheEndAlsoIfTheClockIsSetBack() {
        for (String line : ORDERED) {
            JobId failed = enqueue(line);
            ClaimedJob running = claimOne();
            end(running, new Outcome.Failed(running.claim(), "no"));
            enqueue(line);
            running = claimOne();
            List<JobId> ids = List.of(enqueue(line), enqueue(line), enqueue(line));
            advance(BACK);
            store().jobs().retry(failed);
            assertThat(store().jobs().reschedule(ids.get(0), Duration.ZERO, null))
                    .isPresent();
            assertThat(store().jobs().reschedule(ids.get(1), MINUTE, null)).isPresent();
            assertThat(runAfter(running)).as(line).containsExactly(ids.get(2), failed, ids.get(0));
            advance(MINUTE);
            complete(claimAdmitted(line));
            assertThat(find(ids.get(1)).status()).as(line).isEqualTo(JobStatus.COMPLETED);
        }
    }

    /** The rank of a job in line says whether it has its place there. */
    @Test
    void aJobInAnOrderedLineIsNotLifted() {
        for (Priority priority : Priority.values()) {
            enqueue(FIFO);
            JobId now =
                    enqueue(JobDraft.named("mail").line(FIFO).priority(priority).job());
            JobId later = enqueue(JobDraft.named("mail")
                    .line(FIFO)
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
        for (String line : ORDERED) {
            JobId first = enqueue(line);
            JobId second = enqueue(line);
            ClaimedJob running = claimOne();
            end(running, new Outcome.Retried(running.claim(), "no", MINUTE));
            advance(BACK);
            JobId third = enqueue(line);
            assertThat(claim()).as(line).isEmpty();
            advance(MINUTE.multipliedBy(2));
            ClaimedJob again = claimOne();
            assertThat(again.id()).as(line).isEqualTo(first);
            assertThat(runAfter(again)).as(line).containsExactly(second, third);
        }
    }

    /** They were due when they were put in line, so the clock has nothing to say about them any more. */
    @Test
    void jobsOfOtherLinesThatWereDueStayDueIfTheClockIsSetBack() {
        store().port(LineStore.class).publish(Map.of("mail", new LineLimit(1, "", false, null)), Set.of());
        enqueue(KEY);
        ClaimedJob running = claimOne();
        List<JobId> due = List.of(enqueue(KEY), enqueue(KEY));
        JobId later = enqueue(KEY, MINUTE);
        advance(BACK);
        assertThat(runAfter(running)).containsExactlyElementsOf(due);
        assertThat(find(later).status()).isEqualTo(JobStatus.WAITING);
        advance(MINUTE.minus(BACK));
        assertThat(claimAdmitted(KEY).id()).isEqualTo(later);
    }
}
