package dev.muster;

import dev.muster.job.HandlerInfo;
import dev.muster.job.KnownNames;
import dev.muster.job.payload.EncryptionKeyUse;
import dev.muster.overview.LineUsage;
import dev.muster.overview.RateLimitUsage;
import dev.muster.runtime.ObserverRefusal;
import dev.muster.upkeep.JobMetrics;
import dev.muster.upkeep.MinuteMetrics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The administration of an observer: reading works, migrations are refused. */
record ObserverAdmin(Admin admin) implements Admin {

    @Override
    public Map<String, HandlerInfo> handlers() {
        return admin.handlers();
    }

    @Override
    public KnownNames knownNames() {
        return admin.knownNames();
    }

    @Override
    public JobMetrics metrics(Duration since) {
        return admin.metrics(since);
    }

    @Override
    public MinuteMetrics minutes(Duration since, Optional<String> queue) {
        return admin.minutes(since, queue);
    }

    @Override
    public LineUsage.Page lines(int limit, Optional<String> after) {
        return admin.lines(limit, after);
    }

    @Override
    public List<RateLimitUsage> rateLimits(int limit) {
        return admin.rateLimits(limit);
    }

    @Override
    public Optional<Duration> replicaLag() {
        return admin.replicaLag();
    }

    @Override
    public List<Migration> migrations() {
        return admin.migrations();
    }

    @Override
    public List<String> migrateUp() {
        throw new ObserverRefusal("migrate tables");
    }

    @Override
    public List<String> grants(String role, boolean readOnly) {
        return admin.grants(role, readOnly);
    }

    @Override
    public List<EncryptionKeyUse> encryptionKeyUses(boolean history) {
        return admin.encryptionKeyUses(history);
    }
}
