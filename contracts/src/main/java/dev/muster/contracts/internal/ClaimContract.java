package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimSession.Exchange;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.JobStore;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.Priority;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Claims of every {@link JobStore}: which jobs a node gets, in which order, and that no two nodes get the same job. */
abstract class ClaimContract extends JobStoreContract {

    @Test
    void twoNodesClaimOneJobAndOneGetsIt() {
        JobId id = enqueue(job("a"));

        List<ClaimedJob> first = claims("n1").exchange(List.of(), 1).claimed();
        List<ClaimedJob> second =
                claimsOfAnotherStore("n2").exchange(List.of(), 1).claimed();

        assertThat(first).extracting(ClaimedJob::id).containsExactly(id);
        assertThat(second).isEmpty();
        assertThat(find(id).status()).isEqualTo(JobStatus.CLAIMED);
        assertThat(find(id).node()).contains("n1");
    }

    @Test
    void claimsGoByPriorityThenByDueTime() {
        JobId late = enqueue(JobDraft.named("a").priority(Priority.NORMAL).job());
        JobId later = enqueue(JobDraft.named("a").priority(Priority.NORMAL).job());
        JobId background =
                enqueue(JobDraft.named("a").priority(Priority.BACKGROUND).job());
        JobId critical = enqueue(JobDraft.named("a").priority(Priority.CRITICAL).job());
        enqueue(JobDraft.named("a")
                .priority(Priority.CRITICAL)
                .delay(Duration.ofHours(1))
                .job());

        ClaimSession node = claims("n1");
        List<JobId> order = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            node.exchange(List.of(), 1).claimed().forEach(job -> order.add(job.id()));
        }

        assertThat(order).containsExactly(critical, late, later, background);
    }

    @Test
    void aBatchComesInTheOrderOfItsPriorities() {
        JobId low = enqueue(JobDraft.named("a").priority(Priority.LOW).job());
        JobId normal = enqueue(job("a"));
        JobId critical = enqueue(JobDraft.named("a").priority(Priority.CRITICAL).job());

        assertThat(claims("n1").exchange(List.of(), 10).claimed())
                .extracting(ClaimedJob::id)
                .containsExactly(critical, normal, low);
    }

    @Test
    void aNodeThatHoldsJobsThatRunAloneLeavesOthersAndFindsThemLater() {
        store().jobs().enqueue(List.of(job("a"), job("a")));
        dieRunning(2);
        dieRunning(2);
        JobId ordinary = enqueue(job("a"));
        ClaimSession node = claims("n1");

        assertThat(node.exchange(List.of(), 10, false, Integer.MAX_VALUE).claimed())
                .extracting(ClaimedJob::id)
                .containsExactly(ordinary);
        assertThat(node.exchange(List.of(), 10, false, Integer.MAX_VALUE).claimed())
                .isEmpty();
        assertThat(node.exchange(List.of(), 10, true, Integer.MAX_VALUE).claimed())
                .hasSize(2)
                .allMatch(ClaimedJob::runsAlone);
    }

    @Test
    void aDelayedJobBecomesDueByTheDatabasesClock() {
        enqueue(JobDraft.named("a").delay(Duration.ofMinutes(10)).job());
        ClaimSession node = claims("n1");

        Exchange early = node.exchange(List.of(), 5);
        assertThat(early.claimed()).isEmpty();
        assertThat(early.nextDue())
                .hasValueSatisfying(due -> assertThat(due).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(10)));

        advance(Duration.ofMinutes(10));
        node.wake(Set.of());
        assertThat(node.exchange(List.of(), 5).claimed()).hasSize(1);
    }

    @Test
    void aNodeTakesOnlyItsLanesAndNames() {
        JobId any = enqueue(job("known"));
        JobId general = enqueue(JobDraft.named("known")
                .lane("default", "general")
                .priority(Priority.NORMAL)
                .job());
        enqueue(JobDraft.named("known")
                .lane("default", "gpu")
                .priority(Priority.CRITICAL)
                .job());
        enqueue(JobDraft.named("known")
                .lane("mail", "")
                .priority(Priority.CRITICAL)
                .job());
        enqueue(job("unknown"));
        ClaimSession node = store().claims()
                .openClaims(new ClaimFilter("n1", Set.of("default"), Set.of("general"), Set.of("known"), LEASE));

        assertThat(node.exchange(List.of(), 10).claimed())
                .extracting(ClaimedJob::id)
                .containsExactlyInAnyOrder(any, general);
        assertThat(node.exchange(List.of(), 10).claimed()).isEmpty();
        ClaimSession everyQueue = store().claims().openClaims(new ClaimFilter("n2", null, Set.of("gpu"), null, LEASE));
        assertThat(everyQueue.exchange(List.of(), 10).claimed()).hasSize(3);
    }

    @Test
    void aNodeTakesJobsWithAPlacementThatItFits() {
        List<JobId> fitting = Stream.of("gpu&zone=eu", "gpu!spot", "!zone=us", "@n1|n2", "gpu~n3", "zone=eu")
                .map(text -> enqueue(JobDraft.named("a").lane("default", text).job()))
                .toList();
        List.of("gpu&tpu", "gpu!zone=eu", "@n2", "~n1", "zone=us", "gpu&zone=us@n1")
                .forEach(text ->
                        enqueue(JobDraft.named("a").lane("default", text).job()));
        ClaimFilter filter = new ClaimFilter("n1", null, Set.of("gpu"), Map.of("zone", "eu"), null, LEASE);

        assertThat(store().claims().openClaims(filter).exchange(List.of(), 20).claimed())
                .extracting(ClaimedJob::id)
                .containsExactlyInAnyOrderElementsOf(fitting);
    }

    @Test
    void manyNodesClaimEachJobOnceAndNeverMoreThanAsked() throws Exception {
        int jobs = 2_000;
        int limit = 7;
        store().jobs().enqueue(IntStream.range(0, jobs).mapToObj(i -> job("a")).toList());

        List<JobId> claimed = Collections.synchronizedList(new ArrayList<>());
        List<ClaimSession> nodes = IntStream.range(0, 8)
                .mapToObj(i -> i % 2 == 0 ? claims("n" + i) : claimsOfAnotherStore("n" + i))
                .toList();
        inParallel(nodes.size(), i -> {
            ClaimSession node = nodes.get(i);
            while (claimed.size() < jobs) {
                List<ClaimedJob> chunk = node.exchange(List.of(), limit).claimed();
                assertThat(chunk).hasSizeLessThanOrEqualTo(limit);
                chunk.forEach(job -> claimed.add(job.id()));
            }
            return null;
        });

        assertThat(claimed).hasSize(jobs).doesNotHaveDuplicates();
    }

    @Test
    void tokensOfAJobAscendWithEveryClaim() {
        enqueue(job("a"));
        long last = 0;
        for (int i = 0; i < 5; i++) {
            ClaimedJob claimed = claimOne("n" + i, LEASE);
            assertThat(claimed.claim().token()).isGreaterThan(last);
            last = claimed.claim().token();
            write(new Outcome.Released(claimed.claim()));
        }
    }
}
