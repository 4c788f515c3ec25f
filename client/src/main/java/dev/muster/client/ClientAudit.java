package dev.muster.client;

import dev.muster.access.Audit;
import dev.muster.access.AuditEntry;
import dev.muster.access.AuditQuery;
import dev.muster.document.internal.AuditDocument;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The audit over HTTP. */
record ClientAudit(Gateway gateway) implements Audit {

    @Override
    public List<AuditEntry> list(AuditQuery query) {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        query.before().ifPresent(id -> parameters.put("before", List.of(String.valueOf(id))));
        parameters.put("limit", List.of(String.valueOf(query.limit())));
        query.caller().ifPresent(caller -> parameters.put("caller", List.of(caller)));
        query.action().ifPresent(action -> parameters.put("action", List.of(action)));
        query.target().ifPresent(target -> parameters.put("target", List.of(target)));
        return gateway.get("/_api/audit", parameters).list("entries").stream()
                .map(AuditDocument::read)
                .toList();
    }
}
