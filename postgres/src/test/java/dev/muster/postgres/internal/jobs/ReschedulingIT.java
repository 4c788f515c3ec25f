package dev.muster.postgres.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.contracts.internal.JobDraft;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.provider.Store;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.job.Priority;
import dev.muster.postgres.internal.PostgresStore;
import dev.muster.postgres.internal.StoreOnFreshDatabase;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Jobs that get another due time or priority, beside nodes that claim and look forward only. */
class ReschedulingIT extends StoreOnFreshDatabase {
    private ClaimSession session() {
        return store.claims().openClaims(new ClaimFilter("n1", null, Set.of(), null, Duration.ofMinutes(1)));
    }

    private JobId enqueue(JobDraft draft) {
        return store.jobs().enqueue(List.of(draft.job())).get(0);
    }

    private static List<JobId> claim(ClaimSession session, int want) {
        return session.exchange(List.of(), want).claimed().stream()
                .map(ClaimedJob::id)
                .toList();
    }

    /** As if it had been ready for an hour. */
    private void backlogged(JobId id) {
        database.execute(
                "UPDATE muster_jobs SET ready_at = clock_timestamp() - interval '1 hour' WHERE id = '" + id + "'");
    }

    @Test
    void aJobThatComesToAnotherPriorityIsFoundByTheNextClaim() {
        JobId old = enqueue(JobDraft.named("a").priority(Priority.LOW));
        backlogged(old);
        List<JobId> high = store.jobs()
                .enqueue(IntStream.range(0, 5)
                        .mapToObj(
                                i -> JobDraft.named("a").priority(Priority.HIGH).job())
                        .toList());
        JobId normal = enqueue(JobDraft.named("a"));
        ClaimSession session = session();
        assertThat(claim(session, 5)).containsExactlyElementsOf(high);

        Lane lane = store.jobs().reprioritise(old, Priority.HIGH).orElseThrow();
        session.wake(Set.of(lane));

        assertThat(claim(session, 1)).containsExactly(old);
        assertThat(claim(session, 1)).containsExactly(normal);
    }

    @Test
    void aJobThatIsDueEarlierThanItWasIsFoundByTheNextClaim() {
        JobId later = enqueue(JobDraft.named("a").delay(Duration.ofHours(1)));
        JobId now = enqueue(JobDraft.named("a"));
        ClaimSession session = session();
        assertThat(claim(session, 5)).containsExactly(now);
        assertThat(claim(session, 5)).isEmpty();

        Lane lane = store.jobs().reschedule(later, Duration.ZERO, null).orElseThrow();
        session.wake(Set.of(lane));

        assertThat(claim(session, 5)).containsExactly(later);
    }

    @Test
    void aJobThatWasHandedBackKeepsItsPlaceAtTheHeadOfItsPriority() {
        JobId first = enqueue(JobDraft.named("a"));
        ClaimSession session = session();
        ClaimedJob claimed = session.exchange(List.of(), 1).claimed().get(0);
        store.claims().release(List.of(claimed.claim()));
        store.jobs().reprioritise(first, Priority.HIGH);
        JobId other = enqueue(JobDraft.named("a").priority(Priority.HIGH));
        database.execute("UPDATE muster_jobs SET ready_at = ready_at - interval '1 second' WHERE id = '" + other + "'");

        assertThat(claim(session(), 2)).containsExactly(first, other);
    }

    /** A node that has looked for jobs that wait looks from two minutes ago on: the child's id is older than that. */
    @Test
    void anOldJobThatWaitsAgainIsFreedByANodeThatLooksForYoungOnes() {
        long hourAgo =
                database.number("SELECT (date_part('epoch', muster_clock() - interval '1 hour') * 1000)::bigint");
        JobId parent = oldId(hourAgo, 1);
        JobId child = oldId(hourAgo, 2);
        JobId grandchild = oldId(hourAgo, 3);
        enqueue(JobDraft.named("a").id(parent));
        enqueue(JobDraft.named("a").id(child).dependsOn(List.of(parent)));
        enqueue(JobDraft.named("a").id(grandchild).dependsOn(List.of(child)));
        ClaimSession session = session();
        session.exchange(List.of(new Outcome.Failed(claimed(session).claim(), "broken")), 0);
        store.dependencies().resolveDependents(List.of(parent));
        assertThat(store.jobReader().find(grandchild).orElseThrow().status()).isEqualTo(JobStatus.CANCELLED);

        try (PostgresStore other = database.store()) {
            other.connect(Store.Events.ignored());
            other.dependencies().resolveDependents(List.of(JobId.next()));
            store.jobs().retry(parent);
            // As if it had been cut off after the first level.
            store.jobs().retry(child);
            store.jobs().retryDependents(parent);
            assertThat(store.jobReader().find(grandchild).orElseThrow().status())
                    .as("below one that waits")
                    .isEqualTo(JobStatus.WAITING);
            session.exchange(List.of(new Outcome.Completed(claimed(session).claim(), null)), 0);

            await().until(() ->
                    !other.dependencies().resolveDependents(List.of(parent)).isEmpty());
        }
        assertThat(store.jobReader().find(child).orElseThrow().status()).isEqualTo(JobStatus.PENDING);
    }

    private static ClaimedJob claimed(ClaimSession session) {
        return session.exchange(List.of(), 1).claimed().get(0);
    }

    private static JobId oldId(long millis, int number) {
        return JobId.of(new UUID(millis << 16 | 0x7000, 0x8000000000000000L | number));
    }

    /** Whoever comes first wins, and the other one is told. */
    @Test
    void aClaimAndAChangeDoNotBothHappen() throws Exception {
        for (int round = 0; round < 30; round++) {
            JobId id = enqueue(JobDraft.named("a"));
            ClaimSession session = session();
            CompletableFuture<Boolean> moved = CompletableFuture.supplyAsync(
                    () -> store.jobs().reschedule(id, Duration.ofHours(1), null).isPresent());
            boolean claimed = session.exchange(List.of(), 1).claimed().size() == 1;
            assertThat(moved.get()).isEqualTo(!claimed);
            database.execute("DELETE FROM muster_jobs");
        }
    }

    @Test
    void whatIsBeingCompletedByItsHandlerIsNotWaitedFor() throws Exception {
        JobId id = enqueue(JobDraft.named("a"));
        ClaimedJob claimed = session().exchange(List.of(), 1).claimed().get(0);
        try (Connection connection = database.transaction()) {
            store.claims().completeIn(connection, claimed.claim(), null);

            assertThat(store.jobs().reschedule(id, Duration.ZERO, null)).isEmpty();
            assertThat(store.jobs().reprioritise(id, Priority.HIGH)).isEmpty();
            connection.rollback();
        }
    }

    /** A parent of which nothing is left in history: whether it completed nobody knows. */
    @Test
    void aJobWhoseParentIsGoneIsRetriedOnlyIfItHadBeenTaken() throws Exception {
        JobId parent = enqueue(JobDraft.named("a"));
        JobId waiting = enqueue(JobDraft.named("b").dependsOn(List.of(parent)));
        JobId taken = enqueue(JobDraft.named("b").dependsOn(List.of(parent)));
        JobId either = enqueue(JobDraft.named("b").dependsOnAnyOutcome(List.of(parent)));
        for (JobId id : List.of(parent, waiting, taken, either)) {
            store.jobs().cancel(id);
        }
        try (Connection connection = database.connection();
                Statement statement = connection.createStatement()) {
            statement.execute("DELETE FROM muster_job_history WHERE name = 'a'");
            statement.execute("UPDATE muster_job_history SET attempt = 1 WHERE id = '" + taken + "'");
        }

        assertThatThrownBy(() -> store.jobs().retry(waiting))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining(parent + ", of which nothing is left");
        assertThat(store.jobs().retry(taken)).isPresent();
        assertThat(store.jobs().retry(either)).isPresent();
        assertThat(claim(session(), 5)).containsExactlyInAnyOrder(taken, either);
    }
}
