package dev.muster.client;

import dev.muster.Admin;
import dev.muster.config.DurationText;
import dev.muster.document.Fields;
import dev.muster.document.JobOptionsDocument;
import dev.muster.document.KnownNamesDocument;
import dev.muster.document.LineDocument;
import dev.muster.document.MetricsDocument;
import dev.muster.document.MinutesDocument;
import dev.muster.document.RateLimitDocument;
import dev.muster.job.HandlerInfo;
import dev.muster.job.KnownNames;
import dev.muster.job.payload.EncryptionKeyUse;
import dev.muster.overview.LineUsage;
import dev.muster.overview.RateLimitUsage;
import dev.muster.upkeep.JobMetrics;
import dev.muster.upkeep.MinuteMetrics;
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
        for (Fields handler : gateway.get("/_api/handlers").list("handlers")) {
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
    public LineUsage.Page lines(int limit, Optional<String> after) {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        parameters.put("limit", List.of(String.valueOf(limit)));
        after.ifPresent(line -> parameters.put("after", List.of(line)));
        return LineDocument.read(gateway.get("/_api/lines", parameters));
    }

    @Override
    public List<RateLimitUsage> rateLimits(int limit) {
        return gateway.get("/_api/limits", Map.of("limit", List.of(String.valueOf(limit)))).list("limits").stream()
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
