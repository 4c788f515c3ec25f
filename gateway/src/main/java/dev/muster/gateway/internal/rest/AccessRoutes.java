package dev.muster.gateway.internal.rest;

import dev.muster.Muster;
import dev.muster.access.ApiKeys;
import dev.muster.access.AuditEntry;
import dev.muster.access.AuditQuery;
import dev.muster.access.Caller;
import dev.muster.access.CallerInfo;
import dev.muster.access.Scope;
import dev.muster.document.internal.ApiKeyDocument;
import dev.muster.document.internal.AuditDocument;
import dev.muster.document.internal.CallerDocument;
import dev.muster.document.internal.JsonObjectReader;
import dev.muster.document.internal.KeyRequestDocument;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Schema;
import dev.muster.internal.config.DurationText;
import dev.muster.internal.node.NodeContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Who calls, API keys and the audit. Changes of keys write their own entries into the audit. */
public final class AccessRoutes {
    private static final Schema KEY = Schema.object("ApiKey").members("""
                    id:text name:text scope:text roles:[text] names:[text] tenant:text? status:text created_at:time expires_at:time?
                    revoked_at:time? last_used_at:time? replaced_by:text? key:text~
                    """);
    private static final Schema ENTRY = Schema.object("AuditEntry").members("""
                    id:int at:time caller:text caller_name:text address:text? tenant:text? action:text target:text
                    details:any request_id:text? node:text outcome:text?
                    """);

    private static final Schema CALLER = Schema.object("Caller")
            .members("id:text scope:text names:[text] tenant:text? observer:flag")
            .with("auth", Schema.oneOf(List.of("none", "key", "token", "application")))
            .members("node:text? version:text");

    public static final List<Route> ALL = List.of(
            Route.get("/_api/me", "Who you are, what you may do, and which node answers.")
                    .tenantsConfined()
                    .answers(CALLER)
                    .to(call -> Answer.of(CallerDocument.write(caller(call)))),
            Route.get("/_api/keys", "List all API keys; their texts cannot be read.")
                    .scope(Scope.ADMIN)
                    .answers(Schemas.wholeListOf("keys", KEY))
                    .to(call -> Answer.list("keys", keys(call).list(), ApiKeyDocument::write)),
            Route.post("/_api/keys", "Create an API key. Its text is in this answer and cannot be read again.")
                    .scope(Scope.ADMIN)
                    .takes(
                            Schema.object("KeyRequest")
                                    .members(
                                            "name:text scope:text roles:[text]~ names:[text]~ tenant:text?~ expires_in:duration?~"))
                    .answers(201, KEY)
                    .to(call -> Answer.created(
                            ApiKeyDocument.write(keys(call).create(KeyRequestDocument.read(call.fields()))))),
            Route.get("/_api/keys/{id}", "Show an API key.")
                    .scope(Scope.ADMIN)
                    .answers(KEY)
                    .to(call -> Answer.of(ApiKeyDocument.write(keys(call)
                            .find(call.path("id"))
                            .orElseThrow(() -> Parameters.none("key", call.path("id")))))),
            Route.delete("/_api/keys/{id}", "Revoke an API key at once.")
                    .scope(Scope.ADMIN)
                    .answersNothing()
                    .to(call -> {
                        if (!keys(call).revoke(call.path("id"))) {
                            throw Refusal.notFound("there is no live key " + call.path("id"));
                        }
                        return Answer.nothing();
                    }),
            Route.post("/_api/keys/{id}/rotate", "Create a successor of a key; both are live for the overlap.")
                    .scope(Scope.ADMIN)
                    .mayTake(Schema.object().members("overlap:duration~"))
                    .answers(201, KEY)
                    .to(AccessRoutes::rotate),
            Route.get("/_api/audit", "List what operators did, the newest first.")
                    .scope(Scope.ADMIN)
                    .query("caller", Schema.text(), "only entries of this caller, such as key:ID")
                    .query("action", Schema.text(), "only entries with this action, such as queues.pause")
                    .query("target", Schema.text(), "only entries with this target")
                    .query("limit", Parameters.LIMIT, Parameters.LIMIT_TEXT + ", 1000 at most")
                    .query("before", Schema.integer(), Parameters.BEFORE_TEXT)
                    .answers(Schemas.listOf("entries", ENTRY)
                            .with("next", Schema.integer().orNull()))
                    .to(AccessRoutes::audit));

    private AccessRoutes() {}

    private static ApiKeys keys(Call call) {
        return call.muster().apiKeys().as(call.caller(), call.requestId());
    }

    private static CallerInfo caller(Call call) {
        Caller caller = call.caller();
        NodeContext node = call.muster().api(NodeContext.class);
        return new CallerInfo(
                caller.id(),
                caller.scope(),
                caller.names(),
                caller.tenant(),
                node.observes(),
                caller.auth(),
                caller.tenant().isPresent() ? Optional.empty() : Optional.of(node.nodeId()),
                Muster.version());
    }

    private static Answer rotate(Call call) {
        JsonObjectReader fields = call.fields();
        fields.refuseOthers("overlap");
        Duration overlap = fields.optionalParsed("overlap", DurationText::parse).orElse(Duration.ofDays(1));
        String id = call.path("id");
        if (keys(call).find(id).isEmpty()) {
            throw Parameters.none("key", id);
        }
        return Answer.created(ApiKeyDocument.write(keys(call).rotate(id, overlap)));
    }

    private static Answer audit(Call call) {
        int limit = Parameters.limit(call, AuditQuery.MAX_LIMIT);
        Optional<Long> before = Parameters.inQuery(call, "before", Long::valueOf);
        List<AuditEntry> entries = call.muster()
                .audit()
                .list(new AuditQuery(before, limit, call.query("caller"), call.query("action"), call.query("target")));
        return Answer.page("entries", entries, limit, AuditDocument::write, AuditEntry::id);
    }
}
