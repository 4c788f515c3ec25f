package dev.muster.postgres.internal.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Statements that wait for the {@link ControlConnection}. Any thread adds statements and waits for their answers; the connection's thread
 * sends them, those of a {@link StatementGroup} as one.
 */
final class StatementQueue {
    private static final Logger log = LoggerFactory.getLogger(StatementQueue.class);
    private static final long APART_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final StatementGroup.Finder groups;
    private final ConcurrentLinkedQueue<Task<?>> tasks = new ConcurrentLinkedQueue<>();
    private long apartUntil = System.nanoTime();

    StatementQueue(StatementGroup.Finder groups) {
        this.groups = groups;
    }

    /** A statement and its answer. */
    record Task<T>(Database.Work<T> work, CompletableFuture<T> result) {
        private void run(Connection connection) throws SQLException {
            try {
                result.complete(work.run(connection));
            } catch (SQLException e) {
                result.completeExceptionally(e);
                if (SqlStates.connectionLost(e)) {
                    throw e;
                }
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        }

        /** Answers this statement if it is in the group; returns whether it is. */
        private boolean answer(StatementGroup.Answers answers, StatementGroup group) throws SQLException {
            if (!group.contains(work)) {
                return false;
            }
            try {
                result.complete(answers.to(work));
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
            return true;
        }
    }

    <T> Task<T> add(Database.Work<T> work) {
        Task<T> task = new Task<>(work, new CompletableFuture<>());
        tasks.add(task);
        return task;
    }

    /**
     * Nobody waits for this answer any more.
     *
     * @return whether the statement was not sent and will not be
     */
    boolean remove(Task<?> task) {
        return tasks.remove(task);
    }

    boolean isEmpty() {
        return tasks.isEmpty();
    }

    /** Whether some statements of a group are here, and others are likely to come. */
    boolean hasBegunGroup() {
        return groups.isBegun(waiting());
    }

    /**
     * Sends all statements.
     *
     * @param together whether those of a group may be sent as one
     * @throws SQLException if the connection is lost; other errors are answers
     */
    void sendAll(Connection open, boolean together) throws SQLException {
        Optional<StatementGroup> group = groups.among(waiting());
        if (group.isPresent() && together && System.nanoTime() - apartUntil >= 0) {
            sendTogether(open, group.get());
        }
        Task<?> task;
        while ((task = tasks.poll()) != null) {
            task.run(open);
        }
    }

    private List<Database.Work<?>> waiting() {
        return tasks.stream().<Database.Work<?>>map(Task::work).toList();
    }

    /**
     * Sends one statement for the group. If it fails, each is sent by itself, so that an error of one does not affect the
     * others.
     */
    private void sendTogether(Connection open, StatementGroup group) throws SQLException {
        try {
            group.ask(open, answers -> {
                for (Task<?> task : tasks) {
                    if (task.answer(answers, group)) {
                        tasks.remove(task);
                    }
                }
            });
        } catch (SQLException e) {
            if (SqlStates.connectionLost(e)) {
                throw e;
            }
            log.debug("what was asked together is asked one by one for a while", e);
            apartUntil = System.nanoTime() + APART_NANOS;
            for (Database.Work<?> member : group.apart(e)) {
                for (Task<?> task : tasks) {
                    if (task.work() == member && tasks.remove(task)) {
                        task.run(open);
                    }
                }
            }
        }
    }

    /** Answers all statements with this error. */
    void failAll(SQLException cause) {
        Task<?> task;
        while ((task = tasks.poll()) != null) {
            task.result.completeExceptionally(cause);
        }
    }
}
