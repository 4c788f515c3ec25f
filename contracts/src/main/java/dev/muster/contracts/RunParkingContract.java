package dev.muster.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.job.ClaimLost;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.store.ClaimRef;
import dev.muster.job.store.Outcome;
import dev.muster.runtime.MusterException;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.WorkflowStore.Ended;
import dev.muster.workflow.WorkflowStore.Parked;
import dev.muster.workflow.WorkflowStore.StepState;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How an activation of a run ends: the run waits for a time or an event, compensates, or has ended. */
abstract class RunParkingContract extends WorkflowStoreContract {
    @Test
    void aParkedRunIsDueAtItsTimeAndNotBefore() {
        ClaimRef claim = executing();
        assertThat(write(parked(claim, now(claim).plus(HOUR))).rejected()).isEmpty();

        assertThat(due()).isEmpty();
        assertThat(run(claim).status()).isEqualTo(RunStatus.WAITING);
        advance(HOUR);
        assertThat(due()).containsExactly(claim.id());
    }

    @Test
    void anEventMakesTheRunDueThatWaitsForItAndIsTakenByOneWait() {
        ClaimRef claim = executing();
        assertThat(await(claim, "0", null).row().state()).isEqualTo(StepState.WAITING);
        write(parked(claim, null, "go"));
        assertThat(runs().signal(claim.id(), "other", "stop", null).lane()).isEmpty();
        assertThat(due()).isEmpty();

        assertThat(runs().signal(claim.id(), "e1", "go", "1").lane()).contains(DEFAULT);
        assertThat(runs().signal(claim.id(), "e1", "go", "2").known()).isTrue();
        runs().signal(claim.id(), "e2", "go", "3");

        ClaimRef next = claimDriver(LEASE);
        assertThat(await(next, "0", null).row().result()).isEqualTo("1");
        assertThat(await(next, "0", null).row().result()).as("again").isEqualTo("1");
        assertThat(await(next, "1", null).row().result()).isEqualTo("3");
        assertThat(await(next, "2", null).row().state()).isEqualTo(StepState.WAITING);
    }

    @Test
    void anEventThatCameBeforeTheParkMakesTheRunDueAtOnce() {
        ClaimRef claim = executing();
        await(claim, "0", null);
        runs().signal(claim.id(), "e1", "go", "1");
        write(parked(claim, null, "go"));

        assertThat(due()).containsExactly(claim.id());
    }

    @Test
    void aWaitThatTimedOutTakesNoEvent() {
        ClaimRef claim = executing();
        assertThat(await(claim, "0", Duration.ofSeconds(5)).row().state()).isEqualTo(StepState.WAITING);
        advance(Duration.ofSeconds(6));
        assertThat(await(claim, "0", Duration.ofSeconds(5)).row().state()).isEqualTo(StepState.TIMED_OUT);
        runs().signal(claim.id(), "e1", "go", "1");

        assertThat(await(claim, "0", Duration.ofSeconds(5)).row().state()).isEqualTo(StepState.TIMED_OUT);
        assertThat(await(claim, "1", null).row().result()).isEqualTo("1");
    }

    @Test
    void runsThatDoNotExistOrHaveEndedTakeNoEvents() {
        assertThatThrownBy(() -> runs().signal(JobId.next(), "e", "go", null))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("there is no run");
        ClaimRef claim = executing();
        write(ended(claim, RunStatus.COMPLETED, null));
        assertThatThrownBy(() -> runs().signal(claim.id(), "e", "go", null))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("has ended");
    }

    @Test
    void aRunAndItsDriverEndTogetherAndARepeatedEndIsRecognised() {
        ClaimRef claim = executing();
        Ended end = new Ended(claim, RunStatus.COMPLETED, "{\"x\": 1}", null, List.of(), null, false, null);

        assertThat(write(end).rejected()).isEmpty();
        assertThat(write(end).rejected()).isEmpty();

        assertThat(run(claim).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(run(claim).result()).contains("{\"x\": 1}");
        assertThat(find(claim.id()).status()).isEqualTo(JobStatus.COMPLETED);
        assertThatThrownBy(() -> save(claim, "0", "1")).isInstanceOf(ClaimLost.class);
    }

    /** Otherwise a run that lives for a year would wait ever longer after a failure of its node, and die of the thousandth. */
    @Test
    void aRunThatWaitsCountsItsAttemptsFromZero() {
        start(RunDraft.of("a"));
        for (int failures = 0; failures < 3; failures++) {
            write(new Outcome.Retried(claimDriver(LEASE), "no disk", Duration.ZERO));
        }
        ClaimRef claim = claimDriver(LEASE);
        assertThat(find(claim.id()).attempt()).isEqualTo(4);

        write(parked(claim, null));

        assertThat(find(claim.id()).attempt()).isZero();
    }

    @Test
    void aRunThatCompensatesNeverGoesBackToItsSteps() {
        ClaimRef claim = executing();
        runs().beginCompensating(held(claim), RunStatus.COMPENSATED, "no truck");
        write(new Parked(claim, RunStatus.COMPENSATING, null, Set.of(), null, false));

        assertThat(runs().load(claim).orElseThrow()).satisfies(run -> {
            assertThat(run.endsAs()).isEqualTo(RunStatus.COMPENSATED);
            assertThat(run.error()).isEqualTo("no truck");
        });
        assertThat(run(claim).status()).isEqualTo(RunStatus.COMPENSATING);
    }
}
