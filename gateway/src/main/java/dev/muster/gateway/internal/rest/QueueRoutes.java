package dev.muster.gateway.internal.rest;

import dev.muster.access.Scope;
import dev.muster.document.internal.JsonObjectReader;
import dev.muster.document.internal.QueueDocument;
import dev.muster.document.internal.QueueLimitDocument;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import dev.muster.internal.runtime.Names;
import dev.muster.job.QueueInfo;
import dev.muster.job.QueueLimit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Queues: list, show, pause, resume, limit. */
public final class QueueRoutes {
    public static final List<Route> ALL = List.of(
            Route.get("/_api/queues", "List the queues that have live jobs, are paused or have a limit.")
                    .answers(Schemas.wholeListOf("queues", Schemas.QUEUE))
                    .to(call -> Answer.list("queues", call.muster().queues().list(), QueueDocument::write)),
            Route.get("/_api/queues/{name}", "Show a queue; one without jobs is empty.")
                    .answers(Schemas.QUEUE)
                    .to(call -> show(call, name(call))),
            Route.post("/_api/queues/{name}/pause", "Start no more jobs of this queue.")
                    .scope(Scope.ADMIN)
                    .audited("queues.pause")
                    .answers(Schemas.QUEUE)
                    .to(call -> {
                        call.muster().queues().pause(name(call));
                        return changed(call, name(call));
                    }),
            Route.post("/_api/queues/{name}/resume", "Let the jobs of a paused queue start again.")
                    .scope(Scope.ADMIN)
                    .audited("queues.resume")
                    .answers(Schemas.QUEUE)
                    .to(call -> {
                        call.muster().queues().resume(name(call));
                        return changed(call, name(call));
                    }),
            Route.put("/_api/queues/{name}/limit", "Set the limit of a queue, in place of the one it had.")
                    .scope(Scope.ADMIN)
                    .audited("queues.limit", "max_running", "rate", "burst")
                    .takes(Schemas.QUEUE_LIMIT)
                    .answers(Schemas.QUEUE)
                    .to(call -> {
                        call.muster().queues().limit(name(call), limit(call.fields()));
                        return changed(call, name(call));
                    }),
            Route.delete("/_api/queues/{name}/limit", "Remove the limit of a queue.")
                    .scope(Scope.ADMIN)
                    .audited("queues.limit")
                    .answers(Schemas.QUEUE)
                    .to(call -> {
                        call.muster().queues().limit(name(call), QueueLimit.NONE);
                        return changed(call, name(call));
                    }));

    private QueueRoutes() {}

    private static String name(Call call) {
        return Names.require("queue name", call.path("name"));
    }

    /** An empty limit would remove the one there is; DELETE says that more clearly. */
    private static QueueLimit limit(JsonObjectReader fields) {
        fields.refuseOthers("max_running", "rate", "burst");
        QueueLimit limit = QueueLimitDocument.read(fields);
        if (limit.equals(QueueLimit.NONE)) {
            throw Refusal.badRequest("give max_running or rate; DELETE removes the limit");
        }
        return limit;
    }

    private static Answer changed(Call call, String name) {
        return Answer.of(AfterChange.read(call, () -> document(call, name), "name", name));
    }

    private static Answer show(Call call, String name) {
        return Answer.of(document(call, name));
    }

    private static Map<String, @Nullable Object> document(Call call, String name) {
        QueueInfo queue = call.muster().queues().list().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseGet(() -> QueueInfo.empty(name));
        return QueueDocument.write(queue);
    }
}
