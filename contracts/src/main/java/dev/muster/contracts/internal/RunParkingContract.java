package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.muster.event.Event.JobEnded;
import dev.muster.event.Position;
import dev.muster.internal.event.EventStore;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.maintenance.MaintenanceStore;
import dev.muster.internal.overview.ClusterReading.DeadLetters;
import dev.muster.internal.overview.OverviewStore;
import dev.muster.internal.workflow.WorkflowStore.Ended;
import dev.muster.internal.workflow.WorkflowStore.Parked;
import dev.muster.internal.workflow.WorkflowStore.StepState;
import dev.muster.job.ClaimLost;
import dev.muster.job.JobCount;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.job.QueueInfo;
import dev.muster.runtime.MusterException;
import dev.muster.telemetry.JobMetrics.Row;
import dev.muster.workflow.RunStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.awaitility.Awaitility;
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

    private long pending() {
        return store().queues().list().stream().mapToLong(QueueInfo::pending).sum();
    }

    /** A busy database may count less than there is, and says so: then it is asked again. */
    private void assertJobs(JobQuery query, JobStatus status, int count) {
        Awaitility.await()
                .untilAsserted(
                        () -> assertThat(store().jobReader().counts(query).get(status))
                                .isEqualTo(new JobCount(count, true)));
        assertThat(store().jobReader().list(query.status(status))).hasSize(count);
    }

    @Test
    void aRunIsPendingOnlyWhileItIsDue() {
        ClaimRef sleeping = executing();
        ClaimRef waiting = executing();
        JobId due = start(RunDraft.of("a"));
        start(RunDraft.of("a").delay(HOUR));
        enqueue(JobDraft.named("later").delay(HOUR).job());
        write(parked(sleeping, now(sleeping).plus(HOUR)));
        write(parked(waiting, null, "go"));

        assertThat(pending()).as("the job, and the run that is due").isEqualTo(2);
        assertThat(store().queues().list())
                .singleElement()
                .satisfies(queue -> assertThat(queue.atLeast()).isEmpty());

        runs().signal(waiting.id(), "e1", "go", "1");
        assertThat(pending()).isEqualTo(3);
        assertThat(due()).containsExactlyInAnyOrder(due, waiting.id());
        assertThat(pending()).isEqualTo(1);
    }

    @Test
    void aQueueWithNothingButRunsThatWaitIsListedWithoutPendingJobs() {
        write(parked(executing(), null, "go"));

        assertThat(store().queues().list()).singleElement().satisfies(queue -> {
            assertThat(queue.pending()).isZero();
            assertThat(queue.oldestDue()).isEmpty();
        });
    }

    @Test
    void driversAreAmongTheJobsOnlyForWhoNamesThem() {
        JobId due = start(RunDraft.of("a"));
        ClaimRef executed = claimDriver(LEASE);
        start(RunDraft.of("a"));
        JobId job = enqueue(job("a"));
        String name = find(due).name();

        assertJobs(JobQuery.all(), JobStatus.PENDING, 1);
        assertJobs(JobQuery.all().queue("default"), JobStatus.PENDING, 1);
        assertJobs(JobQuery.all(), JobStatus.CLAIMED, 0);
        assertThat(store().jobReader().list(JobQuery.all()))
                .extracting(JobInfo::id)
                .containsExactly(job);
        assertJobs(JobQuery.all().name(name), JobStatus.PENDING, 1);
        assertJobs(JobQuery.all().name(name), JobStatus.CLAIMED, 1);
        assertJobs(JobQuery.all().ids(Set.of(executed.id())), JobStatus.CLAIMED, 1);
    }

    @Test
    void aRunThatFailedIsNoJobThatFailed() {
        Position start =
                Position.before(store().port(EventStore.class).horizon().at());
        JobId failed = enqueue(job("a"));
        write(new Outcome.Failed(claimOne("n1", LEASE).claim(), "boom"));
        ClaimRef run = executing();
        String name = find(run.id()).name();
        write(ended(run, RunStatus.FAILED, null));
        write(ended(executing(), RunStatus.COMPENSATED, null));
        write(ended(executing(), RunStatus.COMPLETED, null));

        assertJobs(JobQuery.all(), JobStatus.FAILED, 1);
        assertJobs(JobQuery.all(), JobStatus.COMPLETED, 0);
        assertJobs(JobQuery.all().name(name), JobStatus.FAILED, 2);
        assertThat(store().port(OverviewStore.class).deadLetters(HOUR))
                .extracting(DeadLetters::lastHour, DeadLetters::lastDay)
                .containsOnly(new JobCount(1, true));
        Position end = Position.after(Instant.parse("2200-01-01T00:00:00Z"));
        EventStore events = store().port(EventStore.class);
        assertThat(events.ended(start, end, 10).jobs()).extracting(JobEnded::id).containsExactly(failed);
        assertThat(events.ended(start, end, 1).more()).isZero();
        advance(Duration.ofMinutes(5));
        MaintenanceStore maintenance = store().port(MaintenanceStore.class);
        while (store().leaders().<Duration>unfenced(maintenance::writeMinute).isZero()) {
            // There may be another minute to write.
        }
        assertThat(maintenance.figures(Duration.ofMinutes(10)).of())
                .extracting(Row::name, Row::completed, Row::failed)
                .containsExactlyInAnyOrder(
                        tuple(Optional.empty(), 1L, 1L),
                        tuple(Optional.of("a"), 0L, 1L),
                        tuple(Optional.of(name), 1L, 2L));
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
