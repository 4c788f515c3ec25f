package dev.muster.gateway.internal;

import dev.muster.document.internal.Json;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import dev.muster.internal.access.AuditStore;
import dev.muster.internal.access.NewAuditEntry;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.runtime.SentCommits;
import dev.muster.runtime.DatabaseUnavailable;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the audit in the database. The entry is committed before the action: if it cannot be written, nothing is done. */
final class DatabaseAuditTrail implements AuditTrail {
    private static final Logger log = LoggerFactory.getLogger(DatabaseAuditTrail.class);
    private static final RefusedActions REFUSED = new RefusedActions();

    @Override
    public Answer record(Route route, Call call, Supplier<Answer> handler) {
        if (route.action().isEmpty()) {
            return handler.get();
        }
        return within(entry(route, route.action().get(), call), call, route, handler);
    }

    /** Runs one of several actions that a request asks for, within an entry of its own. */
    static Object record(
            Call call, String action, String target, Map<String, @Nullable Object> details, Supplier<Object> handler) {
        return within(entry(call, action, target, details), call, action, handler);
    }

    /** @param what for the log */
    private static <T> T within(NewAuditEntry begun, Call call, Object what, Supplier<T> handler) {
        AuditStore store = call.muster().api(NodeContext.class).port(AuditStore.class);
        long entry = begin(store, begun, what);
        try {
            T answer = SentCommits.during(handler);
            end(store, entry, AuditStore.DONE);
            return answer;
        } catch (RuntimeException | Error e) {
            Refusal refusal = Failures.of(e, what);
            if (isFailure(refusal) || REFUSED.keeps(call)) {
                end(store, entry, outcome(refusal));
            } else {
                remove(store, entry);
            }
            throw refusal;
        }
    }

    /** If it is not known whether the entry was written, it is known all the same that nothing else was done. */
    private static long begin(AuditStore store, NewAuditEntry entry, Object what) {
        try {
            return store.begin(entry);
        } catch (DatabaseUnavailable e) {
            throw Failures.of(new DatabaseUnavailable("the audit cannot be written: " + e.getMessage(), e), what);
        }
    }

    private static boolean isFailure(Refusal refusal) {
        return refusal.status() >= 500;
    }

    /** What is wrong with a request is told to its caller alone: the message may quote what the audit must not keep. */
    private static String outcome(Refusal refusal) {
        if (refusal.code().equals(Failures.OUTCOME_UNKNOWN)) {
            return "unknown: " + refusal.message();
        }
        if (refusal.status() == 400) {
            return "refused: " + refusal.code();
        }
        return (isFailure(refusal) ? "failed: " : "refused: ") + refusal.message();
    }

    private static NewAuditEntry entry(Route route, String action, Call call) {
        Map<String, @Nullable Object> details = new LinkedHashMap<>(call.query());
        if (call.bodyTree() instanceof Map<?, ?> body) {
            details.put("body", AuditedBody.of(body, route.auditedMembers()));
        }
        return entry(call, action, target(call), details);
    }

    /** What the path names; for a thing that is about to be created, the name in the body. */
    private static String target(Call call) {
        if (call.path().isEmpty()
                && call.bodyTree() instanceof Map<?, ?> body
                && body.get("name") instanceof String name) {
            return name;
        }
        return String.join("/", call.path().values());
    }

    private static NewAuditEntry entry(Call call, String action, String target, Map<String, @Nullable Object> details) {
        return NewAuditEntry.of(call.caller(), action, target, call.muster().nodeId())
                .details(Json.write(details))
                .requestId(call.requestId());
    }

    private static void remove(AuditStore store, long entry) {
        try {
            store.remove(entry);
        } catch (RuntimeException e) {
            log.warn("audit={} stays, although the action was refused", entry, e);
        }
    }

    /** The action is done, whether or not its outcome can be written. */
    private static void end(AuditStore store, long entry, String outcome) {
        try {
            store.end(entry, outcome);
        } catch (RuntimeException e) {
            log.warn("audit={} has no outcome, which was: {}", entry, outcome, e);
        }
    }
}
