package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimSession.Exchange;
import dev.muster.internal.job.store.ClaimStore.Start;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.job.store.QueueStore;
import dev.muster.job.JobId;
import dev.muster.job.JobRate;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.job.QueueInfo;
import dev.muster.job.QueueLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** No claim takes the jobs of a queue that nodes hold above the queue's limit, and no place is lost. */
abstract class QueueLimitContract extends JobStoreContract {
    private static final Lane MAIL = new Lane("mail", "");

    private QueueStore queues() {
        return store().queues();
    }

    private void limit(int jobs) {
        queues().limit("mail", QueueLimit.maxRunning(jobs));
    }

    private void enqueueMails(int jobs) {
        for (int i = 0; i < jobs; i++) {
            enqueue(JobDraft.named("send").lane("mail", "").job());
        }
    }

    /** What a node without a session so far claims. */
    private List<ClaimedJob> claim(String node, int want) {
        return claims(node).exchange(List.of(), want).claimed();
    }

    private static Outcome[] completed(List<ClaimedJob> jobs) {
        return jobs.stream()
                .map(job -> new Outcome.Completed(job.claim(), null))
                .toArray(Outcome[]::new);
    }

    @Test
    void nodesTogetherHoldNoMoreJobsThanTheLimit() {
        limit(3);
        enqueueMails(10);

        assertThat(claim("n1", 2)).hasSize(2);
        assertThat(claim("n2", 10)).hasSize(1);
        Exchange full = claims("n3").exchange(List.of(), 10);
        assertThat(full.claimed()).isEmpty();
        assertThat(full.exhausted()).as("it is no use to ask again at once").isTrue();
        assertThat(full.nextDue()).as("in case a wake-up is lost").isPresent();
    }

    @Test
    void jobsOfALimitedQueueKeepTheirPlace() {
        limit(1);
        enqueueMails(1);
        enqueue(job("plain"));

        assertThat(claim("n1", 10))
                .extracting(ClaimedJob::name, ClaimedJob::keepsPlace)
                .containsExactlyInAnyOrder(tuple("plain", false), tuple("send", true));
    }

    @Test
    void anExchangeClaimsIntoThePlacesThatItsOutcomesFree() {
        limit(2);
        enqueueMails(5);
        ClaimSession node = claims("n1");
        List<ClaimedJob> first = node.exchange(List.of(), 5).claimed();
        assertThat(first).hasSize(2);

        Exchange next = node.exchange(Arrays.asList(completed(first)), 5);

        assertThat(next.claimed()).hasSize(2);
        assertThat(next.returnedLater()).as("nobody else is needed").isEmpty();
    }

    /** The limited queue's exchange writes the outcome of a plain job: there is nothing else to claim. */
    @Test
    void anOutcomeWithoutAPlaceIsWrittenTogetherWithAClaim() {
        enqueue(job("plain"));
        ClaimSession node = claims("n1");
        List<ClaimedJob> plain = node.exchange(List.of(), 5).claimed();
        limit(2);
        enqueueMails(3);
        node.wake(Set.of());
        List<ClaimedJob> mails = node.exchange(List.of(), 5).claimed();
        assertThat(mails).hasSize(2);

        Exchange next = node.exchange(Arrays.asList(completed(List.of(plain.get(0), mails.get(0)))), 5);

        assertThat(next.rejected()).isEmpty();
        assertThat(next.claimed()).hasSize(1);
        assertThat(find(plain.get(0).id()).status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(claim("n2", 5)).isEmpty();
    }

    @Test
    void aNodeThatEndsJobsOfAQueueLearnsThatTheQueueHasLostItsLimit() {
        limit(2);
        enqueueMails(6);
        ClaimSession node = claims("n1");
        List<ClaimedJob> first = node.exchange(List.of(), 5).claimed();
        queues().limit("mail", QueueLimit.NONE);

        List<ClaimedJob> next = new ArrayList<>();
        next.addAll(node.exchange(Arrays.asList(completed(first)), 5).claimed());
        next.addAll(node.exchange(List.of(), 5).claimed());

        assertThat(next).as("without a wake-up").hasSize(4);
    }

    @Test
    void aNodeThatFreesAPlaceAndWantsNoJobTellsTheOthers() {
        limit(1);
        enqueueMails(2);
        ClaimSession node = claims("n1");
        List<ClaimedJob> first = node.exchange(List.of(), 1).claimed();

        assertThat(node.exchange(Arrays.asList(completed(first)), 0).returnedLater())
                .containsExactly(Map.entry(MAIL, Duration.ZERO));
    }

    @Test
    void aNodeThatIsWokenClaimsThePlaceThatWasFreed() {
        limit(1);
        enqueueMails(2);
        ClaimSession first = claims("n1");
        ClaimSession waiting = claims("n2");
        List<ClaimedJob> held = first.exchange(List.of(), 1).claimed();
        assertThat(waiting.exchange(List.of(), 1).claimed()).isEmpty();
        first.exchange(Arrays.asList(completed(held)), 0);

        waiting.wake(Set.of(MAIL));

        assertThat(waiting.exchange(List.of(), 1).claimed()).hasSize(1);
    }

    @Test
    void aPlaceIsFreeOnceItsJobIsNoLongerHeldHoweverThatCame() {
        limit(1);
        enqueueMails(1);

        ClaimedJob failed = claim("n1", 1).get(0);
        write(new Outcome.Retried(failed.claim(), "once more", Duration.ZERO));
        ClaimedJob released = claim("n2", 1).get(0);
        write(new Outcome.Released(released.claim()));
        ClaimedJob running =
                claims("n3", EXPIRED).exchange(List.of(), 1).claimed().get(0);
        store().claims().markRunning(List.of(new Start(running.claim(), 3, 5, 0)));
        assertThat(claim("n4", 1)).as("a running job keeps its place").isEmpty();
        assertThat(recoverExpired()).hasSize(1);

        assertThat(claim("n5", 1)).hasSize(1);
    }

    @Test
    void aJobThatANodeClaimsAgainIsCountedOnce() {
        limit(2);
        enqueueMails(2);
        ClaimSession node = claims("n1");
        ClaimedJob job = node.exchange(List.of(), 1).claimed().get(0);
        ClaimedJob other = node.exchange(List.of(), 1).claimed().get(0);
        node.exchange(List.of(new Outcome.Released(job.claim())), 0);
        node.wake(Set.of());
        assertThat(node.exchange(List.of(), 1).claimed()).hasSize(1);
        node.exchange(List.of(new Outcome.Completed(other.claim(), null)), 0);
        enqueueMails(2);

        assertThat(claim("n2", 5)).as("one of two places is used").hasSize(1);
    }

    @Test
    void jobsThatNeedACapabilityUseTheSamePlaces() {
        limit(2);
        enqueueMails(2);
        enqueue(JobDraft.named("send").lane("mail", "general").job());

        assertThat(claim("n1", 5)).hasSize(2);
    }

    @Test
    void aLoweredLimitEndsNothingAndStartsNothingUntilFewerRun() {
        limit(3);
        enqueueMails(6);
        ClaimSession node = claims("n1");
        List<ClaimedJob> held = new ArrayList<>(node.exchange(List.of(), 6).claimed());
        limit(1);

        assertThat(store().claims()
                        .renew(held.stream().map(ClaimedJob::claim).toList(), LEASE)
                        .lost())
                .isEmpty();
        Exchange two = node.exchange(Arrays.asList(completed(held.subList(0, 2))), 6);
        assertThat(two.claimed()).isEmpty();
        assertThat(node.exchange(Arrays.asList(completed(held.subList(2, 3))), 6)
                        .claimed())
                .hasSize(1);
    }

    @Test
    void aRaisedLimitIsUsedByWhoeverIsWoken() {
        limit(1);
        enqueueMails(5);
        ClaimSession node = claims("n1");
        assertThat(node.exchange(List.of(), 5).claimed()).hasSize(1);

        limit(4);
        node.wake(Set.of(MAIL));

        assertThat(node.exchange(List.of(), 5).claimed()).hasSize(3);
    }

    @Test
    void aNewLimitCountsTheJobsThatRunAlready() {
        enqueueMails(5);
        assertThat(claim("n1", 2)).hasSize(2);
        limit(3);

        assertThat(claim("n2", 5)).hasSize(1);
        assertThat(claim("n3", 5)).isEmpty();
    }

    @Test
    void withoutItsLimitAQueueIsLikeAnyOther() {
        limit(1);
        enqueueMails(5);
        ClaimSession node = claims("n1");
        assertThat(node.exchange(List.of(), 5).claimed()).hasSize(1);

        queues().limit("mail", QueueLimit.NONE);
        node.wake(Set.of(MAIL));
        List<ClaimedJob> rest = new ArrayList<>();
        for (Exchange exchange = node.exchange(List.of(), 5); ; exchange = node.exchange(List.of(), 5)) {
            rest.addAll(exchange.claimed());
            if (exchange.exhausted()) {
                break;
            }
        }

        assertThat(rest).hasSize(4).noneMatch(ClaimedJob::keepsPlace);
    }

    @Test
    void aPausedQueueWithALimitIsPaused() {
        limit(2);
        enqueueMails(2);
        queues().pause("mail");
        assertThat(claim("n1", 5)).isEmpty();
        assertThat(claims("n2").exchange(List.of(), 5).pausedQueues()).containsExactly("mail");

        queues().resume("mail");
        assertThat(claim("n1", 5)).hasSize(2);
    }

    @Test
    void aLimitOfZeroLetsNothingStart() {
        limit(0);
        enqueueMails(1);

        assertThat(claim("n1", 5)).isEmpty();
    }

    @Test
    void aRateLetsABurstStartAndThenOneAfterTheOther() {
        queues().limit("mail", QueueLimit.rate(new JobRate(6, Duration.ofHours(1), 2)));
        enqueueMails(10);
        assertThat(claim("n1", 5)).hasSize(2);
        Exchange soonest = claims("n2").exchange(List.of(), 5);
        assertThat(soonest.claimed()).isEmpty();
        assertThat(soonest.nextDue().orElseThrow()).isBetween(Duration.ofMinutes(1), Duration.ofMinutes(13));

        advance(Duration.ofMinutes(9));
        assertThat(claim("n3", 5)).isEmpty();
        advance(Duration.ofMinutes(2));
        assertThat(claim("n4", 5)).hasSize(1);
        advance(Duration.ofHours(5));
        assertThat(claim("n5", 5))
                .as("what was not used is lost, but for the burst")
                .hasSize(2);
    }

    @Test
    void bothLimitsHold() {
        queues().limit("mail", QueueLimit.of(1, new JobRate(60, Duration.ofHours(1), 5)));
        enqueueMails(5);
        assertThat(claim("n1", 5)).hasSize(1);

        queues().limit("mail", QueueLimit.of(5, new JobRate(1, Duration.ofHours(1), 1)));
        assertThat(claim("n2", 5)).as("a new rate begins unused").hasSize(1);
        assertThat(claim("n3", 5)).isEmpty();
    }

    /** Otherwise nothing would start until the clock is where it was. */
    @Test
    void theRateOfAQueueContinuesAfterTheClockHasSteppedBack() {
        queues().limit("mail", QueueLimit.rate(new JobRate(60, Duration.ofHours(1), 2)));
        enqueueMails(2);
        assertThat(claim("n1", 5)).hasSize(2);

        advance(Duration.ofHours(-5));
        enqueueMails(5);
        assertThat(claim("n2", 5)).as("it starts over").hasSize(2);
        assertThat(claim("n3", 5)).isEmpty();
        advance(Duration.ofSeconds(61));
        assertThat(claim("n4", 5)).hasSize(1);
    }

    /** Otherwise a script that sets the limit again and again would let a burst start each time. */
    @Test
    void aRateThatIsSetAgainIsAsUsedAsItWas() {
        JobRate rate = new JobRate(1, Duration.ofHours(1), 1);
        queues().limit("mail", QueueLimit.rate(rate));
        enqueueMails(5);
        assertThat(claim("n1", 5)).hasSize(1);

        queues().limit("mail", QueueLimit.rate(rate));
        assertThat(claim("n2", 5)).isEmpty();
        queues().limit("mail", QueueLimit.of(5, rate));
        assertThat(claim("n3", 5)).as("only the number of places is new").isEmpty();
        queues().limit("mail", QueueLimit.NONE);
        queues().limit("mail", QueueLimit.rate(rate));
        assertThat(claim("n4", 5)).as("there was no rate meanwhile").hasSize(1);
    }

    @Test
    void theListSaysWhichQueuesHaveALimit() {
        limit(3);
        queues().limit("sms", QueueLimit.of(null, JobRate.parse("100/1m")));
        enqueue(job("plain"));

        assertThat(queues().list())
                .extracting(
                        QueueInfo::name,
                        info -> info.limit().maxRunning().orElse(-1),
                        info -> info.limit().rate().map(JobRate::toString))
                .containsExactly(
                        tuple("default", -1, Optional.empty()),
                        tuple("mail", 3, Optional.empty()),
                        tuple("sms", -1, Optional.of("100/1m")));
    }

    @Test
    void nodesThatAskAtTheSameTimeNeverExceedTheLimitAndUseAllPlaces() throws Exception {
        limit(3);
        enqueueMails(60);
        List<JobId> done = Collections.synchronizedList(new ArrayList<>());
        inParallel(6, number -> {
            ClaimSession node = claimsOfAnotherStore("n" + number);
            List<ClaimedJob> held = List.of();
            while (done.size() < 60) {
                held = node.exchange(Arrays.asList(completed(held)), 2).claimed();
                held.forEach(job -> done.add(job.id()));
                assertThat(queues().list().get(0).claimed()).isLessThanOrEqualTo(3);
                node.wake(Set.of(MAIL));
            }
            return node.exchange(Arrays.asList(completed(held)), 0);
        });

        assertThat(done).doesNotHaveDuplicates().hasSize(60);
        assertThat(queues().list().get(0).claimed()).isZero();
    }
}
