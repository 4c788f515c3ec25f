package dev.muster.client;

import dev.muster.document.internal.CronDocument;
import dev.muster.document.internal.CronSpecDocument;
import dev.muster.document.internal.CronTickDocument;
import dev.muster.document.internal.JsonObjectReader;
import dev.muster.job.JobId;
import dev.muster.runtime.JsonCodec;
import dev.muster.schedule.CronChanged;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.CronSpec;
import dev.muster.schedule.CronTick;
import dev.muster.schedule.Crons;
import dev.muster.schedule.InvalidCron;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Crons over HTTP. */
final class ClientCrons implements Crons {
    private static final String CRONS = "/_api/crons";

    private final Gateway gateway;
    private final JsonCodec json;

    ClientCrons(Gateway gateway, JsonCodec json) {
        this.gateway = gateway.invalid(InvalidCron::new);
        this.json = json;
    }

    @Override
    public List<CronInfo> list() {
        return gateway.get(CRONS).list("crons").stream().map(CronDocument::read).toList();
    }

    @Override
    public Optional<CronInfo> find(String name) {
        return gateway.find(Gateway.path(CRONS, name)).map(CronDocument::read);
    }

    @Override
    public CronInfo create(CronSpec spec) {
        return CronDocument.read(gateway.post(CRONS, CronSpecDocument.write(spec, json), false));
    }

    @Override
    public Optional<CronSpec> spec(String name) {
        return gateway.find(Gateway.path(CRONS, name, "spec")).map(CronSpecDocument::read);
    }

    @Override
    public CronInfo update(CronSpec spec) {
        return existing(
                spec.name(),
                () -> gateway.repeatable("PUT", Gateway.path(CRONS, spec.name()), CronSpecDocument.write(spec, json))
                        .map(CronDocument::read)
                        .orElseThrow());
    }

    @Override
    public CronInfo update(CronSpec spec, Instant unchangedSince) {
        return existing(
                spec.name(),
                () -> unlessChanged(spec.name(), "PUT", CronSpecDocument.write(spec, json), unchangedSince)
                        .map(CronDocument::read)
                        .orElseThrow());
    }

    @Override
    public boolean delete(String name, Instant unchangedSince) {
        try {
            unlessChanged(name, "DELETE", null, unchangedSince);
            return true;
        } catch (GatewayException e) {
            if (e.isNotFound()) {
                return false;
            }
            throw e;
        }
    }

    private Optional<JsonObjectReader> unlessChanged(String name, String method, @Nullable Object body, Instant since) {
        try {
            return gateway.ifUnchanged(method, Gateway.path(CRONS, name), body, since);
        } catch (GatewayException e) {
            throw e.status() == 412 ? new CronChanged(name) : e;
        }
    }

    @Override
    public boolean delete(String name) {
        return gateway.changes("DELETE", Gateway.path(CRONS, name), null, true);
    }

    @Override
    public CronInfo pause(String name) {
        return existing(name, () -> CronDocument.read(gateway.post(Gateway.path(CRONS, name, "pause"), null, true)));
    }

    @Override
    public CronInfo resume(String name) {
        return existing(name, () -> CronDocument.read(gateway.post(Gateway.path(CRONS, name, "resume"), null, true)));
    }

    @Override
    public JobId trigger(String name) {
        return existing(
                name,
                () -> gateway.post(Gateway.path(CRONS, name, "trigger"), null, false)
                        .parsed("job", JobId::of));
    }

    @Override
    public List<Instant> next(String name, int count) {
        return existing(
                name,
                () -> gateway.get(Gateway.path(CRONS, name, "next") + "?count=" + count).texts("ticks").stream()
                        .map(Instant::parse)
                        .toList());
    }

    @Override
    public List<CronTick> history(String name, int limit) {
        return existing(
                name,
                () -> gateway.get(Gateway.path(CRONS, name, "history") + "?limit=" + limit).list("ticks").stream()
                        .map(CronTickDocument::read)
                        .toList());
    }

    /** In the process, too, a cron that does not exist is an {@link InvalidCron}. */
    private <T> T existing(String name, Supplier<T> call) {
        try {
            return call.get();
        } catch (GatewayException e) {
            if (e.isNotFound()) {
                throw InvalidCron.noSuchCron(name, list());
            }
            throw e;
        }
    }
}
