package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.overview.ClusterReading.BlockedRuns;
import dev.muster.internal.overview.ClusterReading.CronProblem;
import dev.muster.internal.overview.ClusterReading.DeadLetters;
import dev.muster.internal.overview.ClusterReading.DueJobs;
import dev.muster.internal.overview.OverviewStore;
import dev.muster.internal.schedule.CronStore;
import dev.muster.internal.workflow.WorkflowStore;
import dev.muster.job.JobCount;
import dev.muster.job.JobId;
import dev.muster.job.JobOptions;
import dev.muster.schedule.CronDefinition;
import dev.muster.schedule.Misfire;
import dev.muster.schedule.Overlap;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What an overview shows: jobs that failed, jobs that nobody claims, runs that are blocked, crons with problems. */
abstract class OverviewStoreContract extends JobStoreContract {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private OverviewStore overview() {
        return store().port(OverviewStore.class);
    }

    private void fail(String name) {
        enqueue(job(name));
        write(new Outcome.Failed(claimOne("n", LEASE).claim(), "boom"));
    }

    @Test
    void jobsThatFailedAreCountedForADayAndForAnHour() {
        fail("a");
        fail("a");
        store().jobs().cancel(enqueue(job("b")));
        assertThat(overview().deadLetters(LIMIT).lastHour()).isEqualTo(new JobCount(2, true));
        advance(Duration.ofHours(2));
        fail("c");

        DeadLetters dead = overview().deadLetters(LIMIT);

        assertThat(dead.lastDay()).isEqualTo(new JobCount(3, true));
        assertThat(dead.lastHour()).isEqualTo(new JobCount(1, true));
        assertThat(Duration.between(dead.last().orElseThrow(), overview().readTime()))
                .isBetween(Duration.ZERO, Duration.ofMinutes(5));
        advance(Duration.ofHours(25));
        assertThat(overview().deadLetters(LIMIT).lastDay()).isEqualTo(JobCount.ZERO);
        assertThat(overview().deadLetters(LIMIT).last()).isEmpty();
    }

    @Test
    void jobsThatAreDueAndNotClaimedAreFoundByNameAndQueue() {
        enqueue(JobDraft.named("old").lane("q1", "").job());
        advance(Duration.ofMinutes(5));
        enqueue(JobDraft.named("a").lane("q2", "").job());
        enqueue(JobDraft.named("a").lane("q2", "gpu").job());
        enqueue(JobDraft.named("later")
                .lane("q2", "")
                .delay(Duration.ofHours(1))
                .job());
        JobId parent = enqueue(JobDraft.named("b").lane("q3", "").job());
        enqueue(JobDraft.named("waits")
                .lane("q3", "")
                .dependsOn(List.of(parent))
                .job());

        List<DueJobs> due = overview().oldestDue(LIMIT);

        assertThat(due)
                .extracting(DueJobs::name, DueJobs::queue, DueJobs::jobs)
                .containsExactly(
                        tuple("old", "q1", new JobCount(1, true)),
                        tuple("a", "q2", new JobCount(2, true)),
                        tuple("b", "q3", new JobCount(1, true)));
        assertThat(Duration.between(due.get(0).since(), due.get(1).since()))
                .isGreaterThanOrEqualTo(Duration.ofMinutes(5));
        claimOne("n", LEASE);
        assertThat(overview().oldestDue(LIMIT).stream()
                        .mapToLong(jobs -> jobs.jobs().count())
                        .sum())
                .isEqualTo(3);
    }

    @Test
    void ofManyDueJobsTheCountIsALowerBound() {
        for (int i = 0; i < 60; i++) {
            enqueue(job("many"));
        }

        assertThat(overview().oldestDue(LIMIT)).singleElement().satisfies(due -> {
            assertThat(due.jobs().exact()).isFalse();
            assertThat(due.jobs().count()).isBetween(1L, 60L);
        });
    }

    @Test
    void runsThatNoNodeCanResumeAreFoundOnceTheyAreMarked() {
        WorkflowStore runs = store().port(WorkflowStore.class);
        runs.start(List.of(
                RunDraft.of("a").run(), RunDraft.of("a").run(), RunDraft.of("b").run()));
        assertThat(overview().blockedRuns(LIMIT)).isEmpty();

        inTransaction(tx -> runs.markBlocked(
                tx,
                runs.stranded(List.of()).stream()
                        .filter(version -> version.name().equals("a"))
                        .toList(),
                null));

        List<BlockedRuns> blocked = overview().blockedRuns(LIMIT);
        assertThat(blocked)
                .extracting(BlockedRuns::workflow, BlockedRuns::version, BlockedRuns::runs)
                .containsExactly(tuple("a", "v1", new JobCount(2, true)));
        assertThat(blocked.get(0).reason()).contains("no live node has");
    }

    @Test
    void cronsWithAProblemAreFoundUnlessTheyArePaused() {
        CronStore crons = store().port(CronStore.class);
        for (String name : List.of("good", "bad", "paused")) {
            crons.create(new CronDefinition(
                    name,
                    "0 * * * *",
                    "UTC",
                    Misfire.FIRE_ONCE,
                    1,
                    Overlap.ALLOW,
                    Duration.ZERO,
                    "job",
                    "{}",
                    JobOptions.NONE));
        }
        inTransaction(tx -> {
            crons.noteProblems(tx, Map.of("bad", "no such queue", "paused", "as well"), Duration.ofSeconds(30));
            return null;
        });
        crons.pause("paused");

        assertThat(overview().cronProblems(LIMIT))
                .extracting(CronProblem::name, CronProblem::problem)
                .containsExactly(tuple("bad", "no such queue"));
    }
}
