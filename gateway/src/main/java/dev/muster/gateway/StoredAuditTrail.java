package dev.muster.gateway;

import dev.muster.access.AuditStore;
import dev.muster.access.NewAuditEntry;
import dev.muster.document.Json;
import dev.muster.gateway.route.Answer;
import dev.muster.gateway.route.Call;
import dev.muster.gateway.route.Refusal;
import dev.muster.gateway.route.Route;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the audit in the database. The entry is committed before the action: if it cannot be written, nothing is done. */
final class StoredAuditTrail implements AuditTrail {
    private static final Logger log = LoggerFactory.getLogger(StoredAuditTrail.class);

    @Override
    public Answer record(Route route, Call call, Supplier<Answer> handler) {
        if (route.action().isEmpty()) {
            return handler.get();
        }
        return within(entry(route.action().get(), call), call, route, handler);
    }

    /** Runs one of several actions that a request asks for, within an entry of its own. */
    static Object record(
            Call call, String action, String target, Map<String, @Nullable Object> details, Supplier<Object> handler) {
        return within(entry(call, action, target, details), call, action, handler);
    }

    /** @param what for the log */
    private static <T> T within(NewAuditEntry begun, Call call, Object what, Supplier<T> handler) {
        AuditStore store = call.muster().context().port(AuditStore.class);
        long entry = store.begin(begun);
        try {
            T answer = handler.get();
            end(store, entry, AuditStore.DONE);
            return answer;
        } catch (RuntimeException | Error e) {
            Refusal refusal = Failures.of(e, what);
            String outcome = (refusal.status() >= 500 ? "failed: " : "refused: ") + refusal.message();
            end(store, entry, outcome);
            throw refusal;
        }
    }

    private static NewAuditEntry entry(String action, Call call) {
        Map<String, @Nullable Object> details = new LinkedHashMap<>(call.query());
        if (call.bodyTree() != null) {
            details.put("body", call.bodyTree());
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

    /** The action is done, whether or not its outcome can be written. */
    private static void end(AuditStore store, long entry, String outcome) {
        try {
            store.end(entry, outcome);
        } catch (RuntimeException e) {
            log.warn("audit={} has no outcome, which was: {}", entry, outcome, e);
        }
    }
}
