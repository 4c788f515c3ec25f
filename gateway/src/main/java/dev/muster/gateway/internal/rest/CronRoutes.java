package dev.muster.gateway.internal.rest;

import dev.muster.access.Scope;
import dev.muster.document.internal.CronDocument;
import dev.muster.document.internal.CronSpecDocument;
import dev.muster.document.internal.CronTickDocument;
import dev.muster.document.internal.Json;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Schema;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.runtime.Names;
import dev.muster.job.JobId;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.CronSpec;
import dev.muster.schedule.Crons;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/** Crons: list, show, create, change, pause, resume, trigger, preview. */
public final class CronRoutes {
    private static final int MOST_TICKS = 1_000;
    private static final String TAG_TEXT = "the version of the cron, for If-Match";

    /** Everything but the args. */
    private static final String[] AUDITED = {
        "name",
        "expression",
        "zone",
        "job",
        "options.queue",
        "options.capability",
        "options.priority",
        "options.max_attempts",
        "options.max_crashes",
        "options.timeout",
        "misfire",
        "catch_up_limit",
        "overlap",
        "jitter"
    };

    public static final List<Route> ALL = List.of(
            Route.get("/_api/crons", "List all crons.")
                    .answers(Schemas.wholeListOf("crons", Schemas.CRON))
                    .to(call -> Answer.list("crons", call.muster().crons().list(), CronDocument::write)),
            Route.post("/_api/crons", "Create a cron at run time.")
                    .scope(Scope.ADMIN)
                    .audited("crons.create", AUDITED)
                    .takes(Schemas.CRON_SPEC)
                    .answers(201, Schemas.CRON)
                    .answersHeader("ETag", TAG_TEXT)
                    .to(CronRoutes::create),
            Route.get("/_api/crons/{name}", "Show a cron.")
                    .answers(Schemas.CRON)
                    .answersHeader("ETag", TAG_TEXT)
                    .to(call -> shown(cron(call))),
            Route.get("/_api/crons/{name}/spec", "The spec of a cron with its decrypted args, to change it.")
                    .scope(Scope.ADMIN)
                    .answers(Schemas.CRON_SPEC)
                    .answersHeader("ETag", TAG_TEXT)
                    .to(CronRoutes::spec),
            Route.put("/_api/crons/{name}", "Change a cron that was created at run time.")
                    .header("If-Match", "the ETag of what you have read; if somebody has changed the cron since, 412")
                    .scope(Scope.ADMIN)
                    .audited("crons.update", AUDITED)
                    .takes(Schemas.CRON_SPEC)
                    .answers(Schemas.CRON)
                    .answersHeader("ETag", TAG_TEXT)
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
                    .answersHeader("ETag", TAG_TEXT)
                    .to(call -> changed(call, cron(call).name(), Crons::pause)),
            Route.post("/_api/crons/{name}/resume", "Let a paused cron tick again.")
                    .scope(Scope.ADMIN)
                    .audited("crons.resume")
                    .answers(Schemas.CRON)
                    .answersHeader("ETag", TAG_TEXT)
                    .to(call -> changed(call, cron(call).name(), Crons::resume)),
            Route.post("/_api/crons/{name}/trigger", "Enqueue the cron's job at once, outside the schedule.")
                    .audited("crons.trigger")
                    .answers(201, Schema.object().members("job:uuid"))
                    .to(CronRoutes::trigger),
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

    private static CronSpec requested(Call call) {
        CronSpec spec = CronSpecDocument.read(call.fields());
        call.requireStart(spec.job().name());
        return spec;
    }

    private static Answer trigger(Call call) {
        CronInfo cron = cron(call);
        call.requireStart(cron.definition().job());
        JobId job = call.muster().crons().trigger(cron.name());
        return Answer.created(Map.of("job", job.toString()));
    }

    private static Answer update(Call call) {
        CronSpec spec = requested(call);
        if (!spec.name().equals(call.path("name"))) {
            throw Refusal.badRequest("name: must be '" + call.path("name") + "', as in the path");
        }
        Optional<Instant> unchangedSince = unchangedSince(call, cron(call));
        return changed(
                call,
                spec.name(),
                (crons, name) ->
                        unchangedSince.map(since -> crons.update(spec, since)).orElseGet(() -> crons.update(spec)));
    }

    private static Answer delete(Call call) {
        CronInfo cron = cron(call);
        String name = cron.name();
        boolean deleted = unchangedSince(call, cron)
                .map(since -> call.muster().crons().delete(name, since))
                .orElseGet(() -> call.muster().crons().delete(name));
        if (!deleted) {
            throw Parameters.none("cron", name);
        }
        return Answer.nothing();
    }

    private static Answer create(Call call) {
        CronSpec spec = requested(call);
        Answer shown = changed(call, spec.name(), (crons, name) -> crons.create(spec));
        return new Answer(201, shown.document(), shown.contentType(), shown.headers());
    }

    /** The tag is read first: if the cron is changed between the two, the tag is too old, and a change with it is refused. */
    private static Answer spec(Call call) {
        CronInfo cron = cron(call);
        CronSpec spec = call.muster().crons().spec(cron.name()).orElseThrow(() -> Parameters.none("cron", cron.name()));
        return tagged(
                Answer.of(CronSpecDocument.write(
                        spec, call.muster().api(NodeContext.class).json())),
                cron);
    }

    /** Without a tag if the cron cannot be read after the change. */
    private static Answer changed(Call call, String name, BiFunction<Crons, String, CronInfo> change) {
        return AfterChange.of(call, () -> change.apply(call.muster().crons(), name), CronRoutes::shown, "name", name);
    }

    private static Answer shown(CronInfo cron) {
        return tagged(Answer.of(CronDocument.write(cron)), cron);
    }

    private static Answer tagged(Answer answer, CronInfo cron) {
        return answer.header("ETag", tag(cron).toString());
    }

    private static EntityTag tag(CronInfo cron) {
        return EntityTag.of(Json.time(cron.updatedAt()));
    }

    /**
     * When what the caller has read was written, by {@code If-Match}; empty if it does not matter.
     *
     * @param cron as it is now: the change itself looks once more
     */
    private static Optional<Instant> unchangedSince(Call call, CronInfo cron) {
        return call.header("If-Match")
                .filter(header -> !EntityTag.isAny(header))
                .map(header -> {
                    if (!EntityTag.all(header).contains(tag(cron))) {
                        throw Refusal.of(
                                412,
                                "precondition_failed",
                                "cron " + cron.name()
                                        + " is not what If-Match says: somebody has changed it since you read it");
                    }
                    return cron.updatedAt();
                });
    }
}
