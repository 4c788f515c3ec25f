package dev.muster.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.Muster;
import dev.muster.batch.BatchRequest;
import dev.muster.cluster.ClusterCoordinator;
import dev.muster.engine.EngineIT;
import dev.muster.graph.GraphRequest;
import dev.muster.graph.TaskRequest;
import dev.muster.runtime.MusterException;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Enqueuing joins the transaction that a framework has open on the thread. */
class CurrentTransactionIT extends EngineIT {
    private final WakeUps wakeUps = new WakeUps();
    private ThreadBoundTransactions transactions;
    private Muster muster;

    static final class Handlers {
        @Job("echo")
        String echo(String text) {
            return text;
        }

        @Workflow(name = "nothing", version = "v1")
        String nothing(WorkflowContext ctx, String text) {
            return text;
        }
    }

    /** Records the wake-ups instead of sending them. */
    private static final class WakeUps implements ClusterCoordinator {
        final List<Set<Lane>> sent = new CopyOnWriteArrayList<>();
        final List<Set<Lane>> sentInside = new CopyOnWriteArrayList<>();

        @Override
        public void notifyNewWork(Set<Lane> lanes) {
            sent.add(lanes);
        }

        @Override
        public void notifyNewWork(Connection connection, Set<Lane> lanes) {
            sentInside.add(lanes);
        }

        @Override
        public void registerWakeupListener(Runnable listener) {}

        @Override
        public boolean isListening() {
            return false;
        }
    }

    @BeforeEach
    void open() {
        database.execute("CREATE TABLE orders (id int)");
        transactions = new ThreadBoundTransactions(database.dataSource());
        muster = builder(Map.of(), new Handlers())
                .currentTransaction(transactions)
                .coordinator(wakeUps)
                .build();
    }

    @AfterEach
    void close() {
        muster.close();
        assertThat(wakeUps.sentInside).as("wake-ups within a transaction").isEmpty();
    }

    private static JobRequest echo(String text) {
        return JobRequest.of("echo", text);
    }

    private static void order(Connection connection, int id) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO orders VALUES (" + id + ")");
        }
    }

    private long jobs() {
        return database.number("SELECT count(*) FROM muster_jobs");
    }

    private List<String> orders() {
        return database.column("SELECT id FROM orders ORDER BY id");
    }

    @Test
    void jobsCommitWithTheTransactionAndWakeNobodyBefore() throws Exception {
        transactions.commit(connection -> {
            order(connection, 1);
            muster.jobs().enqueue(echo("a"));
            muster.jobs().enqueueAll(List.of(echo("b"), echo("c")));
            assertThat(jobs()).as("seen by others before the commit").isZero();
            assertThat(wakeUps.sent).isEmpty();
        });
        assertThat(jobs()).isEqualTo(3);
        assertThat(orders()).containsExactly("1");
        assertThat(wakeUps.sent).hasSize(2).containsOnly(Set.of(new Lane("default", "")));

        Muster worker = node(new Handlers());
        for (JobInfo job : muster.jobs().list(JobQuery.all())) {
            assertThat(ended(worker, job.id()).status()).isEqualTo(JobStatus.COMPLETED);
        }
    }

    @Test
    void jobsGoWithTheTransactionAndWakeNobody() throws Exception {
        transactions.rollBack(connection -> {
            order(connection, 1);
            muster.jobs().enqueue(echo("a"));
            assertThat(muster.jobs().submit(echo("b").key("k")).created()).isTrue();
        });
        assertThat(jobs()).isZero();
        assertThat(orders()).isEmpty();
        assertThat(wakeUps.sent).isEmpty();
        assertThat(muster.jobs().submit(echo("b").key("k")).created())
                .as("the key is free again")
                .isTrue();
    }

    @Test
    void aKeyFindsTheJobOfTheSameTransactionAndOfEarlierOnes() throws Exception {
        JobId earlier = muster.jobs().enqueue(echo("a").key("earlier"));
        transactions.commit(connection -> {
            assertThat(muster.jobs().submit(echo("a").key("earlier")))
                    .satisfies(found -> assertThat(found.created()).isFalse())
                    .satisfies(found -> assertThat(found.id()).isEqualTo(earlier));
            JobId first = muster.jobs().enqueue(echo("b").key("now"));
            assertThat(muster.jobs().enqueue(echo("b").key("now"))).isEqualTo(first);
            assertThatThrownBy(() -> muster.jobs().enqueue(echo("other").key("now")))
                    .isInstanceOf(KeyConflict.class);
            order(connection, 1);
        });
        assertThat(jobs()).isEqualTo(2);
        assertThat(orders()).as("the transaction continued after the conflict").containsExactly("1");
    }

    private long rows() {
        return database.number("SELECT (SELECT count(*) FROM muster_jobs) + (SELECT count(*) FROM muster_graphs)"
                + " + (SELECT count(*) FROM muster_batches) + (SELECT count(*) FROM muster_workflow_runs)");
    }

    private void writeEverything() {
        muster.graphs().submit(GraphRequest.of(TaskRequest.of("t", "echo", "a")));
        BatchId batch = muster.batches().create(BatchRequest.of("by-hand"));
        muster.jobs().enqueue(echo("b").batch(batch));
        muster.batches().seal(batch);
        muster.batches().fanOut(BatchRequest.of("at-once"), List.of(echo("c")));
        muster.workflows().start("nothing", "x");
    }

    @Test
    void graphsBatchesAndRunsCommitWithTheTransaction() throws Exception {
        transactions.commit(connection -> {
            writeEverything();
            assertThat(rows()).as("seen by others before the commit").isZero();
            assertThat(wakeUps.sent).isEmpty();
        });

        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isEqualTo(4);
        assertThat(rows()).isEqualTo(4 + 1 + 2 + 1);
        assertThat(wakeUps.sent).hasSize(4);
    }

    @Test
    void graphsBatchesAndRunsGoWithTheTransaction() throws Exception {
        transactions.rollBack(connection -> writeEverything());

        assertThat(rows()).isZero();
        assertThat(wakeUps.sent).isEmpty();
    }

    @Test
    void aSavepointTakesItsJobsWithIt() throws Exception {
        transactions.commit(connection -> {
            muster.jobs().enqueue(echo("kept"));
            Savepoint nested = connection.setSavepoint();
            muster.jobs().enqueue(echo("dropped").key("k"));
            connection.rollback(nested);
            assertThatThrownBy(() -> muster.jobs().enqueue(JobRequest.of("typo")))
                    .isInstanceOf(InvalidJob.class);
            muster.jobs().enqueue(echo("also kept").key("k"));
            order(connection, 1);
        });
        assertThat(database.column("SELECT args #>> '{}' FROM muster_jobs ORDER BY 1"))
                .containsExactly("also kept", "kept");
        assertThat(orders()).containsExactly("1");
    }

    @Test
    void aReadOnlyTransactionIsRefusedWithASentence() throws Exception {
        transactions.readOnly(connection -> {
            List<Runnable> ways = List.of(
                    () -> muster.jobs().enqueue(echo("a")),
                    () -> muster.jobs().enqueue(echo("a").key("k")),
                    () -> muster.jobs().enqueueAll(List.of(echo("a"), echo("b"))),
                    () -> muster.jobs().in(connection).enqueue(echo("a")));
            for (Runnable way : ways) {
                assertThatThrownBy(way::run)
                        .isInstanceOf(MusterException.class)
                        .hasMessage(
                                "jobs cannot be enqueued in a read-only transaction: enqueue in one that may write, or outside"
                                        + " of it");
                connection.rollback();
            }
        });
        assertThat(jobs()).isZero();
        assertThat(wakeUps.sent).isEmpty();
    }

    @Test
    void anotherThreadIsNotPartOfTheTransaction() throws Exception {
        transactions.rollBack(connection -> {
            muster.jobs().enqueue(echo("mine"));
            CompletableFuture.runAsync(() -> muster.jobs().enqueue(echo("of another thread")))
                    .join();
        });
        assertThat(database.column("SELECT args #>> '{}' FROM muster_jobs")).containsExactly("of another thread");
        assertThat(wakeUps.sent).hasSize(1);
    }
}
