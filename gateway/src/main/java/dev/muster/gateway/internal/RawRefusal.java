package dev.muster.gateway.internal;

import dev.muster.gateway.internal.route.Refusal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.HttpStatus;

/** What is sent instead of an answer, because there may be no request, or only the beginning of one. */
final class RawRefusal {
    private RawRefusal() {}

    static byte[] bytes(Refusal refusal) {
        String requestId = RequestId.of(null);
        byte[] body = Envelope.of(refusal, requestId).getBytes(StandardCharsets.UTF_8);
        StringBuilder head = new StringBuilder("HTTP/1.1 ")
                .append(refusal.status())
                .append(' ')
                .append(HttpStatus.getMessage(refusal.status()))
                .append("\r\n");
        refusal.headers().forEach((name, value) -> header(head, name, value));
        if (refusal.retryAfterSeconds() != null) {
            header(head, "Retry-After", String.valueOf(refusal.retryAfterSeconds()));
        }
        header(head, RequestId.HEADER, requestId);
        header(head, "Cache-Control", "no-store");
        header(head, "Content-Type", "application/json");
        header(head, "Content-Length", String.valueOf(body.length));
        byte[] start = head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(start.length + body.length)
                .put(start)
                .put(body)
                .array();
    }

    private static void header(StringBuilder head, String name, String value) {
        head.append(name).append(": ").append(value).append("\r\n");
    }
}
