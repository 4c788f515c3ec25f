package dev.muster.postgres.internal.maintenance;

import dev.muster.internal.overview.LimitUsageStore;
import dev.muster.job.JobCount;
import dev.muster.job.JobRate;
import dev.muster.overview.ConcurrencyGroupUsage;
import dev.muster.overview.RateLimitUsage;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.Rows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads how far groups and rate limits are used in PostgreSQL. */
public final class PostgresLimitUsageStore implements LimitUsageStore {
    private static final Duration LIMIT = Duration.ofSeconds(2);

    /** How many groups are looked at for one page. */
    private static final int WINDOW = 1_000;

    /** How many jobs of a page's groups are counted, about. */
    private static final int MOST_JOBS = 50_000;

    private static final int MOST_RATE_LIMITS = 5_000;

    private final Database database;
    private final Readers readers;

    public PostgresLimitUsageStore(Database database, Readers readers) {
        this.database = database;
        this.readers = readers;
    }

    @Override
    public ConcurrencyGroupUsage.Page concurrencyGroups(int limit, Optional<String> after) {
        int most = Math.max(10, Math.min(1_000, MOST_JOBS / limit));
        Query query = database.query("admission/usage")
                .with(p -> p.text(after.orElse(""))
                        .number(WINDOW)
                        .number(limit)
                        .number(most + 1)
                        .number(most + 1)
                        .number(most + 1));
        return readers.alongIndexes(LIMIT, connection -> query.all(connection, rows -> page(rows, limit, most)));
    }

    /** Every row says how far the table was looked at. */
    private static ConcurrencyGroupUsage.Page page(ResultSet rows, int limit, int most) throws SQLException {
        List<ConcurrencyGroupUsage> groups = new ArrayList<>();
        @Nullable String next = null;
        while (rows.next()) {
            if (rows.getLong("looked_at") >= WINDOW) {
                next = rows.getString("looked_to");
            }
            if (rows.getString("concurrency_group") != null) {
                groups.add(group(rows, most));
            }
        }
        if (groups.size() >= limit) {
            next = groups.get(groups.size() - 1).group();
        }
        return new ConcurrencyGroupUsage.Page(groups, Optional.ofNullable(next));
    }

    private static ConcurrencyGroupUsage group(ResultSet row, int most) throws SQLException {
        int rate = row.getInt("rate");
        return ConcurrencyGroupUsage.of(
                row.getString("concurrency_group"),
                Optional.ofNullable((Integer) row.getObject("most")),
                rate == 0
                        ? Optional.empty()
                        : Optional.of(
                                new JobRate(rate, Duration.ofMillis(row.getLong("rate_ms")), row.getInt("burst"))),
                count(row.getLong("running"), most),
                count(row.getLong("waiting"), most),
                Rows.optionalInstant(row, "oldest"));
    }

    private static JobCount count(long counted, int most) {
        return new JobCount(Math.min(counted, most), counted <= most);
    }

    @Override
    public List<RateLimitUsage> rateLimits(int limit) {
        Query query = database.query("rate_limits/usage")
                .with(p -> p.number(MOST_RATE_LIMITS).number(limit));
        return readers.alongIndexes(
                LIMIT,
                connection -> query.list(
                        connection,
                        row -> new RateLimitUsage(
                                row.getString("key"),
                                row.getLong("used"),
                                Optional.empty(),
                                Duration.ofMillis(row.getLong("window_ms")),
                                Rows.instant(row, "resets_at"))));
    }
}
