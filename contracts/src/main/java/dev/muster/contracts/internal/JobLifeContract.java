package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimStore.NewLogLine;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.JobStore;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.ExpiredJob;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo.Dependency;
import dev.muster.job.JobInfo.Progress;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.job.LogLine;
import dev.muster.testing.Seeds;
import dev.muster.testing.Sizes;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Dependencies, expiry, snooze, tags, progress and log lines of every {@link JobStore}. */
abstract class JobLifeContract extends JobStoreContract {
    private static final int ROUNDS = Sizes.of(4, 40);
    private static final int GRAPHS = 250;

    private List<JobId> expire() {
        return inTransaction(tx -> store().recovery().expire(tx, 10, true)).stream()
                .map(ExpiredJob::id)
                .toList();
    }

    private static NewJob job(List<JobId> dependsOn) {
        return JobDraft.named("a").dependsOn(dependsOn).job();
    }

    private JobId enqueue(JobId... dependsOn) {
        return enqueue(job(List.of(dependsOn)));
    }

    private ClaimSession claims() {
        return store().claims().openClaims(new ClaimFilter("n1", null, Set.of(), null, Duration.ofSeconds(30)));
    }

    private ClaimedJob claim(JobId id) {
        List<ClaimedJob> claimed = claims().exchange(List.of(), 1).claimed();
        assertThat(claimed).extracting(ClaimedJob::id).containsExactly(id);
        return claimed.get(0);
    }

    private void complete(JobId id) {
        claims().exchange(List.of(new Outcome.Completed(claim(id).claim(), null)), 0);
    }

    private void fail(JobId id) {
        claims().exchange(List.of(new Outcome.Failed(claim(id).claim(), "boom")), 0);
    }

    @Test
    void aChildWaitsForAllItsParents() {
        JobId first = enqueue();
        JobId second = enqueue();
        JobId child = enqueue(first, second);
        assertThat(find(child).status()).isEqualTo(JobStatus.WAITING);

        complete(first);
        assertThat(store().dependencies().resolveDependents(List.of(first))).isEmpty();
        assertThat(find(child).status()).isEqualTo(JobStatus.WAITING);
        complete(second);

        assertThat(store().dependencies().resolveDependents(List.of(second))).containsExactly(DEFAULT);
        assertThat(find(child).status()).isEqualTo(JobStatus.PENDING);
        claim(child);
    }

    @Test
    void theStatusOfAJobIsThatOfTheLastCommit() {
        JobId id = enqueue();
        assertThat(store().jobReader().currentStatus(id)).contains(JobStatus.PENDING);
        ClaimedJob claimed = claim(id);
        assertThat(store().jobReader().currentStatus(id)).contains(JobStatus.CLAIMED);

        claims().exchange(List.of(new Outcome.Completed(claimed.claim(), null)), 0);

        assertThat(store().jobReader().currentStatus(id)).contains(JobStatus.COMPLETED);
        assertThat(store().jobReader().currentStatus(JobId.next())).isEmpty();
    }

    @Test
    void cancellingManyTellsTheLanesOfJobsThatMayRunNow() {
        JobId parent = enqueue(JobDraft.named("parent").job());
        JobId child = enqueue(
                JobDraft.named("child").dependsOnAnyOutcome(List.of(parent)).job());
        List<Set<Lane>> freed = new ArrayList<>();

        store().jobs().cancelAll(JobQuery.all().name("parent"), freed::add);

        assertThat(freed).containsExactly(Set.of(DEFAULT));
        assertThat(find(child).status()).isEqualTo(JobStatus.PENDING);
    }

    @Test
    void aChildOfWhatHasCompletedDoesNotWait() {
        JobId parent = enqueue();
        complete(parent);

        assertThat(find(enqueue(parent)).status()).isEqualTo(JobStatus.PENDING);
    }

    @Test
    void aFailedParentCancelsAllItsDescendantsWithTheReason() {
        JobId parent = enqueue();
        JobId child = enqueue(parent);
        JobId grandchild = enqueue(child);
        fail(parent);

        store().dependencies().resolveDependents(List.of(parent));

        assertThat(find(child).status()).isEqualTo(JobStatus.CANCELLED);
        assertThat(find(child).error()).contains("cancelled: it depends on job " + parent + ", which is failed");
        assertThat(find(grandchild).error()).contains("cancelled: it depends on job " + child + ", which is cancelled");
        assertThat(find(enqueue(parent)).status()).isEqualTo(JobStatus.CANCELLED);
    }

    @Test
    void whoeverWaitsForAnyOutcomeRunsHoweverItsParentEnds() {
        JobId completed = enqueue();
        JobId failed = enqueue();
        JobId cancelled = enqueue();
        JobId child = enqueue(JobDraft.named("a")
                .dependsOn(List.of(completed))
                .dependsOnAnyOutcome(List.of(failed, cancelled))
                .job());
        complete(completed);
        fail(failed);
        store().dependencies().resolveDependents(List.of(completed, failed));
        assertThat(find(child).status()).isEqualTo(JobStatus.WAITING);
        assertThat(find(child).waitingReason()).contains("it depends on 1 job that has not ended: " + cancelled);
        store().jobs().cancel(cancelled);

        store().dependencies().resolveDependents(List.of(cancelled));

        assertThat(find(child).status()).isEqualTo(JobStatus.PENDING);
        assertThat(find(child).dependencies())
                .containsExactlyInAnyOrder(
                        new Dependency(completed, Optional.of(JobStatus.COMPLETED), false),
                        new Dependency(failed, Optional.of(JobStatus.FAILED), true),
                        new Dependency(cancelled, Optional.of(JobStatus.CANCELLED), true));
        complete(child);
        assertThat(find(child).dependencies()).hasSize(3);
        assertThat(find(enqueue(JobDraft.named("a")
                                .dependsOnAnyOutcome(List.of(failed))
                                .job()))
                        .status())
                .isEqualTo(JobStatus.PENDING);
        assertThatThrownBy(() -> enqueue(JobDraft.named("a")
                        .dependsOnAnyOutcome(List.of(JobId.next()))
                        .job()))
                .isInstanceOf(InvalidJob.class);
    }

    @Test
    void anUnknownParentIsRefusedAndNothingIsWritten() {
        JobId unknown = JobId.next();

        assertThatThrownBy(() -> enqueue(unknown))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining(unknown.toString());

        assertThat(store().jobReader().list(JobQuery.all())).isEmpty();
    }

    @Test
    void aCircleIsRefused() {
        JobId first = JobId.next();
        JobId second = JobId.next();
        NewJob one = JobDraft.named("a").id(first).dependsOn(List.of(second)).job();
        NewJob two = JobDraft.named("a").id(second).dependsOn(List.of(first)).job();

        assertThatThrownBy(() -> store().jobs().enqueue(List.of(one, two)))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("circle");
        assertThatThrownBy(() -> enqueue(
                        JobDraft.named("a").id(first).dependsOn(List.of(first)).job()))
                .hasMessageContaining("circle");
        assertThat(store().jobReader().list(JobQuery.all())).isEmpty();
    }

    @Test
    void aBatchMayDependOnItself() {
        NewJob parent = job(List.of());
        NewJob child = job(List.of(parent.id()));

        store().jobs().enqueue(List.of(child, parent));

        assertThat(find(child.id()).status()).isEqualTo(JobStatus.WAITING);
        assertThat(find(parent.id()).status()).isEqualTo(JobStatus.PENDING);
    }

    /** While the child's transaction is open, the parent ends before, between and after its statements and its commit. */
    @Test
    void aParentThatEndsAtAnyMomentOfItsChildsEnqueueFreesIt() throws SQLException {
        for (int moment = 0; moment < 4; moment++) {
            JobId parent = enqueue();
            ClaimedJob claimed = claim(parent);
            JobId child;
            try (Connection connection = transaction()) {
                endAt(0, moment, claimed);
                child = store().jobs()
                        .enqueue(connection, List.of(job(List.of(parent))))
                        .get(0);
                endAt(1, moment, claimed);
                connection.commit();
                endAt(2, moment, claimed);
            }
            endAt(3, moment, claimed);
            if (find(child).status() == JobStatus.WAITING) {
                inTransaction(tx -> store().dependencies().sweepWaiting(tx));
            }
            assertThat(find(child).status())
                    .as("parent ended at moment " + moment)
                    .isEqualTo(JobStatus.PENDING);
            complete(child);
        }
    }

    /** As above, but the parent fails and the child accepts any outcome. */
    @Test
    void aParentThatFailsAtAnyMomentOfItsChildsEnqueueFreesWhoeverWaitsForAnyOutcome() throws SQLException {
        for (int moment = 0; moment < 4; moment++) {
            JobId parent = enqueue();
            Outcome failure = new Outcome.Failed(claim(parent).claim(), "boom");
            JobId child;
            try (Connection connection = transaction()) {
                endAt(0, moment, failure);
                child = store().jobs()
                        .enqueue(
                                connection,
                                List.of(JobDraft.named("a")
                                        .dependsOnAnyOutcome(List.of(parent))
                                        .job()))
                        .get(0);
                endAt(1, moment, failure);
                connection.commit();
                endAt(2, moment, failure);
            }
            endAt(3, moment, failure);
            inTransaction(tx -> store().dependencies().sweepWaiting(tx));
            assertThat(find(child).status())
                    .as("parent failed at moment " + moment)
                    .isEqualTo(JobStatus.PENDING);
            complete(child);
        }
    }

    private void endAt(int now, int moment, ClaimedJob parent) {
        endAt(now, moment, new Outcome.Completed(parent.claim(), null));
    }

    private void endAt(int now, int moment, Outcome outcome) {
        if (now == moment) {
            claims().exchange(List.of(outcome), 0);
            store().dependencies().resolveDependents(List.of(outcome.claim().id()));
        }
    }

    @Test
    void parentsThatEndAtTheSameTimeDoNotOverlookEachOther() throws Exception {
        for (int round = 0; round < 30; round++) {
            List<JobId> parents = store().jobs()
                    .enqueue(IntStream.range(0, 4).mapToObj(i -> job(List.of())).toList());
            JobId child = enqueue(parents.toArray(JobId[]::new));
            List<ClaimedJob> claimed = claims().exchange(List.of(), 4).claimed();
            inParallel(4, i -> {
                claims().exchange(List.of(new Outcome.Completed(claimed.get(i).claim(), null)), 0);
                return store().dependencies()
                        .resolveDependents(List.of(claimed.get(i).id()));
            });
            assertThat(find(child).status()).isEqualTo(JobStatus.PENDING);
            complete(child);
        }
    }

    /** In many random graphs each job ends as the graph requires, and none is left waiting. */
    @Test
    void randomGraphsResolve() {
        Random random = new Random(Seeds.next(JobLifeContract.class));
        for (int round = 0; round < ROUNDS; round++) {
            Map<JobId, List<JobId>> parents = new HashMap<>();
            Set<JobId> failing = new HashSet<>();
            List<NewJob> all = new ArrayList<>();
            for (int graph = 0; graph < GRAPHS; graph++) {
                List<NewJob> jobs = new ArrayList<>();
                int size = 2 + random.nextInt(5);
                for (int i = 0; i < size; i++) {
                    List<JobId> dependsOn = new ArrayList<>();
                    List<JobId> anyOutcome = new ArrayList<>();
                    for (NewJob earlier : jobs) {
                        if (random.nextInt(3) == 0) {
                            (random.nextInt(4) == 0 ? anyOutcome : dependsOn).add(earlier.id());
                        }
                    }
                    NewJob job = JobDraft.named("a")
                            .dependsOn(dependsOn)
                            .dependsOnAnyOutcome(anyOutcome)
                            .job();
                    jobs.add(job);
                    parents.put(job.id(), dependsOn);
                    if (random.nextInt(10) == 0) {
                        failing.add(job.id());
                    }
                }
                all.addAll(jobs);
            }
            store().jobs().enqueue(all);
            runAll(failing);
            Map<JobId, JobStatus> ended = new HashMap<>();
            for (NewJob job : all) {
                boolean blocked = parents.get(job.id()).stream().anyMatch(p -> ended.get(p) != JobStatus.COMPLETED);
                JobStatus expected = blocked
                        ? JobStatus.CANCELLED
                        : failing.contains(job.id()) ? JobStatus.FAILED : JobStatus.COMPLETED;
                ended.put(job.id(), expected);
            }
            Map<JobId, JobStatus> actual = new HashMap<>();
            statuses(ended.keySet(), actual);
            assertThat(actual).isEqualTo(ended);
        }
    }

    private void statuses(Collection<JobId> ids, Map<JobId, JobStatus> into) {
        store().jobReader().list(JobQuery.all().limit(10_000)).stream()
                .filter(job -> ids.contains(job.id()))
                .forEach(job -> into.put(job.id(), job.status()));
    }

    private void runAll(Set<JobId> failing) {
        ClaimSession session = claims();
        List<ClaimedJob> claimed;
        do {
            session.wake(Set.of());
            claimed = session.exchange(List.of(), 1_000).claimed();
            List<Outcome> outcomes = claimed.stream()
                    .<Outcome>map(job -> failing.contains(job.id())
                            ? new Outcome.Failed(job.claim(), "boom")
                            : new Outcome.Completed(job.claim(), null))
                    .toList();
            session.exchange(outcomes, 0);
            store().dependencies()
                    .resolveDependents(claimed.stream().map(ClaimedJob::id).toList());
        } while (!claimed.isEmpty());
    }

    @Test
    void anExpiredJobIsNeverClaimedAndEndsAsExpired() {
        JobId expired = enqueue(JobDraft.named("a").expiresAt(Instant.EPOCH).job());
        JobId alive = enqueue(JobDraft.named("a").expiresIn(Duration.ofHours(1)).job());

        assertThat(claims().exchange(List.of(), 10).claimed())
                .extracting(ClaimedJob::id)
                .containsExactly(alive);
        assertThat(expire()).containsExactly(expired);
        assertThat(find(expired).status()).isEqualTo(JobStatus.EXPIRED);
        assertThat(expire()).isEmpty();
    }

    @Test
    void aClaimedJobDoesNotExpire() {
        Duration soon = Duration.ofMinutes(10);
        JobId id = enqueue(JobDraft.named("a").expiresIn(soon).job());
        ClaimedJob claimed = claim(id);
        JobId later = enqueue(JobDraft.named("a").expiresIn(soon).job());

        advance(soon.plusSeconds(1));
        assertThat(expire()).containsExactly(later);

        claims().exchange(List.of(new Outcome.Completed(claimed.claim(), null)), 0);
        assertThat(find(id).status()).isEqualTo(JobStatus.COMPLETED);
    }

    @Test
    void aSnoozeCountsNoAttempt() {
        JobId id = enqueue();
        claims().exchange(List.of(new Outcome.Snoozed(claim(id).claim(), Duration.ofHours(1))), 0);
        assertThat(find(id).attempt()).isZero();
        assertThat(find(id).status()).isEqualTo(JobStatus.PENDING);
        assertThat(find(id).runAt()).isAfter(find(id).createdAt().plus(Duration.ofMinutes(59)));
        assertThat(claims().exchange(List.of(), 1).claimed()).isEmpty();
    }

    @Test
    void progressIsKeptForTheCurrentClaimOnly() {
        JobId id = enqueue();
        ClaimedJob claimed = claim(id);

        store().claims().progress(Map.of(claimed.claim(), new Progress(40, Optional.of("counting"))));
        assertThat(find(id).progress()).contains(new Progress(40, Optional.of("counting")));

        claims().exchange(List.of(new Outcome.Released(claimed.claim())), 0);
        store().claims().progress(Map.of(claimed.claim(), new Progress(99, Optional.empty())));
        assertThat(find(id).progress()).contains(new Progress(40, Optional.of("counting")));
    }

    @Test
    void logLinesCanBeReadInOrderAndFollowed() {
        JobId id = enqueue();
        store().claims()
                .appendLogs(List.of(
                        new NewLogLine(id, 1, "info", "first", 20), new NewLogLine(id, 1, "error", "second", 10)));

        List<LogLine> lines = store().jobReader().logs(id, 0, 100);
        assertThat(lines).extracting(LogLine::message).containsExactly("first", "second");
        assertThat(lines).extracting(LogLine::level).containsExactly("info", "error");

        store().claims().appendLogs(List.of(new NewLogLine(id, 2, "warn", "third", 0)));
        assertThat(store().jobReader().logs(id, lines.get(1).line(), 100))
                .extracting(LogLine::message)
                .containsExactly("third");
    }

    @Test
    void tagsStayWithTheJobIntoHistory() {
        JobId id = enqueue(JobDraft.named("a").tags("red", "blue").job());
        assertThat(find(id).tags()).containsExactly("red", "blue");
        complete(id);
        assertThat(find(id).tags()).containsExactly("red", "blue");
    }
}
