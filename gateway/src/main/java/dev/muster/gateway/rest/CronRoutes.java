package dev.muster.gateway.rest;

import dev.muster.access.Scope;
import dev.muster.document.CronDocument;
import dev.muster.document.CronSpecDocument;
import dev.muster.document.CronTickDocument;
import dev.muster.document.Json;
import dev.muster.gateway.route.Answer;
import dev.muster.gateway.route.Call;
import dev.muster.gateway.route.Refusal;
import dev.muster.gateway.route.Route;
import dev.muster.gateway.route.Schema;
import dev.muster.runtime.Names;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.CronSpec;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Crons: list, show, create, change, pause, resume, trigger, preview. */
public final class CronRoutes {
    private static final int MOST_TICKS = 1_000;

    public static final List<Route> ALL = List.of(
            Route.get("/_api/crons", "List all crons.")
                    .answers(Schemas.listOf("crons", Schemas.CRON))
                    .to(call -> Answer.of(Map.of(
                            "crons",
                            call.muster().crons().list().stream()
                                    .map(CronDocument::write)
                                    .toList()))),
            Route.post("/_api/crons", "Create a cron at run time.")
                    .scope(Scope.ADMIN)
                    .audited("crons.create")
                    .takes(Schemas.CRON_SPEC)
                    .answers(201, Schemas.CRON)
                    .to(call -> Answer.created(
                            CronDocument.write(call.muster().crons().create(CronSpecDocument.read(call.fields()))))),
            Route.get("/_api/crons/{name}", "Show a cron.")
                    .answers(Schemas.CRON)
                    .to(call -> tagged(cron(call))),
            Route.get("/_api/crons/{name}/spec", "The spec of a cron with its decrypted args, to change it.")
                    .scope(Scope.ADMIN)
                    .answers(Schemas.CRON_SPEC)
                    .to(call -> Answer.of(CronSpecDocument.write(
                            call.muster()
                                    .crons()
                                    .spec(cron(call).name())
                                    .orElseThrow(() -> Parameters.none("cron", call.path("name"))),
                            call.muster().context().json()))),
            Route.put("/_api/crons/{name}", "Change a cron that was created at run time.")
                    .header("If-Match", "the ETag of what you have read; if somebody has changed the cron since, 412")
                    .scope(Scope.ADMIN)
                    .audited("crons.update")
                    .takes(Schemas.CRON_SPEC)
                    .answers(Schemas.CRON)
                    .to(CronRoutes::update),
            Route.delete("/_api/crons/{name}", "Remove a cron that was created at run time.")
                    .header("If-Match", "the ETag of what you have read; if somebody has changed the cron since, 412")
                    .scope(Scope.ADMIN)
                    .audited("crons.delete")
                    .answersNothing()
                    .to(CronRoutes::delete),
            Route.post("/_api/crons/{name}/pause", "Stop the ticks of a cron.")
                    .scope(Scope.ADMIN)
                    .audited("crons.pause")
                    .answers(Schemas.CRON)
                    .to(call -> Answer.of(CronDocument.write(
                            call.muster().crons().pause(cron(call).name())))),
            Route.post("/_api/crons/{name}/resume", "Let a paused cron tick again.")
                    .scope(Scope.ADMIN)
                    .audited("crons.resume")
                    .answers(Schemas.CRON)
                    .to(call -> Answer.of(CronDocument.write(
                            call.muster().crons().resume(cron(call).name())))),
            Route.post("/_api/crons/{name}/trigger", "Enqueue the cron's job at once, outside the schedule.")
                    .audited("crons.trigger")
                    .answers(201, Schema.object().members("job:uuid"))
                    .to(call -> Answer.created(Map.of(
                            "job",
                            call.muster().crons().trigger(cron(call).name()).toString()))),
            Route.get("/_api/crons/{name}/next", "A preview of the next ticks, as if the cron were not paused.")
                    .query("count", Schema.integer(), "how many; 5 when left out, 1000 at most")
                    .answers(Schema.object().with("ticks", Schema.list(Schema.time())))
                    .to(call -> Answer.of(Map.of(
                            "ticks",
                            CronDocument.ticks(call.muster()
                                    .crons()
                                    .next(cron(call).name(), call.query("count", 5, 1, MOST_TICKS)))))),
            Route.get("/_api/crons/{name}/history", "The last ticks of a cron, the newest first, and their jobs.")
                    .query("limit", Parameters.LIMIT, "how many at most; 50 when left out, 1000 at most")
                    .answers(Schemas.listOf("ticks", Schemas.CRON_TICK))
                    .to(call -> Answer.of(Map.of(
                            "ticks",
                            call
                                    .muster()
                                    .crons()
                                    .history(cron(call).name(), call.query("limit", 50, 1, MOST_TICKS))
                                    .stream()
                                    .map(CronTickDocument::write)
                                    .toList()))));

    private CronRoutes() {}

    private static CronInfo cron(Call call) {
        String name = Names.require("cron name", call.path("name"));
        return call.muster().crons().find(name).orElseThrow(() -> Parameters.none("cron", name));
    }

    private static Answer update(Call call) {
        CronSpec spec = CronSpecDocument.read(call.fields());
        if (!spec.name().equals(call.path("name"))) {
            throw Refusal.badRequest("name: must be '" + call.path("name") + "', as in the path");
        }
        cron(call);
        return tagged(unchangedSince(call)
                .map(since -> call.muster().crons().update(spec, since))
                .orElseGet(() -> call.muster().crons().update(spec)));
    }

    private static Answer delete(Call call) {
        String name = cron(call).name();
        boolean deleted = unchangedSince(call)
                .map(since -> call.muster().crons().delete(name, since))
                .orElseGet(() -> call.muster().crons().delete(name));
        if (!deleted) {
            throw Parameters.none("cron", name);
        }
        return Answer.nothing();
    }

    private static Answer tagged(CronInfo cron) {
        return Answer.of(CronDocument.write(cron)).header("ETag", "\"" + Json.time(cron.updatedAt()) + "\"");
    }

    /** What the caller has read, by {@code If-Match}; empty if it does not matter. */
    private static Optional<Instant> unchangedSince(Call call) {
        return call.header("If-Match").filter(tag -> !tag.strip().equals("*")).map(tag -> {
            try {
                return Instant.parse(tag.strip().replaceAll("^\"|\"$", ""));
            } catch (DateTimeParseException e) {
                throw Refusal.of(412, "precondition_failed", "If-Match is no ETag of this cron");
            }
        });
    }
}
