package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.internal.job.payload.Payloads;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimStore.Start;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.workflow.WorkflowStore.StepKind;
import dev.muster.internal.workflow.WorkflowStore.StepRow;
import dev.muster.internal.workflow.WorkflowStore.StepState;
import dev.muster.job.ClaimLost;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.KeyConflict;
import dev.muster.job.payload.PayloadCipher;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.StepInfo;
import dev.muster.workflow.Workflows.RunQuery;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Runs and their steps: only the holder of the driver's claim writes about a run, and a stored result is never replaced. */
abstract class RunStepContract extends WorkflowStoreContract {
    /** The claim that a node held before another one took its run over. */
    private ClaimRef takenOver() {
        start(RunDraft.of("a"));
        ClaimRef stale = claimDriver(EXPIRED);
        assertThat(recoverExpired()).hasSize(1);
        assertThat(claimDriver(LEASE).token()).isNotEqualTo(stale.token());
        return stale;
    }

    @Test
    void aRunAndItsDriverAreStartedTogetherAndAKeyStartsOne() {
        JobId first = start(RunDraft.of("a").key("k"));

        assertThat(start(RunDraft.of("a").key("k"))).isEqualTo(first);
        assertThat(start(RunDraft.of("b").key("k"))).as("of another workflow").isNotEqualTo(first);
        assertThat(start(RunDraft.of("a").id(first))).isEqualTo(first);
        assertThat(start(RunDraft.of(RunDraft.version("a", "v2")).id(first)))
                .as("a newer version by now")
                .isEqualTo(first);

        assertThat(run(first).status()).isEqualTo(RunStatus.PENDING);
        assertThat(due()).hasSize(2).contains(first);
        assertThat(run(first).status()).isEqualTo(RunStatus.RUNNING);
    }

    @Test
    void aKeyOfARunStandsForOneInputHoweverItIsEncrypted() {
        Payloads plain = new Payloads(PayloadCipher.none());
        Payloads one = new Payloads(PayloadCipher.aesGcm(Map.of("k1", new byte[32]), "k1"));
        JobId first = start(RunDraft.of("a").key("k", plain, "{\"n\": 1, \"m\": 2}"));
        JobId secret = start(RunDraft.of("a").key("s", one, "1"));

        assertThat(start(RunDraft.of("a").key("k", plain, "{\"m\":2,\"n\":1}"))).isEqualTo(first);
        assertThat(start(RunDraft.of("a").key("k", one, "{\"m\":2,\"n\":1}"))).isEqualTo(first);
        assertThat(start(RunDraft.of("a").key("s", one, "1"))).isEqualTo(secret);
        assertThat(start(RunDraft.of("b").key("k", plain, "3"))).isNotEqualTo(first);
        for (RunDraft other : List.of(
                RunDraft.of("a").key("k", plain, "{\"n\": 1, \"m\": 3}"),
                RunDraft.of("a").key("k", one, "{\"n\": 1, \"m\": 3}"),
                RunDraft.of("a").key("s", one, "2"),
                // Whoever lacks the key cannot tell.
                RunDraft.of("a").key("s", plain, "1"))) {
            assertThatThrownBy(() -> start(other))
                    .isInstanceOfSatisfying(
                            KeyConflict.class, e -> assertThat(e.existing()).isIn(first, secret));
        }
        assertThat(due()).as("nothing else was started").hasSize(3);
    }

    @Test
    void aDelayedRunIsDueLater() {
        JobId id = start(RunDraft.of("a").delay(HOUR));
        assertThat(due()).isEmpty();
        advance(HOUR);
        assertThat(due()).containsExactly(id);
    }

    @Test
    void theIdOfAnotherRunOrJobIsRefused() throws Exception {
        JobId run = start(RunDraft.of("a"));
        JobId live = enqueue(job("plain"));
        assertThatThrownBy(() -> start(RunDraft.of("b").id(run)))
                .hasMessageContaining("a run of workflow 'b' cannot have the id " + run
                        + ", because it is that of a run of workflow 'a'");
        assertThatThrownBy(() -> enqueue(JobDraft.named("plain").id(run).job()))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining(
                        "job 'plain' cannot have the id " + run + ", because it is that of a run of workflow 'a'");
        String ofJob = "a run of workflow 'b' cannot have the id " + live + ", because it is that of job 'plain'";
        assertThatThrownBy(() -> start(RunDraft.of("b").id(live))).hasMessageContaining(ofJob);
        try (Connection connection = transaction()) {
            assertThatThrownBy(() -> runs().start(
                                    connection,
                                    List.of(
                                            RunDraft.of("c").run(),
                                            RunDraft.of("b").id(live).run())))
                    .hasMessageContaining(ofJob);
            connection.commit();
        }

        write(ended(claimDriver(LEASE), RunStatus.COMPLETED, null));
        write(new Outcome.Completed(claimOne("n1", LEASE).claim(), null));
        assertThatThrownBy(() -> start(RunDraft.of("b").id(live)))
                .as("the job has ended")
                .hasMessageContaining(ofJob);
        assertThatThrownBy(() -> enqueue(JobDraft.named("plain").id(run).job()))
                .as("the run has ended")
                .isInstanceOf(InvalidJob.class);

        JobId twice = JobId.next();
        assertThatThrownBy(() -> runs().start(List.of(
                        RunDraft.of("a").id(twice).run(),
                        RunDraft.of("b").id(twice).run())))
                .hasMessageContaining("because it is that of a run of workflow 'a'");
        assertThat(runs().list(RunQuery.all())).extracting(RunInfo::id).containsExactly(run);
        assertThat(due()).isEmpty();
    }

    @Test
    void aStartThatIsRolledBackLeavesNoRunNoDriverAndNoKey() throws Exception {
        JobId id;
        try (Connection tx = transaction()) {
            id = runs().start(tx, List.of(RunDraft.of("a").key("k").run()))
                    .ids()
                    .get(0);
            tx.rollback();
        }
        assertThat(runs().find(id)).isEmpty();
        assertThat(runs().load(new ClaimRef(id, 1))).isEmpty();
        assertThat(runs().list(RunQuery.all())).isEmpty();
        assertThat(store().jobReader().find(id)).isEmpty();
        assertThat(due()).isEmpty();
        assertThat(start(RunDraft.of("a").key("k"))).isNotEqualTo(id);
    }

    @Test
    void aStoredResultIsNeverReplaced() {
        ClaimRef claim = executing();
        save(claim, "0", "1");

        assertThat(save(claim, "0", "2").row().result()).isEqualTo("1");
        assertThat(runs().load(claim).orElseThrow().steps())
                .extracting(StepRow::result)
                .containsExactly("1");
    }

    @Test
    void aStepThatIsToBeRetriedIsReplacedByItsEnd() {
        ClaimRef claim = executing();
        StepRow retrying = new StepRow(
                "0", "step", StepKind.STEP, StepState.RETRYING, 1, null, "no", null, Duration.ofSeconds(5), null, null);
        assertThat(runs().save(held(claim), retrying, "n1").row().due()).isAfter(now(claim));

        assertThat(save(claim, "0", "1").row().state()).isEqualTo(StepState.COMPLETED);
        assertThat(runs().steps(claim.id())).extracting(StepInfo::status).containsExactly("completed");
    }

    @Test
    void stepsAreLoadedInTheOrderInWhichTheyWereStored() {
        ClaimRef claim = executing();
        List.of("1.0.0", "1.1.0", "0").forEach(path -> save(claim, path, "1"));

        assertThat(runs().load(claim).orElseThrow().steps())
                .extracting(StepRow::path)
                .containsExactly("1.0.0", "1.1.0", "0");
    }

    @Test
    void newRunsThatAreExpectedAreReadAlong() {
        ClaimRef first = executing();
        ClaimRef second = executing();
        ClaimRef third = executing();
        save(third, "0", "1");
        // Makes sure that there is a place for today's steps.
        assertThat(runs().load(first)).isPresent();
        List.of(second, third).forEach(runs()::expect);

        assertThat(runs().load(first).orElseThrow().id()).isEqualTo(first.id());
        runs().cancel(second.id(), "no longer wanted");

        // What was read along is a moment old; the next step says that the run was asked to end.
        assertThat(runs().load(second).orElseThrow().cancelRequested()).isFalse();
        assertThat(save(second, "0", "1").cancelRequested()).isTrue();
        assertThat(runs().load(second).orElseThrow().cancelRequested()).isTrue();
        assertThat(runs().load(third).orElseThrow().steps()).hasSize(1);
    }

    @Test
    void whatWasReadForAnEarlierClaimIsNotUsedForALaterOne() {
        ClaimRef other = executing();
        start(RunDraft.of("a"));
        ClaimRef early = claimDriver(EXPIRED);
        runs().load(other);
        runs().expect(early);
        runs().load(other);
        assertThat(recoverExpired()).hasSize(1);
        ClaimRef late = claimDriver(LEASE);
        save(late, "0", "1");

        assertThat(runs().load(late).orElseThrow().steps()).hasSize(1);
    }

    @Test
    void aStepAfterACrashIsStoredAndCountsCrashesFromZero() {
        start(RunDraft.of("a"));
        claimDriver(EXPIRED);
        assertThat(recoverExpired()).hasSize(1);
        ClaimRef claim = claimDriver(LEASE);

        save(claim, "0", "1");
        save(claim, "1", "2");

        assertThat(runs().steps(claim.id())).extracting(StepInfo::status).containsExactly("completed", "completed");
        assertThat(find(claim.id()).crashes()).isZero();
    }

    @Test
    void aStaleClaimStoresNothing() throws Exception {
        ClaimRef stale = takenOver();

        assertThatThrownBy(() -> save(stale, "0", "1")).isInstanceOf(ClaimLost.class);
        assertThatThrownBy(() -> await(stale, "0", null)).isInstanceOf(ClaimLost.class);
        assertThatThrownBy(() -> runs().beginCompensating(held(stale), RunStatus.COMPENSATED, "no"))
                .isInstanceOf(ClaimLost.class);
        try (Connection tx = transaction()) {
            assertThatThrownBy(() -> runs().saveIn(tx, held(stale), RunDraft.completed("0", "step", "1"), "n1"))
                    .isInstanceOf(ClaimLost.class);
            tx.rollback();
        }
        assertThatThrownBy(() ->
                        runs().startChild(held(stale), RunDraft.of("child").run()))
                .isInstanceOf(ClaimLost.class);
        assertThat(write(parked(stale, null)).rejected()).containsExactly(stale);
        assertThat(write(ended(stale, RunStatus.COMPLETED, null)).rejected()).containsExactly(stale);

        assertThat(runs().steps(stale.id())).isEmpty();
        assertThat(run(stale).status()).isEqualTo(RunStatus.RUNNING);
    }

    @Test
    void aStepInATransactionIsStoredWithIt() throws Exception {
        ClaimRef claim = executing();
        try (Connection tx = transaction()) {
            runs().saveIn(tx, held(claim), RunDraft.completed("0", "step", "1"), "n1");
            tx.rollback();
            assertThat(runs().steps(claim.id())).isEmpty();
            runs().saveIn(tx, held(claim), RunDraft.completed("0", "step", "1"), "n1");
            tx.commit();
        }
        assertThat(runs().steps(claim.id())).hasSize(1);
    }

    /** A step that is stored in a transaction may take long. Its run must not lose its lease meanwhile, nor the step its claim. */
    @Test
    void aClaimIsRenewedWhileAStepOfItsRunIsBeingStored() throws Exception {
        ClaimRef claim = executing();
        try (Connection tx = transaction()) {
            runs().saveIn(tx, held(claim), RunDraft.completed("0", "charge", "1"), "n1");

            assertThat(store().claims()
                            .markRunning(List.of(new Start(claim, 1, 1, 1_000)))
                            .running())
                    .contains(claim);
            assertThat(store().claims().renew(List.of(claim), LEASE).skipped()).isEmpty();
            assertThat(store().claims().progress(Map.of(claim, new JobInfo.Progress(50, Optional.of("half")))))
                    .containsExactly(claim);

            tx.commit();
        }
        assertThat(runs().steps(claim.id())).extracting(StepInfo::name).containsExactly("charge");
    }

    /** Whoever takes the claim over has to find the step, or it would run it again. */
    @Test
    void noClaimIsTakenBackWhileAStepOfItsRunIsBeingStored() throws Exception {
        start(RunDraft.of("a"));
        ClaimRef claim = claimDriver(EXPIRED);
        try (Connection tx = transaction()) {
            runs().saveIn(tx, held(claim), RunDraft.completed("0", "charge", "1"), "n1");
            assertThat(recoverExpired()).isEmpty();
            tx.commit();
        }
        // What somebody else was writing is looked at again after a second.
        advance(Duration.ofSeconds(2));
        assertThat(recoverExpired()).hasSize(1);
        assertThat(runs().steps(claim.id())).extracting(StepInfo::name).containsExactly("charge");
    }
}
