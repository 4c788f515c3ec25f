package dev.muster.client;

import dev.muster.Admin;
import dev.muster.document.internal.ConcurrencyGroupDocument;
import dev.muster.document.internal.JobOptionsDocument;
import dev.muster.document.internal.JsonObjectReader;
import dev.muster.document.internal.KnownNamesDocument;
import dev.muster.document.internal.MetricsDocument;
import dev.muster.document.internal.MinutesDocument;
import dev.muster.document.internal.RateLimitDocument;
import dev.muster.internal.config.DurationText;
import dev.muster.job.HandlerInfo;
import dev.muster.job.KnownNames;
import dev.muster.job.payload.EncryptionKeyUse;
import dev.muster.overview.ConcurrencyGroupUsage;
import dev.muster.overview.RateLimitUsage;
import dev.muster.telemetry.JobMetrics;
import dev.muster.telemetry.MinuteMetrics;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a client learns about the cluster over HTTP; what is about the tables needs the database. */
final class ClientAdmin implements Admin {
    private final Gateway gateway;

    ClientAdmin(Gateway gateway) {
        this.gateway = gateway;
    }

    @Override
    public Map<String, HandlerInfo> handlers() {
        Map<String, HandlerInfo> handlers = new LinkedHashMap<>();
        for (JsonObjectReader handler : gateway.get("/_api/handlers").list("handlers")) {
            handlers.put(handler.text("name"), JobOptionsDocument.readHandler(handler));
        }
        return handlers;
    }

    @Override
    public KnownNames knownNames() {
        return KnownNamesDocument.read(gateway.get("/_api/names"));
    }

    @Override
    public JobMetrics metrics(Duration since) {
        return MetricsDocument.read(gateway.get("/_api/stats", Map.of("since", List.of(DurationText.format(since)))));
    }

    @Override
    public MinuteMetrics minutes(Duration since, Optional<String> queue) {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        parameters.put("since", List.of(DurationText.format(since)));
        queue.ifPresent(name -> parameters.put("queue", List.of(name)));
        return MinutesDocument.read(gateway.get("/_api/stats/minutes", parameters));
    }

    @Override
    public ConcurrencyGroupUsage.Page concurrencyGroups(int limit, Optional<String> after) {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        parameters.put("limit", List.of(String.valueOf(limit)));
        after.ifPresent(group -> parameters.put("after", List.of(group)));
        return ConcurrencyGroupDocument.read(gateway.get("/_api/concurrency_groups", parameters));
    }

    @Override
    public List<RateLimitUsage> rateLimits(int limit) {
        return gateway
                .get("/_api/rate_limits", Map.of("limit", List.of(String.valueOf(limit))))
                .list("rate_limits")
                .stream()
                .map(RateLimitDocument::read)
                .toList();
    }

    @Override
    public Optional<Duration> replicaLag() {
        return gateway.replicaLag();
    }

    @Override
    public List<Migration> migrations() {
        throw new NeedsDatabase("reading the migrations");
    }

    @Override
    public List<String> migrateUp() {
        throw new NeedsDatabase("migrating the tables");
    }

    @Override
    public List<String> grants(String role, boolean readOnly) {
        throw new NeedsDatabase("reading the grants");
    }

    @Override
    public List<EncryptionKeyUse> encryptionKeyUses(boolean history) {
        throw new NeedsDatabase("counting the uses of encryption keys");
    }
}
