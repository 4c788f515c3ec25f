package dev.muster.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Store;
import dev.muster.graph.GraphId;
import dev.muster.graph.GraphStore;
import dev.muster.job.Cancellation;
import dev.muster.job.ExpiredJob;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRate;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.job.LineLimit;
import dev.muster.job.Priority;
import dev.muster.job.store.ClaimScope;
import dev.muster.job.store.ClaimSession;
import dev.muster.job.store.ClaimSession.Exchange;
import dev.muster.job.store.ClaimStore.Start;
import dev.muster.job.store.ClaimedJob;
import dev.muster.job.store.LineStore;
import dev.muster.job.store.LineStore.Begin;
import dev.muster.job.store.LineStore.Lined;
import dev.muster.job.store.LineStore.TooEarly;
import dev.muster.job.store.NewJob;
import dev.muster.job.store.Outcome;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Of a line at most so many jobs can be claimed at a time, and the next ones as soon as places are free. */
abstract class LineStoreContract extends JobStoreContract {
    private static final String LINE = "key/mail/acme";
    private static final String FIFO = "fifo/order-17";
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private LineStore lines() {
        return store().port(LineStore.class);
    }

    private void limit(int most) {
        lines().publish(Map.of("mail", new LineLimit(most, "", false, null)), Set.of());
    }

    private static NewJob inLine(String line) {
        return JobDraft.named("mail").line(line).job();
    }

    private List<JobId> enqueue(String line, int jobs) {
        return store().jobs()
                .enqueue(IntStream.range(0, jobs).mapToObj(i -> inLine(line)).toList());
    }

    private List<ClaimedJob> claim() {
        return claims("n").exchange(List.of(), 100).claimed();
    }

    private static List<JobId> ids(List<ClaimedJob> jobs) {
        return jobs.stream().map(ClaimedJob::id).toList();
    }

    /** Writes an outcome and admits, as a worker does. */
    private void end(ClaimedJob job, Outcome outcome) {
        Exchange written = write(outcome);
        assertThat(written.rejected()).isEmpty();
        store().claims().admit(Set.of(String.valueOf(job.line())));
    }

    private void complete(ClaimedJob job) {
        end(job, new Outcome.Completed(job.claim(), null));
    }

    @Test
    void atMostSoManyJobsOfALineCanBeClaimed() {
        limit(3);
        List<JobId> ids = enqueue(LINE, 5);

        List<ClaimedJob> claimed = claim();

        assertThat(ids(claimed)).containsExactlyElementsOf(ids.subList(0, 3));
        assertThat(claimed).allSatisfy(job -> {
            assertThat(job.line()).isEqualTo(LINE);
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
    void linesDoNotLimitEachOtherNorPlainJobs() {
        limit(1);
        enqueue("key/mail/acme", 2);
        enqueue("key/mail/other", 2);
        enqueue("name/mail", 2);
        enqueue(job("mail"));

        List<ClaimedJob> claimed = claim();

        assertThat(claimed.stream().map(job -> String.valueOf(job.line())))
                .containsExactlyInAnyOrder("key/mail/acme", "key/mail/other", "name/mail", "null");
        assertThat(claimed.stream().filter(job -> job.line() == null)).noneMatch(ClaimedJob::keepsPlace);
    }

    @Test
    void withoutALimitOfTheHandlerAKeyRunsOneJobAtATimeAndAFairKeyTwoHundred() {
        enqueue("key/mail/acme", 2);
        enqueue("fair/acme", 201);

        List<ClaimedJob> claimed = claims("n").exchange(List.of(), 500).claimed();

        assertThat(claimed.stream().filter(job -> job.line().startsWith("key/")))
                .hasSize(1);
        assertThat(claimed.stream().filter(job -> job.line().startsWith("fair/")))
                .hasSize(200)
                .noneMatch(ClaimedJob::keepsPlace);
    }

    /** Their rows tell who runs: a job of a node that died is still admitted. */
    @Test
    void aJobOfADeadNodeKeepsItsPlaceAndGoesFirst() {
        limit(2);
        List<JobId> ids = enqueue(LINE, 4);
        dieRunning(2);
        store().claims().admit(Set.of(LINE));

        assertThat(ids(claim())).containsExactlyInAnyOrderElementsOf(ids.subList(0, 2));
    }

    /** A job that is shown as running leaves the index that claims walk, but not its place. */
    @Test
    void aJobThatIsShownAsRunningKeepsItsPlace() {
        limit(1);
        enqueue(LINE, 2);
        ClaimedJob first = claim().get(0);
        store().claims().markRunning(List.of(new Start(first.claim(), 3, 5, 10)));
        lines().admit(Set.of(LINE));
        assertThat(claim()).isEmpty();
        complete(first);
        assertThat(claim()).hasSize(1);
    }

    @Test
    void aReleasedJobKeepsItsPlace() {
        limit(1);
        List<JobId> ids = enqueue(LINE, 2);
        ClaimedJob first = claim().get(0);
        end(first, new Outcome.Released(first.claim()));
        assertThat(ids(claim())).containsExactly(ids.get(0));
    }

    @Test
    void aJobThatWaitsForItsNextAttemptGivesItsPlaceBack() {
        Map<String, Duration> later = laterLines();
        limit(1);
        List<JobId> ids = enqueue(LINE, 2);
        ClaimedJob first = claim().get(0);
        end(first, new Outcome.Retried(first.claim(), "no", MINUTE));

        ClaimedJob second = claim().get(0);

        assertThat(second.id()).isEqualTo(ids.get(1));
        assertThat(find(ids.get(0)).status()).isEqualTo(JobStatus.WAITING);
        complete(second);
        assertThat(claim()).isEmpty();
        assertThat(later.get(LINE)).isBetween(Duration.ofSeconds(31), MINUTE);
        advance(MINUTE);
        lines().admit(Set.of(LINE));
        ClaimedJob again = claim().get(0);
        assertThat(again.id()).isEqualTo(ids.get(0));
        assertThat(again.attempt()).isEqualTo(2);
    }

    @Test
    void inAnOrderedLineAJobThatWaitsForItsNextAttemptKeepsItsPlace() {
        List<JobId> ids = enqueue(FIFO, 2);
        ClaimedJob first = claim().get(0);
        end(first, new Outcome.Retried(first.claim(), "no", MINUTE));
        lines().admit(Set.of(FIFO));

        assertThat(claim()).isEmpty();
        advance(MINUTE);
        ClaimedJob again = claim().get(0);
        assertThat(again.id()).isEqualTo(ids.get(0));
        complete(again);
        assertThat(ids(claim())).containsExactly(ids.get(1));
    }

    @Test
    void jobsOfHigherPriorityComeFirstUnlessTheLineIsOrdered() {
        limit(1);
        for (String line : List.of(LINE, FIFO)) {
            enqueue(inLine(line));
            JobId low = enqueue(
                    JobDraft.named("mail").line(line).priority(Priority.LOW).job());
            JobId high = enqueue(
                    JobDraft.named("mail").line(line).priority(Priority.HIGH).job());
            complete(claim().get(0));
            ClaimedJob next = claim().get(0);
            assertThat(next.id()).isEqualTo(line.equals(FIFO) ? low : high);
            complete(next);
            complete(claim().get(0));
        }
    }

    /** It stands behind those that have that priority already. */
    @Test
    void aJobInLineCanBeRescheduledAndReprioritised() {
        limit(1);
        List<JobId> ids = enqueue(LINE, 4);
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
        lines().admit(Set.of(LINE));
        assertThat(ids(claim())).containsExactly(ids.get(1));
    }

    @Test
    void delayedJobsStandInLineUntilTheyAreDue() {
        Map<String, Duration> later = laterLines();
        JobId delayed = enqueue(JobDraft.named("mail").line(FIFO).delay(MINUTE).job());
        JobId now = enqueue(inLine(FIFO));

        ClaimedJob first = claim().get(0);

        assertThat(first.id()).isEqualTo(now);
        complete(first);
        assertThat(later.get(FIFO)).isBetween(Duration.ofSeconds(31), MINUTE);
        advance(MINUTE);
        lines().admit(Set.of(FIFO));
        assertThat(ids(claim())).containsExactly(delayed);
    }

    private Map<String, Duration> laterLines() {
        Map<String, Duration> later = Collections.synchronizedMap(new HashMap<>());
        lines().onLater((line, delay, alone) -> later.put(line, delay));
        return later;
    }

    @Test
    void whoeverCancelsAnAdmittedJobAdmitsTheNext() {
        limit(1);
        List<JobId> ids = enqueue(LINE, 4);
        assertThat(store().jobs().cancel(ids.get(0))).isEqualTo(Cancellation.CANCELLED);
        assertThat(store().dependencies().resolveDependents(List.of(ids.get(0))))
                .containsExactly(DEFAULT);
        assertThat(store().jobs().cancel(ids.get(2))).as("one in line").isEqualTo(Cancellation.CANCELLED);
        ClaimedJob second = claim().get(0);
        assertThat(second.id()).isEqualTo(ids.get(1));
        complete(second);
        assertThat(ids(claim())).containsExactly(ids.get(3));
    }

    @Test
    void aBulkCancellationAdmitsTheNext() {
        limit(1);
        JobId tagged = enqueue(JobDraft.named("mail").line(LINE).tags("old").job());
        JobId next = enqueue(inLine(LINE));
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
                .contains(
                        "fifo key 'order-17' waits for job " + ids.get(0) + ", which is pending; 1 before it in line");
        claim();
        assertThat(find(ids.get(2)).waitingReason())
                .contains("fifo key 'order-17' runs 1 of at most 1; 1 before it in line");
    }

    @Test
    void aJobSaysThatTheRateOfItsLineIsUsedUp() {
        lines().publish(Map.of("mail", new LineLimit(0, "", false, new JobRate(1, MINUTE))), Set.of());
        List<JobId> ids = enqueue("name/mail", 2);
        assertThat(find(ids.get(1)).waitingReason())
                .contains("mail starts at most 1 job(s) in 00:01:00; 0 before it in line");
        enqueue("key/mail//acme", 2);
        assertThat(find(enqueue("key/mail//acme", 1).get(0)).waitingReason())
                .contains("key '/acme' of mail starts at most 1 job(s) in 00:01:00; 1 before it in line");
    }

    @Test
    void whoeverCancelsAGraphAdmitsTheNext() {
        limit(1);
        GraphStore graphs = store().port(GraphStore.class);
        GraphId graph = graphs.submit(GraphDraft.empty().task("a").graph()).id();
        ClaimedJob task = claim().get(0);
        write(new Lined(task.claim(), LINE));
        lines().admit(Set.of(LINE));
        JobId next = enqueue(LINE, 1).get(0);
        assertThat(find(task.id()).status()).isEqualTo(JobStatus.PENDING);

        assertThat(graphs.cancel(graph, null, "not needed").lanes()).contains(DEFAULT);

        assertThat(ids(claim())).containsExactly(next);
    }

    @Test
    void anAdmittedJobThatExpiresLeavesItsPlace() {
        limit(1);
        JobId expiring =
                enqueue(JobDraft.named("mail").line(LINE).expiresIn(MINUTE).job());
        JobId next = enqueue(inLine(LINE));
        advance(MINUTE.plusSeconds(1));
        List<ExpiredJob> expired = inTransaction(tx -> store().recovery().expire(tx, 10, true));
        assertThat(expired).hasSize(1);
        store().dependencies().resolveDependents(List.of(expiring));
        assertThat(ids(claim())).containsExactly(next);
    }

    @Test
    void aDeadLetterThatIsRetriedStandsInLineAgain() {
        limit(1);
        List<JobId> ids = enqueue(LINE, 2);
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
        JobId id = enqueue(LINE, 1).get(0);
        ClaimedJob first = claim().get(0);
        end(first, new Outcome.Failed(first.claim(), "no"));
        store().jobs().retryAll(JobQuery.all().status(JobStatus.FAILED));
        assertThat(ids(claim())).containsExactly(id);
    }

    /** It is neither counted nor admitted before, and the sweep of waiting jobs does not take jobs in line for its own. */
    @Test
    void aJobThatDependsOnOthersIsPutInLineWhenTheyHaveEnded() {
        limit(1);
        JobId parent = enqueue(job("parent"));
        JobId child = enqueue(
                JobDraft.named("mail").line(LINE).dependsOn(List.of(parent)).job());
        JobId other = enqueue(inLine(LINE));
        JobId waiting = enqueue(inLine(LINE));
        inTransaction(tx -> store().dependencies().sweepWaiting(tx));
        List<ClaimedJob> claimed = claim();
        assertThat(ids(claimed)).containsExactlyInAnyOrder(parent, other);
        for (ClaimedJob job : claimed) {
            write(new Outcome.Completed(job.claim(), null));
        }
        store().dependencies().resolveDependents(List.of(parent));
        lines().admit(Set.of(LINE));
        ClaimedJob next = claim().get(0);
        assertThat(next.id()).isEqualTo(waiting);
        complete(next);
        assertThat(ids(claim())).containsExactly(child);
    }

    @Test
    void aJobThatCameInPlainIsPutInLineWithoutAnAttempt() {
        limit(1);
        JobId id = enqueue(job("mail"));
        JobId before = enqueue(inLine(LINE));
        List<ClaimedJob> claimed = claim();
        ClaimedJob plain =
                claimed.stream().filter(job -> job.id().equals(id)).findFirst().orElseThrow();
        write(new Lined(plain.claim(), LINE));
        store().claims().admit(Set.of(LINE));

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
        assertThat(write(new Lined(plain.claim(), LINE)).rejected())
                .as("the claim is over")
                .containsExactly(plain.claim());
    }

    @Test
    void aLimitThatIsLoweredEndsNothingAndStartsNothingNew() {
        limit(3);
        List<JobId> ids = enqueue(LINE, 5);
        List<ClaimedJob> claimed = claim();
        assertThat(claimed).hasSize(3);
        limit(1);
        complete(claimed.get(0));
        complete(claimed.get(1));
        assertThat(claim()).isEmpty();
        complete(claimed.get(2));
        assertThat(ids(claim())).containsExactly(ids.get(3));
        limit(2);
        lines().admit(Set.of(LINE));
        assertThat(ids(claim())).containsExactly(ids.get(4));
    }

    @Test
    void aRateAdmitsSoManyPerInterval() {
        Map<String, Duration> later = laterLines();
        lines().publish(Map.of("mail", new LineLimit(0, "", false, new JobRate(2, MINUTE, 2))), Set.of());
        List<JobId> ids = enqueue("name/mail", 4);
        assertThat(ids(claim())).containsExactlyElementsOf(ids.subList(0, 2));
        assertThat(later.get("name/mail")).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(30));
        lines().admit(Set.of("name/mail"));
        assertThat(claim()).isEmpty();
        advance(Duration.ofSeconds(31));
        lines().admit(Set.of("name/mail"));
        assertThat(ids(claim())).containsExactly(ids.get(2));
        advance(Duration.ofSeconds(31));
        lines().admit(Set.of("name/mail"));
        assertThat(ids(claim())).containsExactly(ids.get(3));
    }

    @Test
    void aRateIsCountedAgainWhereJobsBegin() {
        lines().publish(Map.of("mail", new LineLimit(0, "", false, new JobRate(2, MINUTE, 2))), Set.of());
        assertThat(lines().mayBegin("name/mail")).isEqualTo(Begin.NOW);
        assertThat(lines().mayBegin("name/mail")).as("within the burst").isEqualTo(Begin.NOW);
        List<Duration> told = List.of(tooEarly(), tooEarly());
        assertThat(told.get(0)).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(30));
        assertThat(told.get(1)).as("one distance after the first").isBetween(Duration.ofSeconds(40), MINUTE);
        assertThat(lines().mayBegin("name/other")).as("another line").isEqualTo(Begin.NOW);
        advance(told.get(0));
        assertThat(lines().mayBegin("name/mail")).isEqualTo(Begin.NOW);
        assertThat(tooEarly()).isPositive();
        advance(Duration.ofHours(1));
        assertThat(lines().mayBegin("name/mail")).isEqualTo(Begin.NOW);
        assertThat(lines().mayBegin("name/mail")).isEqualTo(Begin.NOW);
        assertThat(tooEarly()).as("no more than a burst after a pause").isPositive();
    }

    private Duration tooEarly() {
        Begin begin = lines().mayBegin("name/mail");
        assertThat(begin.later()).isTrue();
        return begin.after();
    }

    @Test
    void manyWhoAskAtOnceAreCountedOneByOne() throws Exception {
        lines().publish(Map.of("mail", new LineLimit(0, "", false, new JobRate(60, Duration.ofHours(1), 3))), Set.of());
        AtomicInteger through = new AtomicInteger();
        List<Store> stores = List.of(store(), anotherNode(), anotherNode(), anotherNode());
        inParallel(4, node -> {
            for (int i = 0; i < 5; i++) {
                if (!stores.get(node).claims().mayBegin("name/mail").later()) {
                    through.incrementAndGet();
                }
            }
            return null;
        });
        assertThat(through).hasValue(3);
    }

    @Test
    void aJobThatComesTooEarlyKeepsItsPlaceAndComesBackBeforeOthersAreAdmitted() {
        lines().publish(Map.of("mail", new LineLimit(0, "", false, new JobRate(1, MINUTE, 1))), Set.of());
        List<JobId> ids = enqueue("name/mail", 2);
        ClaimedJob first = claim().get(0);
        assertThat(lines().mayBegin("name/mail")).isEqualTo(Begin.NOW);
        // As if an earlier job had begun just before.
        Duration told = tooEarly();

        end(first, new TooEarly(first.claim(), told));

        JobInfo back = find(ids.get(0));
        assertThat(back.status()).isEqualTo(JobStatus.PENDING);
        assertThat(back.attempt()).isZero();
        assertThat(back.waitingReason().orElseThrow())
                .startsWith("mail starts at most 1 job(s) in 00:01:00; it came too early, and comes back at ");
        assertThat(claim()).isEmpty();
        advance(told);
        lines().admit(Set.of("name/mail"));
        ClaimedJob again = claim().get(0);
        assertThat(again.id()).isEqualTo(ids.get(0));
        assertThat(again.attempt()).isEqualTo(1);
        assertThat(find(ids.get(1)).status()).as("it comes one distance later").isEqualTo(JobStatus.WAITING);
        advance(MINUTE);
        lines().admit(Set.of("name/mail"));
        assertThat(ids(claim())).containsExactly(ids.get(1));
    }

    @Test
    void aJobThatComesTooEarlyAndWasCancelledEnds() {
        lines().publish(Map.of("mail", new LineLimit(1, "", false, new JobRate(1, MINUTE, 1))), Set.of());
        JobId id = enqueue("name/mail", 1).get(0);
        ClaimedJob claimed = claim().get(0);
        store().jobs().cancel(id);

        TooEarly outcome = new TooEarly(claimed.claim(), MINUTE);
        Exchange written = write(outcome);

        assertThat(written.rejected()).isEmpty();
        assertThat(written.stored(outcome)).isInstanceOf(Outcome.Cancelled.class);
        assertThat(find(id).status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(write(outcome).stored(outcome))
                .as("written again, as after a lost acknowledgement")
                .isInstanceOf(Outcome.Cancelled.class);
    }

    @Test
    void jobsOfALineWithARateBeginAfterTheClockHasSteppedBack() {
        lines().publish(Map.of("mail", new LineLimit(0, "", false, new JobRate(1, MINUTE, 1))), Set.of());
        assertThat(lines().mayBegin("name/mail")).isEqualTo(Begin.NOW);
        tooEarly();
        advance(Duration.ofDays(-1));
        JobId id = enqueue("name/mail", 1).get(0);
        assertThat(ids(claim())).containsExactly(id);
        tooEarly();
        advance(MINUTE.plusSeconds(1));
        assertThat(lines().mayBegin("name/mail")).isEqualTo(Begin.NOW);
    }

    /** Otherwise nothing would begin until the clock is where it was. */
    @Test
    void theRateOfALineGoesOnAfterTheClockHasSteppedBack() {
        lines().publish(Map.of("mail", new LineLimit(0, "", false, new JobRate(1, MINUTE))), Set.of());
        enqueue("name/mail", 1);
        complete(claim().get(0));
        advance(Duration.ofHours(-1));
        JobId second = enqueue("name/mail", 1).get(0);
        assertThat(claim()).isEmpty();
        advance(MINUTE.plusSeconds(1));
        lines().admit(Set.of("name/mail"));
        assertThat(ids(claim())).containsExactly(second);
    }

    /** Only the rate is limited, so the jobs of a key may run side by side. */
    @Test
    void aRateForEachKeyDoesNotLimitHowManyJobsOfAKeyRunAtATime() {
        lines().publish(Map.of("mail", new LineLimit(0, "customer.id", false, new JobRate(3, MINUTE, 3))), Set.of());
        List<JobId> ids = enqueue(LINE, 4);
        assertThat(ids(claim())).containsExactlyElementsOf(ids.subList(0, 3));
    }

    /** Otherwise a job that comes two days after the last one would begin as if nothing had begun in this week. */
    @Test
    void aLineIsNotForgottenBeforeItsRateIsUnused() {
        Duration week = Duration.ofDays(7);
        lines().publish(Map.of("mail", new LineLimit(0, "", false, new JobRate(1, week, 1))), Set.of());
        enqueue("name/mail", 1);
        complete(claim().get(0));
        advance(Duration.ofDays(2));
        inTransaction(tx -> lines().forget(tx));
        JobId second = enqueue("name/mail", 1).get(0);
        assertThat(claim()).isEmpty();
        advance(Duration.ofDays(5).plusMinutes(1));
        lines().admit(Set.of("name/mail"));
        assertThat(ids(claim())).containsExactly(second);
    }

    /** Otherwise a job that an operator moves to tomorrow would keep its line's place until then. */
    @Test
    void anAdmittedJobThatIsRescheduledGivesItsPlaceBackUnlessTheLineIsOrdered() {
        limit(1);
        for (String line : List.of(LINE, FIFO)) {
            List<JobId> ids = enqueue(line, 2);
            assertThat(store().jobs().reschedule(ids.get(0), MINUTE, null)).isPresent();
            if (line.equals(LINE)) {
                ClaimedJob other = claim().get(0);
                assertThat(other.id()).isEqualTo(ids.get(1));
                complete(other);
                assertThat(find(ids.get(0)).status()).isEqualTo(JobStatus.WAITING);
            }
            assertThat(claim()).isEmpty();
            advance(MINUTE);
            lines().admit(Set.of(line));
            ClaimedJob moved = claim().get(0);
            assertThat(moved.id()).isEqualTo(ids.get(0));
            complete(moved);
            claim().forEach(this::complete);
        }
    }

    /** After a failover the clock may be behind the one that the floors were taken from. */
    @Test
    void aClockThatStepsBackNeitherHidesJobsNorPlaces() {
        for (String line : List.of(LINE, FIFO)) {
            limit(1);
            for (int i = 0; i < 3; i++) {
                enqueue(line, 1);
                complete(claim().get(0));
                advance(Duration.ofSeconds(10));
            }
            enqueue(line, 1);
            ClaimedJob first = claim().get(0);
            advance(Duration.ofSeconds(-20));
            end(first, new Outcome.Released(first.claim()));
            JobId second = enqueue(line, 1).get(0);
            advance(Duration.ofSeconds(30));
            JobId third = enqueue(line, 1).get(0);
            for (JobId id : List.of(first.id(), second, third)) {
                List<ClaimedJob> claimed = claim();
                assertThat(ids(claimed)).as(line).containsExactly(id);
                complete(claimed.get(0));
            }
        }
    }

    @Test
    void publishedLimitsCanBeReadAndRemoved() {
        LineLimit limit = new LineLimit(3, "customer.id", false, new JobRate(100, MINUTE));
        LineLimit ordered = new LineLimit(0, "", true, null);
        lines().publish(Map.of("mail", limit, "print", ordered), Set.of());
        assertThat(store().nodes().lineLimits(null)).isEqualTo(Map.of("mail", limit, "print", ordered));
        lines().publish(Map.of(), Set.of("mail", "unknown"));
        assertThat(store().nodes().lineLimits(null)).isEqualTo(Map.of("print", ordered));
    }

    /** In a caller's transaction nobody is admitted; the sweep does it if nobody else does. */
    @Test
    void jobsOfACallersTransactionAreAdmittedAfterItsCommitAndHoldUpNobody() throws Exception {
        limit(2);
        try (Connection connection = transaction()) {
            JobId open =
                    store().jobs().enqueue(connection, List.of(inLine(LINE))).get(0);
            JobId other = enqueue(LINE, 1).get(0);
            assertThat(ids(claim())).as("an open transaction delays nobody").containsExactly(other);
            connection.commit();
            assertThat(claim()).isEmpty();
            assertThat(lines().sweep().lanes()).containsExactly(DEFAULT);
            assertThat(ids(claim())).containsExactly(open);
        }
    }

    @Test
    void aJobThatIsCommittedLateIsFoundByTheSweepAtLast() throws Exception {
        try (Connection connection = transaction()) {
            JobId late =
                    store().jobs().enqueue(connection, List.of(inLine(LINE))).get(0);
            for (int minute = 0; minute < 5; minute++) {
                JobId id = enqueue(LINE, 1).get(0);
                ClaimedJob job = claim().get(0);
                assertThat(job.id()).isEqualTo(id);
                complete(job);
                advance(MINUTE);
            }
            connection.commit();
            lines().sweep();
            assertThat(ids(claim())).containsExactly(late);
        }
    }

    /** The sweep meets a line all of whose places are taken: whoever frees one admits the job that it has found. */
    @Test
    void aJobThatIsCommittedLateWaitsForItsTurnAndNoLonger() throws Exception {
        try (Connection connection = transaction()) {
            JobId late =
                    store().jobs().enqueue(connection, List.of(inLine(LINE))).get(0);
            for (int minute = 0; minute < 5; minute++) {
                enqueue(LINE, 1);
                complete(claim().get(0));
                advance(MINUTE);
            }
            enqueue(LINE, 2);
            ClaimedJob running = claim().get(0);
            connection.commit();
            lines().sweep();
            assertThat(claim()).isEmpty();
            complete(running);
            assertThat(ids(claim())).containsExactly(late);
        }
    }

    /** Its floors must not pass a job that was put in line before and is committed later: it would be overtaken for good. */
    @Test
    void anOrderedLineNeverPassesAJobThatIsCommittedLate() throws Exception {
        try (Connection connection = transaction()) {
            JobId late =
                    store().jobs().enqueue(connection, List.of(inLine(FIFO))).get(0);
            for (int minute = 0; minute < 5; minute++) {
                enqueue(FIFO, 1);
                complete(claim().get(0));
                advance(MINUTE);
            }
            connection.commit();
            enqueue(FIFO, 1);
            assertThat(ids(claim())).containsExactly(late);
        }
    }

    /** Floors that were proposed while its transaction was open come into force while it still stands in line. */
    @Test
    void aJobThatIsCommittedBetweenTwoLooksAtTheFloorsIsNeitherPassedNorLost() throws Exception {
        limit(1);
        for (String line : List.of(FIFO, LINE)) {
            enqueue(line, 1);
            ClaimedJob first = claim().get(0);
            JobId late;
            JobId overlapping;
            try (Connection connection = transaction()) {
                late = store().jobs().enqueue(connection, List.of(inLine(line))).get(0);
                advance(Duration.ofSeconds(2));
                overlapping = enqueue(line, 1).get(0);
                connection.commit();
            }
            advance(Duration.ofSeconds(2));
            JobId last = enqueue(line, 1).get(0);
            complete(first);
            for (JobId id : List.of(late, overlapping, last)) {
                List<ClaimedJob> claimed = claim();
                assertThat(ids(claimed)).as(line).containsExactly(id);
                complete(claimed.get(0));
            }
        }
    }

    @Test
    void linesWithoutJobsAreForgottenAfterADayAndCreatedAgain() {
        limit(1);
        complete(claimAfter(LINE));
        JobId waiting = enqueue(FIFO, 2).get(1);
        advance(Duration.ofDays(2));
        inTransaction(tx -> lines().forget(tx));
        complete(claim().get(0));
        assertThat(ids(claim())).containsExactly(waiting);
        complete(claimAfter(LINE));
    }

    private ClaimedJob claimAfter(String line) {
        enqueue(line, 1);
        return claim().stream()
                .filter(job -> line.equals(job.line()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void anAdmissionThatFindsTheLineLockedIsLeftForLater() throws Exception {
        Map<String, Duration> later = laterLines();
        limit(2);
        enqueue(LINE, 1);
        try (Connection connection = transaction()) {
            lockLine(connection);
            JobId id = enqueue(LINE, 1).get(0);
            assertThat(find(id).status()).as("enqueued all the same").isEqualTo(JobStatus.WAITING);
            assertThat(later).containsKey(LINE);
        }
        assertThat(lines().admit(Set.of(LINE))).containsExactly(DEFAULT);
    }

    /** The port has no method that keeps a line locked: whoever forgets lines locks them until its transaction ends. */
    private void lockLine(Connection connection) throws Exception {
        advance(Duration.ofDays(2));
        lines().forget(connection);
    }

    @Test
    void manyAdmittersNeverAdmitMoreThanTheLimitAndLeaveNothingOver() throws Exception {
        limit(3);
        int jobs = 60;
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        List<Store> stores = List.of(store(), anotherNode(), anotherNode(), anotherNode());
        inParallel(4, node -> {
            Store own = stores.get(node);
            ClaimSession session =
                    own.claims().openClaims(new ClaimScope("n" + node, null, Set.of("general"), null, LEASE));
            for (int i = 0; i < jobs / 4; i++) {
                own.jobs().enqueue(List.of(inLine(LINE)));
            }
            List<Outcome> outcomes = List.of();
            while (done.get() < jobs) {
                running.addAndGet(-outcomes.size());
                List<ClaimedJob> claimed = session.exchange(outcomes, 5).claimed();
                if (!outcomes.isEmpty()) {
                    done.addAndGet(outcomes.size());
                    own.claims().admit(Set.of(LINE));
                }
                most.accumulateAndGet(running.addAndGet(claimed.size()), Math::max);
                outcomes = claimed.stream()
                        .map(job -> (Outcome) new Outcome.Completed(job.claim(), null))
                        .toList();
                session.wake(Set.of());
            }
            return null;
        });
        assertThat(most).hasValueLessThanOrEqualTo(3);
        assertThat(claim()).isEmpty();
    }
}
