package dev.muster.client;

import dev.muster.document.internal.InvalidDocument;
import dev.muster.document.internal.Json;
import dev.muster.document.internal.JsonObjectReader;
import dev.muster.event.Subscription;
import dev.muster.runtime.MusterException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The routes of the gateway, as the verbs of the client use them: documents in, documents out. */
final class Gateway {
    private static final String REPLICA_LAG = "X-Muster-Replica-Lag-Ms";

    private final Http http;
    private final Function<String, ? extends MusterException> invalid;
    private final AtomicReference<Optional<Duration>> replicaLag;

    Gateway(Http http) {
        this(
                http,
                message -> new GatewayException(400, "invalid_request", message),
                new AtomicReference<>(Optional.empty()));
    }

    private Gateway(
            Http http,
            Function<String, ? extends MusterException> invalid,
            AtomicReference<Optional<Duration>> replicaLag) {
        this.http = http;
        this.invalid = invalid;
        this.replicaLag = replicaLag;
    }

    /** The same gateway; requests that it finds wrong throw this exception. */
    Gateway invalid(Function<String, ? extends MusterException> exception) {
        return new Gateway(http, exception, replicaLag);
    }

    /** How far behind the replica was on which the last answer was read, if it was read on one. */
    Optional<Duration> replicaLag() {
        return replicaLag.get();
    }

    /** Live events. */
    EventReader events(Subscription subscription) {
        StringJoiner query = new StringJoiner("&", "/_api/events?", "");
        subscription.topics().forEach(topic -> query.add("topic=" + topic.text()));
        subscription.jobs().forEach(job -> query.add("job=" + job));
        subscription.runs().forEach(run -> query.add("run=" + run));
        return new EventReader(lastId -> http.events(query.toString(), lastId));
    }

    /** A path; what stands behind its first part is escaped. */
    static String path(String first, Object... segments) {
        StringBuilder path = new StringBuilder(first);
        for (Object segment : segments) {
            path.append('/').append(escaped(segment.toString()));
        }
        return path.toString();
    }

    private static String escaped(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    JsonObjectReader get(String path) {
        return get(path, Map.of());
    }

    JsonObjectReader get(String path, Map<String, List<String>> query) {
        return fields(send("GET", path + text(query), null, true));
    }

    /** Empty if there is no such thing. */
    Optional<JsonObjectReader> find(String path) {
        try {
            return Optional.of(get(path));
        } catch (GatewayException e) {
            return absent(e);
        }
    }

    /** Sends a request that does no harm if it is executed twice. */
    Optional<JsonObjectReader> repeatable(String method, String path, @Nullable Object body) {
        return document(send(method, path, body, true));
    }

    /** Sends a request that must not be executed twice. */
    Optional<JsonObjectReader> once(String method, String path, @Nullable Object body) {
        return document(send(method, path, body, false));
    }

    /** Sends a request that is executed only if the thing is as the caller has read it. */
    Optional<JsonObjectReader> ifUnchanged(String method, String path, @Nullable Object body, Instant since) {
        return document(send(method, path, body, false, '"' + Json.time(since) + '"'));
    }

    JsonObjectReader post(String path, @Nullable Object body, boolean repeatable) {
        return fields(send("POST", path, body, repeatable));
    }

    /** Empty if there is no such thing, or it is not in a state in which this can be done. */
    Optional<JsonObjectReader> tryPost(String path, @Nullable Object body, boolean repeatable) {
        try {
            return Optional.of(fields(send("POST", path, body, repeatable)));
        } catch (GatewayException e) {
            return e.isUnchanged() ? Optional.empty() : absent(e);
        }
    }

    /** Whether something was changed: false if there is no such thing, or it is not in a state in which this can be done. */
    boolean changes(String method, String path, @Nullable Object body, boolean repeatable) {
        try {
            send(method, path, body, repeatable);
            return true;
        } catch (GatewayException e) {
            if (e.isUnchanged() || e.isNotFound()) {
                return false;
            }
            throw e;
        }
    }

    private static <T> Optional<T> absent(GatewayException e) {
        if (e.isNotFound()) {
            return Optional.empty();
        }
        throw e;
    }

    static String text(Map<String, List<String>> query) {
        List<String> parts = new ArrayList<>();
        query.forEach((name, values) -> values.forEach(value -> parts.add(escaped(name) + "=" + escaped(value))));
        return parts.isEmpty() ? "" : "?" + String.join("&", parts);
    }

    private HttpResponse<String> send(String method, String path, @Nullable Object body, boolean repeatable) {
        return send(method, path, body, repeatable, null);
    }

    private HttpResponse<String> send(
            String method, String path, @Nullable Object body, boolean repeatable, @Nullable String ifMatch) {
        HttpResponse<String> answer =
                http.send(new Http.Request(method, path, body == null ? null : Json.write(body), repeatable, ifMatch));
        if (!Answers.isGood(answer)) {
            throw Answers.failure(answer, invalid);
        }
        replicaLag.set(answer.headers().firstValue(REPLICA_LAG).flatMap(Gateway::millis));
        return answer;
    }

    private static Optional<Duration> millis(String text) {
        try {
            return Optional.of(Duration.ofMillis(Long.parseLong(text)));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Optional<JsonObjectReader> document(HttpResponse<String> answer) {
        return answer.body() == null || answer.body().isBlank() ? Optional.empty() : Optional.of(fields(answer));
    }

    private static JsonObjectReader fields(HttpResponse<String> answer) {
        try {
            return JsonObjectReader.read(answer.body());
        } catch (InvalidDocument e) {
            throw new GatewayException(
                    answer.statusCode(),
                    "unknown",
                    Answers.address(answer) + " does not answer as a gateway of Muster does: " + e.getMessage());
        }
    }
}
