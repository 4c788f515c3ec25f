package dev.muster.internal.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.cluster.ClusterCoordinator;
import dev.muster.event.Event.Content;
import dev.muster.event.Event.Hello;
import dev.muster.event.Event.JobEnded;
import dev.muster.event.Event.LiveCounts;
import dev.muster.event.Event.Reset;
import dev.muster.event.EventTopic;
import dev.muster.event.Position;
import dev.muster.event.Subscription;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EventFeedTest {
    private static final Subscription JOBS = new Subscription(EnumSet.of(EventTopic.JOBS), Set.of(), Set.of());

    private final ModelStore store = new ModelStore();
    private final EventFeed feed = new EventFeed(store, store::now, ClusterCoordinator.none(), Clock.system(), "n1");

    private EventClient subscribe(Subscription to, Position last) {
        return feed.subscribe(to, Optional.ofNullable(last), () -> {});
    }

    /** What the client has got up to now. */
    private static List<Content> contents(EventClient client, List<Content> before) {
        List<Content> all = new ArrayList<>(before);
        for (Optional<EventChunk> chunk = client.take(); chunk.isPresent(); chunk = client.take()) {
            chunk.get().events().forEach(event -> all.add(event.content()));
        }
        return all;
    }

    private static void awaitContent(EventClient client, Content wanted) {
        List<Content> got = new ArrayList<>();
        await().until(() -> {
            List<Content> all = contents(client, got);
            got.clear();
            got.addAll(all);
            return got.contains(wanted);
        });
    }

    /** Whether the feed makes no round for longer than there is between two. */
    private boolean sleeps() {
        int before = store.queries;
        long end = System.nanoTime() + EventFeed.ROUND.multipliedBy(3).toNanos();
        await().until(() -> System.nanoTime() - end > 0);
        return store.queries == before;
    }

    @Test
    void isAwakeOnlyWhileSomebodyListens() {
        assertThat(sleeps()).isTrue();
        assertThat(store.queries).isZero();

        EventClient one = subscribe(JOBS, null);
        EventClient other = subscribe(JOBS, null);
        await().until(() -> store.queries > 3);
        one.close();
        int then = store.queries;
        await().until(() -> store.queries > then + 3);
        other.close();

        await().until(this::sleeps);
        assertThat(feed.clients()).isZero();
        EventClient again = subscribe(JOBS, null);
        JobEnded job = store.end();
        store.pass(Duration.ofMillis(1));
        awaitContent(again, job);
        again.close();
    }

    @Test
    void saysHelloFirstAndAtOnce() {
        store.broken = true;
        EventClient client = subscribe(Subscription.ALL, null);

        assertThat(contents(client, List.of())).containsExactly(new Hello("n1", store.now()));
        client.close();
    }

    @Test
    void goesOnAfterAnOutage() {
        EventClient client = subscribe(JOBS, null);
        await().until(() -> store.queries > 1);
        store.broken = true;
        int then = store.queries;
        await().until(() -> store.queries > then + 2);
        JobEnded job = store.end();
        store.pass(Duration.ofSeconds(3));
        store.broken = false;

        awaitContent(client, job);
        client.close();
    }

    /** Whoever comes in the middle of a round is not told of what ends until it has got what it has missed. */
    @Test
    void aClientThatResumesDuringARoundMissesNothing() {
        Position old = Position.before(store.now());
        JobEnded missed = store.end();
        store.pass(Duration.ofSeconds(1));
        EventClient counts = subscribe(new Subscription(EnumSet.of(EventTopic.COUNTS), Set.of(), Set.of()), null);
        EventClient[] resumed = new EventClient[1];
        store.duringTheNextQuery(() -> resumed[0] = subscribe(JOBS, old));
        await().until(() -> resumed[0] != null);
        counts.close();

        awaitContent(resumed[0], missed);
        resumed[0].close();
    }

    @Test
    void aPositionThatCannotBeResumedLeadsToAReset() {
        store.pass(Duration.ofMinutes(10));
        for (Position wrong : List.of(
                Position.before(store.now().minus(Duration.ofMinutes(6))),
                Position.before(store.now().plus(Duration.ofMinutes(1))))) {
            EventClient client = subscribe(JOBS, wrong);

            List<Content> got = contents(client, List.of());
            assertThat(got).hasSize(2);
            assertThat(got.get(1)).isInstanceOf(Reset.class);
            assertThat(client.isOver()).isTrue();
        }
        assertThat(feed.clients()).isZero();
        assertThat(store.queries).isZero();
    }

    @Test
    void aClientGetsOnlyWhatItAskedFor() {
        EventClient jobs = subscribe(JOBS, null);
        EventClient counts = subscribe(new Subscription(EnumSet.of(EventTopic.COUNTS), Set.of(), Set.of()), null);
        JobEnded job = store.end();
        store.pass(Duration.ofMillis(1));
        awaitContent(jobs, job);

        List<Content> got = new ArrayList<>();
        await().until(() -> {
            got.addAll(contents(counts, List.of()));
            return got.stream().anyMatch(LiveCounts.class::isInstance);
        });
        assertThat(got).noneMatch(JobEnded.class::isInstance);
        jobs.close();
        counts.close();
    }
}
