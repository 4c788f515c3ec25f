package dev.muster.postgres.internal.db;

import dev.muster.internal.runtime.FreshReads;
import dev.muster.postgres.internal.db.Database.Work;
import dev.muster.postgres.internal.db.DatabaseErrors.NotConnected;
import dev.muster.postgres.internal.db.DatabaseErrors.TookTooLong;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where people read: on the primary, or, if {@code database.read_url} is set, on the server that it names, usually a standby. What
 * is read there may be a little old, so nothing that a node decides by is read through this class; what a caller has just written is read
 * on the primary, if the caller says so with {@link FreshReads}. Transactions are read-only and run nothing that a standby refuses.
 */
public final class Readers {
    private static final int TRIES = 4;
    private static final Duration LAG_LIMIT = Duration.ofSeconds(2);
    private final Database database;
    private final String beginAlongIndexes;
    private final String beginAlongBlockRanges;
    private final String beginAsPlanned;

    /** The server that {@code database.read_url} names; null if people read on the primary. */
    private final @Nullable String replica;

    /** Reads what must be fresh; null if this is the one that reads on the primary. */
    private final @Nullable Readers primary;

    private Readers(Database database, @Nullable String replica, @Nullable Readers primary) {
        this.database = database;
        this.beginAsPlanned = Database.READ_ONLY + ";" + database.sql("transactions/reader");
        this.beginAlongIndexes = beginAsPlanned + ";" + database.sql("transactions/reading");
        this.beginAlongBlockRanges = beginAsPlanned + ";" + database.sql("transactions/block_ranges");
        this.replica = replica;
        this.primary = primary;
    }

    public static Readers onPrimary(Database database) {
        return new Readers(database, null, null);
    }

    /**
     * @param database the connections to the server
     * @param address how errors name the server
     * @param primary the connections to the primary, for what must be fresh
     */
    public static Readers onReplica(Database database, String address, Database primary) {
        return new Readers(database, address, onPrimary(primary));
    }

    /**
     * Reads along indexes, with the settings of {@code transactions/reading.sql}.
     *
     * @param limit how long each statement may take
     * @throws TookTooLong if one took longer
     */
    public <T> T alongIndexes(Duration limit, Work<T> work) {
        return read(beginAlongIndexes, limit, work);
    }

    /**
     * Reads a stretch of history along its block range index.
     *
     * @param limit how long each statement may take
     * @throws TookTooLong if one took longer
     */
    public <T> T alongBlockRanges(Duration limit, Work<T> work) {
        return read(beginAlongBlockRanges, limit, work);
    }

    /**
     * Reads with the planner's own choices.
     *
     * @param limit how long each statement may take
     * @throws TookTooLong if one took longer
     */
    public <T> T asPlanned(Duration limit, Work<T> work) {
        return read(beginAsPlanned, limit, work);
    }

    private <T> T read(String settings, Duration limit, Work<T> work) {
        return begunByFirst(limit, connection -> {
            begin(connection, settings, limit);
            return work.run(connection);
        });
    }

    /**
     * Reads with work whose first query begins the transaction itself, as {@code jobs/find_in_transaction.sql} does: a round trip less. The first
     * parameter of such a query is {@link #text} of the limit.
     *
     * @param limit how long each statement may take
     * @throws TookTooLong if one took longer
     */
    public <T> T begunByFirst(Duration limit, Work<T> work) {
        if (primary != null && FreshReads.wanted()) {
            return primary.begunByFirst(limit, work);
        }
        for (int attempt = 1; ; attempt++) {
            try {
                return database.onceReading(work);
            } catch (SQLException e) {
                if (attempt >= TRIES || !isTriedAgain(e, attempt)) {
                    throw translate(e, limit);
                }
                Database.pause(attempt);
            }
        }
    }

    /**
     * A standby cancels readers whose rows the primary has removed; they are tried again like a deadlock. Connections of the pool that
     * were open when a standby was restarted are broken, and another server may be there.
     */
    private boolean isTriedAgain(SQLException e, int attempt) {
        boolean broken = SqlStates.connectionLost(e) && !(e instanceof NotConnected);
        return SqlStates.worthRepeating(e) || replica != null && attempt == 1 && broken;
    }

    private static void begin(Connection connection, String settings, Duration limit) throws SQLException {
        try (PreparedStatement statement = Statements.prepare(connection, settings)) {
            new Params(statement).text(text(limit));
            statement.execute();
        }
    }

    /** The limit as {@code transactions/reader.sql} takes it. */
    public static String text(Duration limit) {
        return limit.toMillis() + "ms";
    }

    private MusterException translate(SQLException e, Duration limit) {
        if (SqlStates.timedOut(e)) {
            return new TookTooLong(limit, e);
        }
        if (replica != null && (SqlStates.connectionLost(e) || e instanceof NotConnected)) {
            return new DatabaseUnavailable(
                    "the server of database.read_url, " + replica + ", cannot be reached: "
                            + DatabaseErrors.rootMessage(e)
                            + ". Lists and searches are read there and nowhere else; remove the setting to read them at database.url",
                    e);
        }
        return DatabaseErrors.translate(e);
    }

    /**
     * How far what is read here is behind the primary, as far as the standby knows; empty if people read on the primary, or if the
     * standby cannot tell.
     */
    public Optional<Duration> lag() {
        if (replica == null) {
            return Optional.empty();
        }
        return asPlanned(
                LAG_LIMIT,
                connection -> database.query("server/replica_lag")
                        .first(connection, row -> row.getObject("lag_ms", Long.class))
                        .map(Duration::ofMillis));
    }
}
