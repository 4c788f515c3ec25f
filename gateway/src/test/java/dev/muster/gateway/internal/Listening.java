package dev.muster.gateway.internal;

import dev.muster.document.internal.Json;
import dev.muster.internal.runtime.Jsonb.Digits;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** A client of live events, without a thread of its own. */
final class Listening implements AutoCloseable, Flow.Subscriber<String> {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final List<Received> events = new CopyOnWriteArrayList<>();
    private final CompletableFuture<HttpResponse<Void>> answer;
    private volatile Flow.@Nullable Subscription subscription;
    private volatile boolean ended;
    private boolean closed;
    private @Nullable String id;
    private @Nullable String type;

    record Received(String id, String type, String data) {
        String text(String member) {
            Object value = ((Map<?, ?>) Json.read(data)).get(member);
            return value instanceof Digits digits ? digits.text() : String.valueOf(value);
        }
    }

    private Listening(HttpRequest request) {
        this.answer = CLIENT.sendAsync(request, BodyHandlers.fromLineSubscriber(this));
    }

    /** @param query behind the path, such as {@code ?topic=jobs} */
    static Listening to(GatewayNode gateway, String key, String query, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(gateway.uri("/_api/events" + query))
                .timeout(GatewayNode.PATIENCE)
                .header("Authorization", "Bearer " + key);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return new Listening(request.build());
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        subscription = given;
        given.request(Long.MAX_VALUE);
    }

    @Override
    public synchronized void onNext(String line) {
        if (closed) {
            return;
        }
        if (line.startsWith("id: ")) {
            id = line.substring(4);
        } else if (line.startsWith("event: ")) {
            type = line.substring(7);
        } else if (line.startsWith("data: ")) {
            events.add(new Received(String.valueOf(id), String.valueOf(type), line.substring(6)));
        }
    }

    @Override
    public void onError(Throwable e) {
        ended = true;
    }

    @Override
    public void onComplete() {
        ended = true;
    }

    /** Whether the connection is closed. */
    boolean hasEnded() {
        return ended;
    }

    List<Received> events() {
        return List.copyOf(events);
    }

    List<Received> events(String of) {
        return events.stream().filter(event -> event.type().equals(of)).toList();
    }

    List<String> jobs() {
        return events("job").stream().map(event -> event.text("id")).toList();
    }

    /** The id of the last event. */
    String lastId() {
        return events.get(events.size() - 1).id();
    }

    /** Ends once the connection has ended. */
    HttpResponse<Void> answer() throws Exception {
        return GatewayNode.ended(answer);
    }

    /** Nothing is heard any more from then on, so that {@link #jobs()} and {@link #lastId()} stay as they are. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        Flow.Subscription open = subscription;
        if (open != null) {
            open.cancel();
        }
        answer.cancel(true);
    }
}
