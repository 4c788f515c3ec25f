package dev.muster.postgres.internal.ratelimits;

import dev.muster.internal.ratelimit.RateLimitStore;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.DatabaseErrors;
import dev.muster.postgres.internal.db.GroupCommit;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.Rows;
import dev.muster.postgres.internal.db.SqlStates;
import dev.muster.postgres.internal.db.Statements;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Counts permits in PostgreSQL; those of several threads with one statement.
 *
 * <p>The statement is a transaction of its own, so that no lock is held while an answer travels: a node that is frozen or cut off does not
 * keep others from a key. Only where the isolation level is not READ COMMITTED by default, a transaction is opened that sets it.
 */
public final class PostgresRateLimitStore implements RateLimitStore {
    private static final int TRIES = 4;

    private final Database database;
    private final GroupCommit<Ask, Taken> group = new GroupCommit<>(new SharedCount());

    public PostgresRateLimitStore(Database database) {
        this.database = database;
    }

    @Override
    public Taken take(Ask ask) {
        try {
            return group.write(List.of(ask)).get(0);
        } catch (DatabaseUnavailable e) {
            throw new DatabaseUnavailable(
                    "nothing is decided about the rate limit " + ask.key() + ", because " + e.getMessage()
                            + "; the caller has no permit, and may try again",
                    e);
        }
    }

    /** Calls of several threads in one statement. */
    private final class SharedCount implements GroupCommit.Work<Ask, Taken> {

        /** If an earlier try may have counted, its permits are lost: they are counted again. */
        @Override
        public List<Taken> write(List<Ask> asks, boolean doubt) {
            for (int attempt = 1; ; attempt++) {
                try {
                    List<Taken> taken = database.statement(connection -> count(connection, asks));
                    return taken.isEmpty() ? countReadCommitted(asks) : taken;
                } catch (SQLException e) {
                    if (attempt >= TRIES || !SqlStates.worthRepeating(e)) {
                        throw translate(e);
                    }
                    Database.pause(attempt);
                }
            }
        }

        @Override
        public boolean leavesDoubt(RuntimeException e) {
            return e instanceof DatabaseUnavailable;
        }

        @Override
        public RuntimeException inDoubt(List<Ask> asks, RuntimeException e) {
            return new DatabaseUnavailable(String.valueOf(e.getMessage()), e);
        }

        @Override
        public int characters(Ask ask) {
            return ask.key().who().length();
        }
    }

    /** Who waited in vain must not wait again alone: everybody of this node waits meanwhile. */
    private static MusterException translate(SQLException e) {
        return SqlStates.lockNotAvailable(e) || SqlStates.timedOut(e)
                ? new DatabaseUnavailable("the database did not count in time: " + e.getMessage(), e)
                : DatabaseErrors.translate(e);
    }

    /** Empty if the transaction is not READ COMMITTED. */
    private List<Taken> count(Connection connection, List<Ask> asks) throws SQLException {
        String text = database.limits(connection) + database.sql("rate_limits/call_take");
        try (PreparedStatement statement = Statements.prepare(connection, text)) {
            bind(new Params(statement), asks);
            statement.execute();
            return read(Statements.lastResult(statement), asks.size());
        }
    }

    private List<Taken> countReadCommitted(List<Ask> asks) {
        return database.inRawTransaction(connection -> database.preparedQuery("rate_limits/call_take")
                .with(p -> bind(p, asks))
                .all(connection, rows -> read(rows, asks.size())));
    }

    private static void bind(Params params, List<Ask> asks) throws SQLException {
        params.column("text", asks, ask -> ask.key().toString())
                .column("int8", asks, ask -> ask.limit().window().toMillis())
                .column("int8", asks, ask -> (long) ask.limit().permits())
                .column("int8", asks, ask -> (long) ask.need())
                .column("int8", asks, ask -> (long) ask.want());
    }

    /** The rows come in the order of their keys. */
    private static List<Taken> read(ResultSet rows, int size) throws SQLException {
        Taken[] taken = new Taken[size];
        int count = 0;
        while (rows.next()) {
            taken[rows.getInt("ordinal") - 1] = new Taken(
                    Math.toIntExact(rows.getLong("granted")),
                    Math.toIntExact(rows.getLong("remaining")),
                    Rows.instant(rows, "window_began"),
                    Duration.of(rows.getLong("left_us"), ChronoUnit.MICROS));
            count++;
        }
        return count == 0 ? new ArrayList<>() : Arrays.asList(taken);
    }
}
