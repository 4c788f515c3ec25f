package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.Scope;
import dev.muster.gateway.internal.RawHttp.Raw;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is wrong before there is a route: each request gets the status that HTTP has for it, and the usual envelope. */
class HttpItselfIT {
    @RegisterExtension
    static final SharedGateway SHARED = SharedGateway.with();

    private final GatewayNode gateway = SHARED.gateway();

    /** What is sent, the status, and the code of the error. */
    private record Wrong(String head, int status, String code) {}

    private static Wrong line(String line, int status, String code) {
        return new Wrong(line + "\r\nHost: localhost\r\nConnection: close\r\n\r\n", status, code);
    }

    private static Wrong headers(String headers, int status, String code) {
        return line("GET /_api/me HTTP/1.1\r\n" + headers, status, code);
    }

    private static final List<Wrong> ALL = List.of(
            line("GET /_api/me HTTP/1.1x", 505, "invalid_request"),
            line("GET /_api/me HTTP/0.9", 505, "invalid_request"),
            line("GET /_api/me HTTP/3.0", 505, "invalid_request"),
            line("GET /_api/me HTTP/9.9", 505, "invalid_request"),
            line("GET /_api/me", 505, "invalid_request"),
            line("GET /_api/me FTP/1.1", 505, "invalid_request"),
            line("OPTIONS * HTTP/1.1", 404, "not_found"),
            line("GET /" + "x".repeat(20_000) + " HTTP/1.1", 414, "too_large"),
            headers("X-Large: " + "x".repeat(20_000), 431, "too_large"),
            headers("Expect: a miracle", 417, "invalid_request"),
            headers("Transfer-Encoding: gzip", 400, "invalid_request"),
            headers("No colon", 400, "invalid_request"),
            headers("Host: other", 400, "invalid_request"),
            headers("X-API-Key: one\r\nx-api-key: two", 400, "invalid_request"),
            headers("Authorization: Bearer one\r\nAuthorization: Bearer two", 400, "invalid_request"));

    @Test
    void eachGetsItsStatusAndTheEnvelope() {
        List<String> wrong = new ArrayList<>();
        for (Wrong one : ALL) {
            Raw answer = RawHttp.send(gateway.port(), one.head());
            boolean right = answer.status() == one.status()
                    && answer.body()
                            .startsWith("{\"success\":false,\"data\":null,\"error\":{\"code\":\"" + one.code() + "\"");
            if (!right) {
                wrong.add(one.head().lines().findFirst().orElse("").replaceAll("(.{60}).*", "$1…") + " | "
                        + one.head().lines().skip(1).findFirst().orElse("").replaceAll("(.{60}).*", "$1…") + "\n ⇒ "
                        + answer.text());
            }
        }
        assertThat(wrong).isEmpty();
    }

    /** Whoever speaks HTTP/2 without having been asked to gets an answer that it can understand, or none. */
    @Test
    void otherProtocolsAreNotAnsweredWithAnErrorOfThisNode() {
        for (String preface : List.of(
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\u0016\u0003\u0001\u0002\u0000\u0001", "*1\r\n$4\r\nPING\r\n")) {
            assertThat(RawHttp.send(gateway.port(), preface).status()).isIn(0, 400, 426, 505);
        }
    }

    @Test
    void thePageOfTheDocsHasEveryStatusThatTheDocumentHas() throws Exception {
        String page = java.nio.file.Files.readString(java.nio.file.Path.of("..", "docs", "http-api.md"));
        List<String> missing = new ArrayList<>();
        Map<?, ?> paths = (Map<?, ?>) Routes.openApi("").get("paths");
        for (Object path : paths.values()) {
            for (Object operation : ((Map<?, ?>) path).values()) {
                for (Object status : ((Map<?, ?>) ((Map<?, ?>) operation).get("responses")).keySet()) {
                    if (status.toString().matches("[45].*") && !page.contains("| " + status + " | `")) {
                        missing.add(status.toString());
                    }
                }
            }
        }
        ALL.stream()
                .filter(one -> !page.contains("| " + one.status() + " | `"))
                .forEach(one -> missing.add(String.valueOf(one.status())));
        assertThat(missing)
                .as("statuses that docs/http-api.md does not explain")
                .isEmpty();
        assertThat(gateway.send("GET", "/_api/me", gateway.key(Scope.READ), null)
                        .status())
                .isEqualTo(200);
    }
}
