package dev.muster.postgres.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.internal.runtime.SentCommits;
import dev.muster.postgres.internal.db.Database.Work;
import dev.muster.postgres.internal.db.DatabaseErrors.CommitLost;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.OutcomeUnknown;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DatabaseTest {

    @Test
    void aConnectionThatBreaksAsItIsTakenGoesBackToItsPool() {
        AtomicBoolean closed = new AtomicBoolean();
        Connection broken = proxy(Connection.class, method -> {
            if (method.equals("setNetworkTimeout")) {
                throw new SQLException("the connection is broken", "08006");
            }
            closed.compareAndSet(false, method.equals("close"));
            return switch (method) {
                case "isWrapperFor" -> false;
                case "getAutoCommit" -> true;
                case "getNetworkTimeout" -> 0;
                default -> null;
            };
        });
        Database database = new Database(proxy(DataSource.class, method -> broken), new SqlFiles("public"));

        assertThatThrownBy(() -> database.inRawTransaction(connection -> "unreached"))
                .isInstanceOf(DatabaseUnavailable.class);

        assertThat(closed).isTrue();
    }

    private static Connection breaking(String call) {
        return proxy(Connection.class, method -> {
            if (method.equals(call)) {
                throw new SQLException("the connection is broken", "08006");
            }
            return switch (method) {
                case "isWrapperFor", "equals" -> false;
                case "getAutoCommit" -> true;
                case "getNetworkTimeout", "hashCode" -> 0;
                default -> null;
            };
        });
    }

    private static Database databaseOf(Connection connection) {
        return Database.ofReplica(proxy(DataSource.class, method -> connection), new SqlFiles("public"), false);
    }

    @Test
    void onlyALostCommitOfAWriteLeavesTheOutcomeUnknown() {
        Database database = databaseOf(breaking("commit"));

        assertThatThrownBy(() -> database.once(connection -> "written"))
                .isInstanceOfSatisfying(
                        CommitLost.class,
                        e -> assertThat(DatabaseErrors.translate(e)).isInstanceOf(OutcomeUnknown.class));
        assertThatThrownBy(() -> database.onceReading(connection -> "read"))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        e -> assertThat(DatabaseErrors.translate(e))
                                .isInstanceOf(DatabaseUnavailable.class)
                                .isNotInstanceOf(OutcomeUnknown.class));
        assertThatThrownBy(() -> database.once(connection -> {
                    throw new SQLException("the connection is broken", "08006");
                }))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        e -> assertThat(DatabaseErrors.translate(e))
                                .isInstanceOf(DatabaseUnavailable.class)
                                .isNotInstanceOf(OutcomeUnknown.class));
    }

    @Test
    void afterTheCommitNothingFails() throws Exception {
        String value = databaseOf(breaking("close")).once(connection -> "written");

        assertThat(value).isEqualTo("written");
    }

    @Test
    void whoeverStopsAfterACommitDoesNotSayThatNothingWasDone() {
        Database well = databaseOf(breaking("nothing"));
        DatabaseUnavailable gone = new DatabaseUnavailable("gone", null);

        assertThatThrownBy(() -> SentCommits.during(() -> done(well::once, gone)))
                .isInstanceOf(OutcomeUnknown.class)
                .hasMessageContaining("gone");
        assertThatThrownBy(() -> SentCommits.during(() -> done(well::onceReading, gone)))
                .isSameAs(gone);
        assertThatThrownBy(() -> SentCommits.during(() -> {
                    SentCommits.during(() -> done(well::once, null));
                    throw gone;
                }))
                .as("what a part has done, the whole has done")
                .isInstanceOf(OutcomeUnknown.class);
        assertThatThrownBy(() -> SentCommits.during(() -> {
                    throw gone;
                }))
                .as("what was done before does not count")
                .isSameAs(gone);
    }

    @FunctionalInterface
    private interface Transactions {
        String once(Work<String> work) throws SQLException;
    }

    private static String done(Transactions transactions, @Nullable DatabaseUnavailable then) {
        try {
            transactions.once(connection -> "done");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        if (then != null) {
            throw then;
        }
        return "done";
    }

    /** Two uses of connections hang when they are to be ended; while the first is ended, the other one ends by itself. */
    @Test
    void aConnectionThatWentBackToItsPoolIsNotEnded() throws Exception {
        List<Hanging> connections = List.of(new Hanging(), new Hanging());
        connections.forEach(one -> one.onAbort =
                () -> connections.stream().filter(other -> other != one).forEach(Hanging::answerAndAwaitReturn));
        Iterator<Hanging> pool = connections.iterator();
        Database database =
                new Database(proxy(DataSource.class, method -> pool.next().connection), new SqlFiles("public"));
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            for (Hanging connection : connections) {
                threads.submit(() -> database.statement(open -> {
                    connection.used.countDown();
                    connection.awaitAnswer();
                    return null;
                }));
                assertThat(connection.used.await(2, TimeUnit.MINUTES)).isTrue();
            }
            database.abortUsedSinceBefore(System.nanoTime());
        } finally {
            threads.shutdown();
        }

        assertThat(threads.awaitTermination(2, TimeUnit.MINUTES)).isTrue();
        assertThat(connections)
                .as("of the two, one had gone back")
                .filteredOn(connection -> connection.aborted.get() > 0)
                .singleElement()
                .satisfies(ended -> assertThat(ended.calls)
                        .as("its pool learns that it is broken before it gets it back")
                        .containsSubsequence("abort", "createStatement", "close"));
    }

    /** A connection whose statement is answered when it is told to. */
    private static final class Hanging {
        final CountDownLatch used = new CountDownLatch(1);
        final CountDownLatch answered = new CountDownLatch(1);
        final CountDownLatch returned = new CountDownLatch(1);
        final AtomicInteger aborted = new AtomicInteger();
        final Queue<String> calls = new ConcurrentLinkedQueue<>();
        Runnable onAbort = () -> {};

        final Connection connection = proxy(Connection.class, method -> {
            calls.add(method);
            return switch (method) {
                case "isWrapperFor" -> false;
                case "getAutoCommit" -> true;
                case "getNetworkTimeout" -> 0;
                case "createStatement" -> throw new SQLException("no such function", "42883");
                case "abort" -> {
                    if (aborted.getAndIncrement() == 0) {
                        onAbort.run();
                    }
                    answered.countDown();
                    yield null;
                }
                case "close" -> {
                    returned.countDown();
                    yield null;
                }
                case "hashCode" -> System.identityHashCode(this);
                default -> null;
            };
        });

        void awaitAnswer() {
            try {
                assertThat(answered.await(2, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        void answerAndAwaitReturn() {
            answered.countDown();
            try {
                assertThat(returned.await(2, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @FunctionalInterface
    private interface Answer {
        Object to(String method) throws SQLException;
    }

    private static <T> T proxy(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> answer.to(method.getName())));
    }
}
