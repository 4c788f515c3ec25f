package dev.muster.postgres.internal;

import dev.muster.Admin;
import dev.muster.internal.maintenance.MaintenanceStore;
import dev.muster.internal.overview.LimitUsageStore;
import dev.muster.job.HandlerInfo;
import dev.muster.job.KnownNames;
import dev.muster.job.payload.EncryptionKeyUse;
import dev.muster.overview.ConcurrencyGroupUsage;
import dev.muster.overview.RateLimitUsage;
import dev.muster.postgres.internal.cluster.PostgresNodeStore;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.jobs.EncryptionKeyUses;
import dev.muster.postgres.internal.jobs.KnownNamesQuery;
import dev.muster.postgres.internal.schema.Grants;
import dev.muster.postgres.internal.schema.Migrations;
import dev.muster.telemetry.JobMetrics;
import dev.muster.telemetry.MinuteMetrics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What operators ask, in PostgreSQL. What is about the tables themselves, and about which keys can be thrown away, is asked of the
 * primary.
 *
 * @param up applies the missing migrations
 */
record PostgresAdmin(
        Database database,
        Readers readers,
        PostgresNodeStore nodes,
        MaintenanceStore maintenance,
        LimitUsageStore limits,
        Migrations schema,
        Supplier<List<String>> up)
        implements Admin {
    private static final int MOST_QUEUES = 50;
    private static final int MOST_MINUTES = 20_000;

    @Override
    public Map<String, HandlerInfo> handlers() {
        return nodes.listPublished();
    }

    @Override
    public KnownNames knownNames() {
        return new KnownNamesQuery(database, readers).read();
    }

    @Override
    public JobMetrics metrics(Duration since) {
        return maintenance.figures(since);
    }

    @Override
    public MinuteMetrics minutes(Duration since, Optional<String> queue) {
        long minutes = Math.max(1, since.toMinutes());
        return maintenance.minutes(since, queue, (int) Math.max(1, Math.min(MOST_QUEUES, MOST_MINUTES / minutes)));
    }

    @Override
    public ConcurrencyGroupUsage.Page concurrencyGroups(int limit, Optional<String> after) {
        return limits.concurrencyGroups(limit, after);
    }

    @Override
    public List<RateLimitUsage> rateLimits(int limit) {
        return limits.rateLimits(limit);
    }

    @Override
    public Optional<Duration> replicaLag() {
        return readers.lag();
    }

    @Override
    public List<Migration> migrations() {
        List<String> pending = schema.pending();
        return Migrations.names().stream()
                .map(name -> new Migration(name, !pending.contains(name)))
                .toList();
    }

    @Override
    public List<String> migrateUp() {
        return up.get();
    }

    @Override
    public List<String> grants(String role, boolean readOnly) {
        return new Grants(database).statements(role, readOnly);
    }

    @Override
    public List<EncryptionKeyUse> encryptionKeyUses(boolean history) {
        return new EncryptionKeyUses(database).list(history);
    }
}
