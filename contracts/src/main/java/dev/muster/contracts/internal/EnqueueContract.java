package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.internal.job.store.JobStore;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.job.KeyConflict;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Enqueuing in every {@link JobStore}: when two requests are the same job, and when a job becomes visible. */
abstract class EnqueueContract extends JobStoreContract {

    private static NewJob keyed(String name, String key, String args) {
        return JobDraft.named(name).key(key).args(args).job();
    }

    @Test
    void theSameKeyFromManyThreadsGivesOneJob() throws Exception {
        Set<JobId> ids = Collections.synchronizedSet(new HashSet<>());
        inParallel(20, i -> ids.add(enqueue(keyed("a", "order-42", "{\"x\": 1, \"y\": 2}"))));

        assertThat(ids).hasSize(1);
        assertThat(store().jobReader().list(JobQuery.all())).hasSize(1);

        write(new Outcome.Completed(claimOne("n1", LEASE).claim(), null));
        assertThat(enqueue(keyed("a", "order-42", "{\"y\":2,\"x\":1}")))
                .isEqualTo(ids.iterator().next());
        assertThat(store().jobReader().list(JobQuery.all())).hasSize(1);
    }

    @Test
    void otherArgsUnderTheSameKeyAreRefusedAndNothingIsWritten() {
        JobId first = enqueue(keyed("a", "k", "{\"x\": 1}"));

        assertThatThrownBy(() -> store().jobs().enqueue(List.of(job("b"), keyed("a", "k", "{\"x\": 2}"))))
                .isInstanceOfSatisfying(
                        KeyConflict.class, e -> assertThat(e.existing()).isEqualTo(first))
                .hasMessageContaining("'k'");

        assertThat(store().jobReader().list(JobQuery.all())).hasSize(1);
        assertThat(enqueue(keyed("b", "k", "{\"x\": 2}"))).isNotEqualTo(first);
    }

    @Test
    void aKeyTwiceInOneBatchIsOneJob() {
        List<JobId> ids = store().jobs().enqueue(List.of(keyed("a", "k", "{}"), keyed("a", "k", "{}"), job("a")));

        assertThat(ids.get(0)).isEqualTo(ids.get(1));
        assertThat(store().jobReader().list(JobQuery.all())).hasSize(2);
    }

    @Test
    void anIdSentAgainIsOneJobLiveOrEnded() {
        JobId id = JobId.next();
        NewJob given = JobDraft.named("a").id(id).job();
        enqueue(given);
        enqueue(given);
        assertThat(store().jobReader().list(JobQuery.all())).hasSize(1);

        write(new Outcome.Completed(claimOne("n1", LEASE).claim(), null));
        enqueue(given);

        assertThat(store().jobReader().list(JobQuery.all()))
                .extracting(JobInfo::status)
                .containsExactly(JobStatus.COMPLETED);
    }

    @Test
    void theIdOfAnotherJobIsRefusedLiveOrEnded() throws SQLException {
        JobId id = JobId.next();
        NewJob other = JobDraft.named("b").id(id).job();
        enqueue(JobDraft.named("a").id(id).job());
        String refusal = "job 'b' cannot have the id " + id + ", because it is that of job 'a'";
        assertThatThrownBy(() -> enqueue(other)).isInstanceOf(InvalidJob.class).hasMessageContaining(refusal);

        write(new Outcome.Completed(claimOne("n1", LEASE).claim(), null));
        assertThatThrownBy(() -> enqueue(other)).isInstanceOf(InvalidJob.class).hasMessageContaining(refusal);
        try (Connection connection = transaction()) {
            assertThatThrownBy(() -> store().jobs().enqueue(connection, List.of(job("c"), other)))
                    .isInstanceOf(InvalidJob.class);
            connection.commit();
        }
        assertThat(store().jobReader().list(JobQuery.all()))
                .extracting(JobInfo::name)
                .containsExactly("a");
        JobId twice = JobId.next();
        assertThatThrownBy(() -> store().jobs()
                        .enqueue(List.of(
                                JobDraft.named("a").id(twice).job(),
                                JobDraft.named("b").id(twice).job())))
                .isInstanceOf(InvalidJob.class);
        assertThat(store().jobReader().find(twice)).isEmpty();
    }

    @Test
    void anEnqueueInATransactionThatRollsBackLeavesNothing() throws SQLException {
        try (Connection connection = transaction()) {
            store().jobs().enqueue(connection, List.of(job("a"), keyed("a", "k", "{}")));
            connection.rollback();
        }
        assertThat(store().jobReader().list(JobQuery.all())).isEmpty();

        try (Connection connection = transaction()) {
            store().jobs().enqueue(connection, List.of(keyed("a", "k", "{}")));
            assertThat(claims("n1").exchange(List.of(), 1).claimed()).isEmpty();
            connection.commit();
        }
        assertThat(claims("n1").exchange(List.of(), 1).claimed()).hasSize(1);
    }

    @Test
    void aRefusedEnqueueLeavesNothingInATransactionThatIsCommittedAllTheSame() throws SQLException {
        enqueue(keyed("a", "taken", "{\"x\": 1}"));
        try (Connection connection = transaction()) {
            List<NewJob> refused = List.of(keyed("a", "fresh", "{}"), keyed("a", "taken", "{\"x\": 2}"));
            assertThatThrownBy(() -> store().jobs().enqueue(connection, refused))
                    .isInstanceOf(KeyConflict.class);
            connection.commit();
        }
        JobId fresh = enqueue(keyed("a", "fresh", "{\"other\": true}"));
        assertThat(find(fresh).status()).isEqualTo(JobStatus.PENDING);
        assertThat(store().jobReader().list(JobQuery.all())).hasSize(2);
    }

    private static NewJob placed(String queue, String expression) {
        return JobDraft.named("a").lane(queue, expression).job();
    }

    @Test
    void aQueueHasAtMost200Placements() throws Exception {
        store().jobs()
                .enqueue(IntStream.range(0, 195)
                        .mapToObj(i -> placed("q", "~n" + i))
                        .toList());
        List<JobStore> processes =
                IntStream.range(0, 10).mapToObj(i -> anotherNode().jobs()).toList();
        AtomicInteger refused = new AtomicInteger();

        inParallel(10, i -> {
            try {
                return processes.get(i).enqueue(List.of(placed("q", "@m" + i)));
            } catch (InvalidJob e) {
                assertThat(e)
                        .hasMessageContaining("queue 'q'")
                        .hasMessageContaining("200")
                        .hasMessageContaining("'@m" + i);
                return refused.incrementAndGet();
            }
        });

        assertThat(refused).as("five slots were free").hasValue(5);
        assertThat(store().jobReader().list(JobQuery.all().limit(500))).hasSize(200);
        // What is in use may be used again, and other queues and plain capabilities have room.
        store().jobs().enqueue(List.of(placed("q", "~n7"), placed("q", "gpu"), placed("q", ""), placed("r", "@m1")));
    }

    @Test
    void placementsInACallersTransactionCountWhenItCommits() throws SQLException {
        store().jobs()
                .enqueue(IntStream.range(0, 199)
                        .mapToObj(i -> placed("q", "~n" + i))
                        .toList());
        try (Connection connection = store().connection()) {
            connection.setAutoCommit(false);
            store().jobs().enqueue(connection, List.of(placed("q", "@m1")));
            store().jobs().enqueue(connection, List.of(placed("q", "@m1")));
            assertThatThrownBy(() -> store().jobs().enqueue(connection, List.of(placed("q", "@m2"))))
                    .isInstanceOf(InvalidJob.class);
            connection.rollback();
        }

        enqueue(placed("q", "@m2"));

        assertThatThrownBy(() -> enqueue(placed("q", "@m1"))).isInstanceOf(InvalidJob.class);
    }
}
