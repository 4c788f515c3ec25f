package dev.muster.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.event.Event;
import dev.muster.event.Event.Content;
import dev.muster.event.Event.LiveCounts;
import dev.muster.event.Event.RunChanged;
import dev.muster.event.EventTopic;
import dev.muster.event.Position;
import dev.muster.event.Subscription;
import dev.muster.job.JobId;
import dev.muster.workflow.RunStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LiveViewsTest {
    private static final Position HERE = Position.before(ModelStore.START);

    private final ModelStore store = new ModelStore();
    private final AtomicLong nanos = new AtomicLong();
    private final LiveViews views = new LiveViews(store, () -> false, nanos::get);

    private static EventClient client(EventTopic topic, Set<JobId> runs, Position at) {
        return new EventClient(new Subscription(EnumSet.of(topic), Set.of(), runs), at, () -> {}, () -> {});
    }

    private static Set<JobId> ids(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> JobId.of(UUID.randomUUID()))
                .collect(Collectors.toSet());
    }

    private void look(List<EventClient> clients) {
        views.look(clients, HERE);
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    }

    private static List<Event> taken(EventClient client) {
        List<Event> events = new ArrayList<>();
        client.take().ifPresent(chunk -> {
            events.addAll(chunk.events());
            events.addAll(taken(client));
        });
        return events;
    }

    private static List<Content> contents(EventClient client) {
        return taken(client).stream().map(Event::content).toList();
    }

    @Test
    void manyRunsThatChangeAtOnceAreToldOnceAndMakeNoClientTooSlow() {
        EventClient client = client(EventTopic.RUNS, Set.of(), HERE);
        look(List.of(client));
        List<RunChanged> runs = ids(2 * RecentRuns.MOST).stream()
                .map(id -> new RunChanged(id, "w", RunStatus.COMPLETED, store.now()))
                .toList();
        store.recentRuns = runs;
        look(List.of(client));
        assertThat(contents(client)).isEqualTo(runs);
        look(List.of(client));
        look(List.of(client));

        assertThat(contents(client)).isEmpty();
    }

    @Test
    void clientsThatWatchManyRunsKeepNobodyFromHearingOfItsOwn() {
        List<EventClient> clients = IntStream.range(0, 25)
                .mapToObj(i -> client(EventTopic.COUNTS, ids(Subscription.MOST_WATCHED), HERE))
                .toList();
        for (int i = 0; i < 3; i++) {
            look(clients);
        }

        for (EventClient client : clients) {
            Set<JobId> heard = new HashSet<>();
            contents(client).forEach(content -> {
                if (content instanceof RunChanged run) {
                    heard.add(run.id());
                }
            });
            assertThat(heard).isEqualTo(client.subscription().runs());
        }
    }

    @Test
    void noEventLeadsAClientBackToWhereItHasBeenOnAnotherNode() {
        Position further = Position.before(ModelStore.START.plusSeconds(1));
        EventClient client = client(EventTopic.COUNTS, Set.of(), further);
        look(List.of(client));

        assertThat(taken(client)).singleElement().satisfies(event -> {
            assertThat(event.content()).isInstanceOf(LiveCounts.class);
            assertThat(event.position()).isEqualTo(further);
        });
    }
}
