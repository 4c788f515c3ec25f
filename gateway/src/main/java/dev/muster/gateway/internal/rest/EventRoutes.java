package dev.muster.gateway.internal.rest;

import dev.muster.document.internal.EventDocument;
import dev.muster.document.internal.Json;
import dev.muster.event.Event;
import dev.muster.event.EventTopic;
import dev.muster.event.Position;
import dev.muster.event.Subscription;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Schema;
import dev.muster.gateway.internal.route.Stream;
import dev.muster.internal.event.EventClient;
import dev.muster.internal.event.EventFeed;
import dev.muster.internal.node.NodeContext;
import dev.muster.job.JobId;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Live events. */
public final class EventRoutes {
    private static final String LAST_ID = "Last-Event-ID";
    private static final String LAST_ID_PARAMETER = "last_event_id";

    public static final List<Route> ALL =
            List.of(Route.get("/_api/events", "What happens in the cluster, as server-sent events.")
                    .queries(
                            "topic",
                            Schema.oneOf(Arrays.stream(EventTopic.values())
                                    .map(EventTopic::text)
                                    .toList()),
                            "what to hear of; everything when left out")
                    .queries("job", Schema.uuid(), "jobs to watch, up to 100")
                    .queries("run", Schema.uuid(), "runs to watch instead of all, up to 100")
                    .query(LAST_ID_PARAMETER, Schema.text(), "the same as the header " + LAST_ID)
                    .header(LAST_ID, "the id of the last event that the caller has got, from any gateway")
                    .answers(Route.EVENT_STREAM)
                    .to(EventRoutes::events));

    private EventRoutes() {}

    private static Answer events(Call call) {
        Subscription subscription = subscription(call);
        Optional<Position> last = last(call);
        EventFeed feed = EventFeed.of(call.muster().api(NodeContext.class));
        return Answer.events(ready -> new ClientStream(feed.subscribe(subscription, last, ready)));
    }

    private static Subscription subscription(Call call) {
        Set<EventTopic> topics = all(call, "topic", EventTopic::parse);
        Set<JobId> jobs = all(call, "job", JobId::of);
        Set<JobId> runs = all(call, "run", JobId::of);
        try {
            return new Subscription(topics.isEmpty() ? EnumSet.allOf(EventTopic.class) : topics, jobs, runs);
        } catch (IllegalArgumentException e) {
            throw Refusal.badRequest(String.valueOf(e.getMessage()));
        }
    }

    private static <T> Set<T> all(Call call, String name, Function<String, T> parser) {
        Set<T> values = new HashSet<>();
        call.query().getOrDefault(name, List.of()).forEach(text -> values.add(Parameters.parsed(name, text, parser)));
        return values;
    }

    /** A browser sends the header, and cannot set it; programs may send either. */
    private static Optional<Position> last(Call call) {
        return call.header(LAST_ID)
                .filter(text -> !text.isBlank())
                .map(text -> Parameters.parsed(LAST_ID, text.strip(), Position::parse))
                .or(() -> Parameters.inQuery(call, LAST_ID_PARAMETER, Position::parse));
    }

    /** The events of one client as text. */
    private record ClientStream(EventClient client) implements Stream {
        @Override
        public Optional<byte[]> take() {
            return client.take().map(chunk -> chunk.encoded(ClientStream::encode));
        }

        private static byte[] encode(List<Event> events) {
            StringBuilder text = new StringBuilder();
            for (Event event : events) {
                text.append("id: ").append(event.position()).append('\n');
                text.append("event: ").append(event.content().type()).append('\n');
                text.append("data: ")
                        .append(Json.write(EventDocument.write(event.content())))
                        .append("\n\n");
            }
            return text.toString().getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public boolean isOver() {
            return client.isOver();
        }

        @Override
        public void end(String reason) {
            client.reset(reason);
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
