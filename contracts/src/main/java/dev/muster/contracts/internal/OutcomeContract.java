package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimSession.Exchange;
import dev.muster.internal.job.store.ClaimStore.CompletionState;
import dev.muster.internal.job.store.ClaimStore.HandedBack;
import dev.muster.internal.job.store.ClaimStore.Marked;
import dev.muster.internal.job.store.ClaimStore.Renewal;
import dev.muster.internal.job.store.ClaimStore.Start;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.JobStore;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.job.Cancellation;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.job.Priority;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Outcomes in every {@link JobStore}: each is accepted once, from the holder of the claim only; and what it does to the job. */
abstract class OutcomeContract extends JobStoreContract {

    @Test
    void aCompletionIsAcceptedOnceAndRecognisedWhenRepeated() {
        JobId id = enqueue(job("a"));
        ClaimedJob claimed = claimOne("n1", LEASE);
        Outcome done = new Outcome.Completed(claimed.claim(), "{\"x\": 1}");

        assertThat(write(done).rejected()).isEmpty();
        assertThat(write(done).rejected()).isEmpty();

        assertThat(find(id).status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(find(id).result()).contains("{\"x\": 1}");
        assertThat(find(id).attempt()).isEqualTo(1);
    }

    @Test
    void aStaleClaimCanDoNothing() {
        JobId id = enqueue(job("a"));
        ClaimRef stale = claimOne("n1", EXPIRED).claim();
        assertThat(recoverExpired()).hasSize(1);
        ClaimRef current = claimOne("n2", LEASE).claim();

        assertThat(write(new Outcome.Completed(stale, null)).rejected()).containsExactly(stale);
        assertThat(write(new Outcome.Failed(stale, "no")).rejected()).containsExactly(stale);
        assertThat(write(new Outcome.Retried(stale, "no", Duration.ZERO)).rejected())
                .containsExactly(stale);
        assertThat(write(new Outcome.Released(stale)).rejected()).containsExactly(stale);
        assertThat(write(new Outcome.Cancelled(stale, "no")).rejected()).containsExactly(stale);
        assertThat(store().claims().renew(List.of(stale), LEASE).lost()).containsExactly(stale);
        assertThat(store().claims()
                        .markRunning(List.of(new Start(stale, 3, 5, 0)))
                        .lost())
                .containsExactly(stale);

        assertThat(find(id).status()).isEqualTo(JobStatus.CLAIMED);
        assertThat(find(id).node()).contains("n2");
        assertThat(write(new Outcome.Completed(current, null)).rejected()).isEmpty();
    }

    @Test
    void whatWasAskedToCancelBeforeItsStartWasWrittenDoesNotStart() {
        JobId id = enqueue(job("a"));
        ClaimRef claim = claimOne("n1", LEASE).claim();
        assertThat(store().jobs().cancel(id)).isEqualTo(Cancellation.REQUESTED);

        Marked marked = store().claims().markRunning(List.of(new Start(claim, 1, 0, 0)));

        assertThat(marked.running()).isEmpty();
        assertThat(marked.lost()).isEmpty();
        assertThat(write(new Outcome.Released(claim)).rejected()).isEmpty();
        assertThat(find(id).status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void whatWasAskedToCancelEndsWhenAClaimThatNobodyKnowsOfIsGivenBack() {
        JobId id = enqueue(job("a"));
        ClaimSession session = claims("n1");
        assertThat(session.exchange(List.of(), 1).claimed()).hasSize(1);
        store().jobs().cancel(id);

        session.releaseUnknown(List.of());

        assertThat(find(id).status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void aSuspectThatWasNotEnteredStaysOne() {
        JobId id = enqueue(job("a"));
        claimOne("n1", EXPIRED);
        assertThat(recoverExpired()).hasSize(1);
        ClaimedJob suspect = claimOne("n2", LEASE);
        assertThat(suspect.suspect()).isTrue();
        write(new Outcome.Snoozed(suspect.claim(), Duration.ZERO, "no key"));
        suspect = claimOne("n2", LEASE);
        assertThat(suspect.suspect()).as("after a node could not read it").isTrue();
        write(new Outcome.Snoozed(suspect.claim(), Duration.ZERO));
        assertThat(claimOne("n2", LEASE).suspect())
                .as("after its handler asked for a pause")
                .isFalse();
        assertThat(find(id).attempt()).isEqualTo(1);
    }

    @Test
    void aCrashIsChargedToWhoeverEndedItsNode() {
        JobId id = enqueue(job("a"));
        ClaimRef first = claimOne("n1", LEASE).claim();
        assertThat(store().claims().crashed(List.of(new Start(first, 3, 2, 0))))
                .singleElement()
                .satisfies(job -> assertThat(job.status()).isEqualTo(JobStatus.PENDING));
        assertThat(store().claims().crashed(List.of(new Start(first, 3, 2, 0))))
                .as("repeated")
                .isEmpty();
        assertThat(find(id).crashes()).isEqualTo(1);

        ClaimedJob again = claimOne("n2", LEASE);
        assertThat(again.suspect()).isTrue();
        assertThat(store().claims().crashed(List.of(new Start(again.claim(), 3, 2, 0))))
                .hasSize(1);
        assertThat(find(id).status()).isEqualTo(JobStatus.FAILED);
        assertThat(find(id).crashes()).isEqualTo(2);
        assertThat(find(id).error().orElseThrow()).contains("System.exit").contains("n2");
    }

    @Test
    void oneRefusedOutcomeFailsItsOwnJobAndNoOther() {
        int count = 20;
        store().jobs().enqueue(IntStream.range(0, count).mapToObj(i -> job("a")).toList());
        List<ClaimedJob> claimed = claims("n1").exchange(List.of(), count).claimed();
        List<Outcome> outcomes = new ArrayList<>();
        for (ClaimedJob job : claimed) {
            outcomes.add(new Outcome.Completed(job.claim(), "{\"ok\": true}"));
        }
        outcomes.set(7, new Outcome.Completed(claimed.get(7).claim(), "{\"bad\": \"\\u0000\"}"));
        outcomes.set(13, new Outcome.Failed(claimed.get(13).claim(), "nul \0 in a message"));
        enqueue(job("next"));

        Exchange exchange = claims("n1").exchange(outcomes, 5);

        assertThat(exchange.rejected()).isEmpty();
        assertThat(find(claimed.get(7).id()).status()).isEqualTo(JobStatus.FAILED);
        assertThat(find(claimed.get(7).id()).error())
                .hasValueSatisfying(e -> assertThat(e).contains("refused"));
        assertThat(find(claimed.get(13).id()).status()).isEqualTo(JobStatus.FAILED);
        assertThat(store().jobReader().list(JobQuery.all().status(JobStatus.COMPLETED)))
                .hasSize(count - 2);
    }

    @Test
    void aRetryKeepsItsAttemptAndWaits() {
        JobId id = enqueue(job("a"));
        ClaimRef claim = claimOne("n1", LEASE).claim();

        write(new Outcome.Retried(claim, "boom", Duration.ofHours(1)));

        JobInfo job = find(id);
        assertThat(job.status()).isEqualTo(JobStatus.PENDING);
        assertThat(job.attempt()).isEqualTo(1);
        assertThat(job.error()).contains("boom");
        assertThat(claims("n1").exchange(List.of(), 1).claimed()).isEmpty();
    }

    @Test
    void aReleasedJobCountsNothingAndGoesFirstInItsPriority() {
        JobId released = enqueue(job("a"));
        ClaimRef claim = claimOne("n1", LEASE).claim();
        store().jobs().enqueue(IntStream.range(0, 50).mapToObj(i -> job("a")).toList());
        JobId high = enqueue(JobDraft.named("a").priority(Priority.HIGH).job());
        ClaimSession other = claims("n2");
        assertThat(other.exchange(List.of(), 1).claimed())
                .extracting(ClaimedJob::id)
                .containsExactly(high);

        Exchange exchange = write(new Outcome.Released(claim));

        assertThat(exchange.returned()).containsExactly(DEFAULT);
        assertThat(find(released).attempt()).isZero();
        ClaimedJob next = other.exchange(List.of(), 1).claimed().get(0);
        assertThat(next.id()).isEqualTo(released);
        assertThat(next.attempt()).isEqualTo(1);
        assertThat(next.suspect()).isFalse();
    }

    @Test
    void cancelEndsWhatIsPendingAndAsksWhatRuns() {
        JobId pending = enqueue(job("a"));
        assertThat(store().jobs().cancel(pending)).isEqualTo(Cancellation.CANCELLED);
        assertThat(store().jobs().cancel(pending)).isEqualTo(Cancellation.ALREADY_ENDED);
        assertThat(store().jobs().cancel(JobId.next())).isEqualTo(Cancellation.NOT_FOUND);
        assertThat(find(pending).status()).isEqualTo(JobStatus.CANCELLED);

        enqueue(job("a"));
        ClaimRef claim = claimOne("n1", LEASE).claim();
        assertThat(store().jobs().cancel(claim.id())).isEqualTo(Cancellation.REQUESTED);
        assertThat(store().claims().inspect(List.of(claim)).cancelled()).containsExactly(claim);
        assertThat(store().claims().renew(List.of(claim), LEASE).cancelled()).containsExactly(claim);
        write(new Outcome.Cancelled(claim, "asked to"));
        assertThat(find(claim.id()).status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void aJobThatIsCancelledWhileItIsHandedBackEndsAsCancelled() {
        enqueue(job("a"));
        ClaimRef claim = claimOne("n1", LEASE).claim();
        store().jobs().cancel(claim.id());

        for (String time : List.of("first", "repeated")) {
            Exchange exchange = write(new Outcome.Retried(claim, "boom", Duration.ofHours(1)));
            assertThat(exchange.rejected()).as(time).isEmpty();
            assertThat(exchange.cancelled()).as(time).containsExactly(claim);
        }

        assertThat(find(claim.id()).status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(find(claim.id()).error()).contains("boom");
    }

    /** History has the token of the claim, but not because of an outcome of its holder. */
    @Test
    void anOutcomeOfAClaimWhoseJobEndedWhenItWasTakenBackIsRejected() {
        JobId failed = enqueue(job("a"));
        ClaimRef crashed = claimOne("n1", EXPIRED).claim();
        store().claims().markRunning(List.of(new Start(crashed, 1, 0, 0)));
        JobId cancelled = enqueue(job("a"));
        ClaimRef asked = claimOne("n1", EXPIRED).claim();
        store().jobs().cancel(cancelled);
        assertThat(recoverExpired()).hasSize(2);
        assertThat(find(failed).status()).isEqualTo(JobStatus.FAILED);
        assertThat(find(cancelled).status()).isEqualTo(JobStatus.CANCELLED);

        for (ClaimRef stale : List.of(crashed, asked)) {
            List<Outcome> outcomes = List.of(
                    new Outcome.Completed(stale, null),
                    new Outcome.Failed(stale, "no"),
                    new Outcome.Retried(stale, "no", Duration.ZERO),
                    new Outcome.Snoozed(stale, Duration.ZERO),
                    new Outcome.Released(stale),
                    new Outcome.Cancelled(stale, "no"));
            outcomes.forEach(outcome ->
                    assertThat(write(outcome).rejected()).as(outcome.toString()).containsExactly(stale));
            assertThat(store().claims().completionOf(stale)).isEqualTo(CompletionState.LOST);
        }
    }

    @Test
    void eachWayToEndIsRecognisedWhenRepeated() {
        List<Function<ClaimRef, Outcome>> ends = List.of(
                claim -> new Outcome.Completed(claim, "1"),
                claim -> new Outcome.Failed(claim, "boom"),
                claim -> new Outcome.Cancelled(claim, "asked to"));
        for (Function<ClaimRef, Outcome> end : ends) {
            enqueue(job("a"));
            Outcome outcome = end.apply(claimOne("n1", LEASE).claim());
            for (String time : List.of("first", "repeated")) {
                Exchange exchange = write(outcome);
                assertThat(exchange.rejected()).as(time).isEmpty();
                assertThat(exchange.stored(outcome)).as(time).hasSameClassAs(outcome);
            }
        }
    }

    @Test
    void whatIsReleasedOverTheControlConnectionIsToldClaimByClaim() {
        enqueue(job("a"));
        ClaimRef stale = claimOne("n1", EXPIRED).claim();
        assertThat(recoverExpired()).singleElement().satisfies(job -> {
            assertThat(job.id()).isEqualTo(stale.id());
            assertThat(job.token()).isEqualTo(stale.token());
        });
        ClaimRef held = claimOne("n1", LEASE).claim();
        enqueue(job("a"));
        ClaimRef cancelled = claimOne("n1", LEASE).claim();
        store().jobs().cancel(cancelled.id());

        HandedBack handedBack = store().claims().release(List.of(stale, held, cancelled));

        assertThat(handedBack).isEqualTo(new HandedBack(Set.of(DEFAULT), Set.of(held), Set.of(cancelled)));
    }

    @Test
    void aClaimTellsHowLongItsJobWasClaimable() {
        enqueue(job("a"));
        advance(Duration.ofMinutes(5));
        assertThat(claimOne("n1", LEASE).waitedMicros())
                .isBetween(TimeUnit.MINUTES.toMicros(5), TimeUnit.MINUTES.toMicros(10));
    }

    @Test
    void aDeadLetterCanBeRetriedWithACleanSlate() {
        JobId id = enqueue(job("a"));
        write(new Outcome.Failed(claimOne("n1", LEASE).claim(), "boom"));

        assertThat(store().jobs().retry(id)).contains(DEFAULT);

        assertThat(find(id).status()).isEqualTo(JobStatus.PENDING);
        assertThat(claimOne("n1", LEASE).attempt()).isEqualTo(1);
        assertThat(store().jobs().retry(id)).isEmpty();
    }

    @Test
    void completionInTheHandlersTransactionIsAllOrNothing() throws SQLException {
        enqueue(job("a"));
        ClaimRef claim = claimOne("n1", LEASE).claim();

        try (Connection connection = transaction()) {
            assertThat(store().claims().completeIn(connection, claim, "1")).isTrue();
            assertThat(store().claims().completionOf(claim)).isEqualTo(CompletionState.OPEN);
            connection.rollback();
        }
        assertThat(store().claims().completionOf(claim)).isEqualTo(CompletionState.ROLLED_BACK);

        try (Connection connection = transaction()) {
            assertThat(store().claims().completeIn(connection, claim, "1")).isTrue();
            connection.commit();
        }
        assertThat(store().claims().completionOf(claim)).isEqualTo(CompletionState.COMMITTED);
        assertThat(find(claim.id()).status()).isEqualTo(JobStatus.COMPLETED);
        try (Connection connection = transaction()) {
            assertThat(store().claims().completeIn(connection, claim, "1")).isFalse();
        }
    }

    @Test
    void anOpenCompletionDelaysNobodyElse() throws SQLException {
        store().jobs().enqueue(List.of(job("a"), job("a"), job("a")));
        List<ClaimedJob> claimed = claims("n1", EXPIRED).exchange(List.of(), 3).claimed();
        ClaimRef open = claimed.get(0).claim();
        ClaimRef other = claimed.get(1).claim();
        try (Connection connection = transaction()) {
            store().claims().completeIn(connection, open, null);

            assertThat(store().claims().renew(List.of(open, other), LEASE))
                    .isEqualTo(new Renewal(Set.of(), Set.of(), Set.of(open)));
            Marked marked = store().claims().markRunning(List.of(new Start(open, 3, 5, 0), new Start(other, 3, 5, 0)));
            assertThat(marked).isEqualTo(new Marked(Set.of(other), Set.of()));
            assertThat(recoverExpired())
                    .extracting(Recovered::id)
                    .containsExactly(claimed.get(2).id());
            assertThat(store().jobs().cancel(open.id())).isEqualTo(Cancellation.COMPLETING);
            assertThat(write(new Outcome.Completed(other, null)).rejected()).isEmpty();
            connection.commit();
        }
        assertThat(find(open.id()).status()).isEqualTo(JobStatus.COMPLETED);
    }
}
