package dev.muster.client;

import dev.muster.runtime.Clock;
import dev.muster.runtime.WaitInterrupted;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Sends requests to the gateways, and sends them again where the package description allows it. */
final class Http {
    private static final String RETRY_AFTER = "Retry-After";
    private static final Duration USUAL_PAUSE = Duration.ofSeconds(1);

    /** Answers of gateways that have not executed the request. */
    private static final Set<Integer> NOT_EXECUTED = Set.of(429, 503);

    private final HttpClient client;
    private final Servers servers;
    private final @Nullable String key;
    private final Duration timeout;
    private final Clock clock;

    Http(HttpClient client, Servers servers, @Nullable String key, Duration timeout, Clock clock) {
        this.client = client;
        this.servers = servers;
        this.key = key;
        this.timeout = timeout;
        this.clock = clock;
    }

    /**
     * A request.
     *
     * @param path with the parameters behind it
     * @param body JSON; null for none
     * @param repeatable whether it does no harm to execute it twice
     * @param ifMatch the tag of what the caller has read; null if that does not matter
     */
    record Request(
            String method,
            String path,
            @Nullable String body,
            boolean repeatable,
            @Nullable String ifMatch) {
        @Override
        public String toString() {
            return method + " " + path;
        }
    }

    /** @throws GatewayUnavailable if no gateway has answered */
    HttpResponse<String> send(Request request) {
        long end = clock.nanos() + timeout.toNanos();
        boolean lastRound = false;
        boolean sentBefore = false;
        while (true) {
            HttpResponse<String> refusal = null;
            IOException failure = null;
            for (String server : servers.inOrder()) {
                try {
                    HttpResponse<String> answer = exchange(server, request, end);
                    servers.answered(server);
                    if (!NOT_EXECUTED.contains(answer.statusCode()) || !mayWait(answer, request)) {
                        return answer;
                    }
                    refusal = answer;
                } catch (IOException e) {
                    failure = e;
                    boolean sent = !new ConnectionFailure(e).neverSent();
                    if (sent && (sentBefore || !request.repeatable())) {
                        throw unavailable(request, true, e);
                    }
                    sentBefore |= sent;
                }
            }
            if (refusal != null) {
                if (!pause(refusal, end)) {
                    return refusal;
                }
            } else if (!sentBefore || lastRound) {
                throw unavailable(request, sentBefore, failure);
            } else {
                lastRound = true;
            }
        }
    }

    /**
     * Opens a stream of events at the first gateway that sends one.
     *
     * @param lastId the id of the last event that the caller has got
     * @throws GatewayUnavailable if no gateway does at the moment
     * @throws GatewayException if one refuses it for good
     */
    InputStream events(String path, Optional<String> lastId) {
        Request request = new Request("GET", path, null, true, null);
        IOException failure = null;
        for (String server : servers.inOrder()) {
            HttpRequest.Builder builder = builder(server, request, timeout).setHeader("Accept", "text/event-stream");
            lastId.ifPresent(id -> builder.header("Last-Event-ID", id));
            try {
                HttpResponse<InputStream> answer = client.send(builder.build(), BodyHandlers.ofInputStream());
                if (answer.statusCode() == 200) {
                    servers.answered(server);
                    return answer.body();
                }
                String text = new String(answer.body().readAllBytes(), StandardCharsets.UTF_8);
                if (!NOT_EXECUTED.contains(answer.statusCode())) {
                    throw Answers.exception(server, answer.statusCode(), text);
                }
                failure = new IOException("it answered " + answer.statusCode() + ": " + text);
            } catch (IOException e) {
                failure = e;
            } catch (InterruptedException e) {
                throw new WaitInterrupted("the answer to " + request, e);
            }
        }
        throw unavailable(request, false, failure);
    }

    private HttpRequest.Builder builder(String server, Request request, Duration limit) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(server + request.path()))
                .timeout(limit)
                .header("Accept", "application/json")
                .header("User-Agent", "muster-client");
        if (key != null) {
            builder.header("Authorization", "Bearer " + key);
        }
        return builder;
    }

    private HttpResponse<String> exchange(String server, Request request, long end) throws IOException {
        Duration left = Duration.ofNanos(Math.max(1_000_000, end - clock.nanos()));
        HttpRequest.Builder builder = builder(server, request, left);
        if (request.ifMatch() != null) {
            builder.header("If-Match", request.ifMatch());
        }
        if (request.body() != null) {
            builder.header("Content-Type", "application/json");
        }
        builder.method(
                request.method(),
                request.body() == null ? BodyPublishers.noBody() : BodyPublishers.ofString(request.body()));
        try {
            return client.send(builder.build(), BodyHandlers.ofString());
        } catch (InterruptedException e) {
            throw new WaitInterrupted("the answer to " + request, e);
        }
    }

    /** Something between the client and the gateway may answer with 503, too, and may have passed the request on before. */
    private static boolean mayWait(HttpResponse<String> answer, Request request) {
        return request.repeatable()
                || answer.statusCode() == 429
                || List.of("busy", "starting", "draining", "keys_unavailable", "database_unavailable")
                        .contains(Answers.exception(answer).code());
    }

    /** Waits for as long as the gateway has named; false if that would take longer than the client's timeout. */
    private boolean pause(HttpResponse<String> refusal, long end) {
        Duration pause = refusal.headers()
                .firstValue(RETRY_AFTER)
                .flatMap(Answers::seconds)
                .orElse(USUAL_PAUSE);
        if (pause.compareTo(Duration.ofNanos(end - clock.nanos())) >= 0) {
            return false;
        }
        try {
            TimeUnit.NANOSECONDS.sleep(pause.toNanos());
            return true;
        } catch (InterruptedException e) {
            throw new WaitInterrupted("a gateway that is busy", e);
        }
    }

    private GatewayUnavailable unavailable(Request request, boolean sent, @Nullable IOException e) {
        boolean perhapsExecuted = sent && !request.method().equals("GET");
        return new GatewayUnavailable(
                "no gateway answered at " + servers + ": "
                        + (e == null ? "the connection broke" : new ConnectionFailure(e).reason())
                        + (perhapsExecuted
                                ? "; " + request.method() + " " + request.path().replaceAll("\\?.*", "")
                                        + " may have been executed all the same"
                                : ""),
                perhapsExecuted,
                e);
    }
}
