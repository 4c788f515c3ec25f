package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.job.store.AdmissionStore.Begin;
import dev.muster.internal.job.store.AdmissionStore.TooEarly;
import dev.muster.internal.job.store.ClaimSession.Exchange;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.provider.Store;
import dev.muster.job.ConcurrencyLimit;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRate;
import dev.muster.job.JobStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** No more jobs of a group begin than its rate allows, wherever they are counted, and whichever way the clock steps. */
abstract class AdmissionRateContract extends AdmissionContract {
    @Test
    void aJobSaysThatTheRateOfItsGroupIsUsedUp() {
        admission().publish(Map.of("mail", new ConcurrencyLimit(0, "", false, new JobRate(1, MINUTE))), Set.of());
        List<JobId> ids = enqueue("name/mail", 2);
        assertThat(find(ids.get(1)).waitingReason()).contains("mail starts at most 1 job in 00:01:00; 0 before it");
        enqueue("key/mail//acme", 2);
        assertThat(find(enqueue("key/mail//acme", 1).get(0)).waitingReason())
                .contains("key '/acme' of mail starts at most 1 job in 00:01:00; 1 before it");
    }

    @Test
    void aRateAdmitsSoManyPerInterval() {
        Map<String, Duration> later = laterGroups();
        admission().publish(Map.of("mail", new ConcurrencyLimit(0, "", false, new JobRate(2, MINUTE, 2))), Set.of());
        List<JobId> ids = enqueue("name/mail", 4);
        assertThat(ids(claim())).containsExactlyElementsOf(ids.subList(0, 2));
        assertThat(later.get("name/mail")).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(30));
        admission().admit(Set.of("name/mail"));
        assertThat(claim()).isEmpty();
        advance(Duration.ofSeconds(31));
        admission().admit(Set.of("name/mail"));
        assertThat(ids(claim())).containsExactly(ids.get(2));
        advance(Duration.ofSeconds(31));
        admission().admit(Set.of("name/mail"));
        assertThat(ids(claim())).containsExactly(ids.get(3));
    }

    @Test
    void aRateIsCountedAgainWhereJobsBegin() {
        admission().publish(Map.of("mail", new ConcurrencyLimit(0, "", false, new JobRate(2, MINUTE, 2))), Set.of());
        assertThat(admission().mayBegin("name/mail")).isEqualTo(Begin.NOW);
        assertThat(admission().mayBegin("name/mail")).as("within the burst").isEqualTo(Begin.NOW);
        List<Duration> told = List.of(tooEarly(), tooEarly());
        assertThat(told.get(0)).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(30));
        assertThat(told.get(1)).as("one distance after the first").isBetween(Duration.ofSeconds(40), MINUTE);
        assertThat(admission().mayBegin("name/other")).as("another group").isEqualTo(Begin.NOW);
        advance(told.get(0));
        assertThat(admission().mayBegin("name/mail")).isEqualTo(Begin.NOW);
        assertThat(tooEarly()).isPositive();
        advance(Duration.ofHours(1));
        assertThat(admission().mayBegin("name/mail")).isEqualTo(Begin.NOW);
        assertThat(admission().mayBegin("name/mail")).isEqualTo(Begin.NOW);
        assertThat(tooEarly()).as("no more than a burst after a pause").isPositive();
    }

    private Duration tooEarly() {
        Begin begin = admission().mayBegin("name/mail");
        assertThat(begin.later()).isTrue();
        return begin.after();
    }

    @Test
    void manyWhoAskAtOnceAreCountedOneByOne() throws Exception {
        admission()
                .publish(
                        Map.of("mail", new ConcurrencyLimit(0, "", false, new JobRate(60, Duration.ofHours(1), 3))),
                        Set.of());
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
        admission().publish(Map.of("mail", new ConcurrencyLimit(0, "", false, new JobRate(1, MINUTE, 1))), Set.of());
        List<JobId> ids = enqueue("name/mail", 2);
        ClaimedJob first = claim().get(0);
        assertThat(admission().mayBegin("name/mail")).isEqualTo(Begin.NOW);
        // As if an earlier job had begun just before.
        Duration told = tooEarly();

        end(first, new TooEarly(first.claim(), told));

        JobInfo back = find(ids.get(0));
        assertThat(back.status()).isEqualTo(JobStatus.PENDING);
        assertThat(back.attempt()).isZero();
        assertThat(back.waitingReason().orElseThrow())
                .startsWith("mail starts at most 1 job in 00:01:00; it came too early, and comes back at ");
        assertThat(claim()).isEmpty();
        advance(told);
        admission().admit(Set.of("name/mail"));
        ClaimedJob again = claim().get(0);
        assertThat(again.id()).isEqualTo(ids.get(0));
        assertThat(again.attempt()).isEqualTo(1);
        assertThat(find(ids.get(1)).status()).as("it comes one distance later").isEqualTo(JobStatus.WAITING);
        advance(MINUTE);
        admission().admit(Set.of("name/mail"));
        assertThat(ids(claim())).containsExactly(ids.get(1));
    }

    @Test
    void aJobThatComesTooEarlyAndWasCancelledEnds() {
        admission().publish(Map.of("mail", new ConcurrencyLimit(1, "", false, new JobRate(1, MINUTE, 1))), Set.of());
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
    void jobsOfAGroupWithARateBeginAfterTheClockHasSteppedBack() {
        admission().publish(Map.of("mail", new ConcurrencyLimit(0, "", false, new JobRate(1, MINUTE, 1))), Set.of());
        assertThat(admission().mayBegin("name/mail")).isEqualTo(Begin.NOW);
        tooEarly();
        advance(Duration.ofDays(-1));
        JobId id = enqueue("name/mail", 1).get(0);
        assertThat(ids(claim())).containsExactly(id);
        tooEarly();
        advance(MINUTE.plusSeconds(1));
        assertThat(admission().mayBegin("name/mail")).isEqualTo(Begin.NOW);
    }

    /** Otherwise nothing would begin until the clock is where it was. */
    @Test
    void theRateOfAGroupContinuesAfterTheClockHasSteppedBack() {
        admission().publish(Map.of("mail", new ConcurrencyLimit(0, "", false, new JobRate(1, MINUTE))), Set.of());
        enqueue("name/mail", 1);
        complete(claim().get(0));
        advance(Duration.ofHours(-1));
        JobId second = enqueue("name/mail", 1).get(0);
        assertThat(claim()).isEmpty();
        advance(MINUTE.plusSeconds(1));
        admission().admit(Set.of("name/mail"));
        assertThat(ids(claim())).containsExactly(second);
    }

    /** Only the rate is limited, so the jobs of a key may run side by side. */
    @Test
    void aRateForEachKeyDoesNotLimitHowManyJobsOfAKeyRunAtATime() {
        admission()
                .publish(
                        Map.of("mail", new ConcurrencyLimit(0, "customer.id", false, new JobRate(3, MINUTE, 3))),
                        Set.of());
        List<JobId> ids = enqueue(GROUP, 4);
        assertThat(ids(claim())).containsExactlyElementsOf(ids.subList(0, 3));
    }

    /** Otherwise a job that comes two days after the last one would begin as if nothing had begun in this week. */
    @Test
    void aGroupIsNotForgottenBeforeItsRateIsUnused() {
        Duration week = Duration.ofDays(7);
        admission().publish(Map.of("mail", new ConcurrencyLimit(0, "", false, new JobRate(1, week, 1))), Set.of());
        enqueue("name/mail", 1);
        complete(claim().get(0));
        advance(Duration.ofDays(2));
        inTransaction(tx -> admission().forget(tx));
        JobId second = enqueue("name/mail", 1).get(0);
        assertThat(claim()).isEmpty();
        advance(Duration.ofDays(5).plusMinutes(1));
        admission().admit(Set.of("name/mail"));
        assertThat(ids(claim())).containsExactly(second);
    }
}
