package dev.muster.gateway.internal;

import dev.muster.document.internal.Json;
import dev.muster.gateway.internal.route.Refusal;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The body of an error. */
final class Envelope {
    private Envelope() {}

    static String of(Refusal refusal, String requestId) {
        Map<String, @Nullable Object> envelope = new LinkedHashMap<>();
        envelope.put("success", false);
        envelope.put("data", null);
        envelope.put("error", refusal.error());
        envelope.put("request_id", requestId);
        return Json.write(envelope);
    }
}
