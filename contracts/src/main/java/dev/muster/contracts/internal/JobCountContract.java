package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.internal.job.store.ClaimStore.Start;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.JobReader;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.JobCount;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Counts of jobs by status, of every {@link JobReader}. */
abstract class JobCountContract extends JobStoreContract {

    /** A busy database may count less than there is, and says so: then it is asked again. */
    private void assertCounts(JobQuery query, Map<JobStatus, Integer> expected) {
        Map<JobStatus, JobCount> all = new EnumMap<>(JobStatus.class);
        for (JobStatus status : JobStatus.known()) {
            all.put(status, new JobCount(expected.getOrDefault(status, 0), true));
        }
        await().untilAsserted(
                        () -> assertThat(store().jobReader().counts(query)).isEqualTo(all));
    }

    private void enqueue(String name, String queue, String... tags) {
        enqueue(JobDraft.named(name).lane(queue, "").tags(tags).job());
    }

    @Test
    void allStatusesAreCountedWhateverTheQueryNames() {
        JobId parent = enqueue(job("a"));
        ClaimedJob failed = claimOne("n", LEASE);
        enqueue(JobDraft.named("waits").dependsOnAnyOutcome(List.of(parent)).job());
        enqueue(job("a"));
        write(new Outcome.Completed(claimOne("n", LEASE).claim(), null));
        enqueue(job("a"));
        ClaimedJob running = claimOne("n", LEASE);
        store().claims().markRunning(List.of(new Start(running.claim(), 3, 5, 0)));
        enqueue(job("claimed"));
        claimOne("n", LEASE);
        enqueue(JobDraft.named("b").delay(Duration.ofHours(1)).job());
        store().jobs()
                .cancel(enqueue(JobDraft.named("b").delay(Duration.ofHours(1)).job()));
        Map<JobStatus, Integer> expected = new EnumMap<>(Map.of(
                JobStatus.WAITING, 1,
                JobStatus.PENDING, 1,
                JobStatus.RUNNING, 1,
                JobStatus.CLAIMED, 2,
                JobStatus.COMPLETED, 1,
                JobStatus.CANCELLED, 1));
        assertCounts(JobQuery.all(), expected);
        assertCounts(JobQuery.all().status(JobStatus.PENDING).limit(1), expected);

        write(new Outcome.Failed(failed.claim(), "boom"));

        expected.putAll(Map.of(JobStatus.FAILED, 1, JobStatus.CLAIMED, 1));
        assertCounts(JobQuery.all().ids(Set.of(parent)), Map.of(JobStatus.FAILED, 1));
        assertThat(store().jobReader()
                        .counts(JobQuery.all())
                        .get(JobStatus.FAILED)
                        .count())
                .isLessThanOrEqualTo(1);
    }

    @Test
    void filtersSelect() {
        enqueue("a", "q1", "red");
        enqueue("a", "q2", "red", "new");
        enqueue("b", "q1");
        store().jobs()
                .cancel(enqueue(JobDraft.named("a").lane("q1", "").tags("red").job()));

        assertCounts(JobQuery.all(), Map.of(JobStatus.PENDING, 3, JobStatus.CANCELLED, 1));
        assertCounts(JobQuery.all().queue("q1"), Map.of(JobStatus.PENDING, 2, JobStatus.CANCELLED, 1));
        assertCounts(JobQuery.all().name("a"), Map.of(JobStatus.PENDING, 2, JobStatus.CANCELLED, 1));
        assertCounts(JobQuery.all().name("a").queue("q2"), Map.of(JobStatus.PENDING, 1));
        assertCounts(JobQuery.all().tags("red"), Map.of(JobStatus.PENDING, 2, JobStatus.CANCELLED, 1));
        assertCounts(JobQuery.all().tags("red", "new"), Map.of(JobStatus.PENDING, 1));
        assertCounts(JobQuery.all().name("nobody"), Map.of());
        enqueue(JobDraft.named("a").lane("q1", "").key("k").job());
        assertCounts(JobQuery.all().key("k"), Map.of(JobStatus.PENDING, 1));
        assertCounts(JobQuery.all().key("other"), Map.of());
    }
}
