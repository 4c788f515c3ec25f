package dev.muster.internal.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.event.Event;
import dev.muster.event.Event.Content;
import dev.muster.event.Event.JobEnded;
import dev.muster.event.Event.MoreEnded;
import dev.muster.event.Event.Reset;
import dev.muster.event.Position;
import dev.muster.event.Subscription;
import dev.muster.job.JobStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndedJobsFeedTest {
    private static final Duration ROUND = Duration.ofMillis(500);

    private final ModelStore store = new ModelStore();
    private final EndedJobsFeed feed = new EndedJobsFeed(store, Position.before(store.now()));
    private final List<EventClient> clients = new ArrayList<>();

    private static EventClient client(Position start) {
        return new EventClient(Subscription.ALL, start, () -> {}, () -> {});
    }

    private EventClient join(Position start) {
        EventClient client = client(start);
        clients.add(client);
        return client;
    }

    private EventClient join() {
        return join(feed.passed());
    }

    private void rounds(int count) {
        for (int i = 0; i < count; i++) {
            store.pass(ROUND);
            round();
        }
    }

    private void round() {
        boolean more = true;
        while (more) {
            more = feed.round(clients, true);
        }
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
    void sendsEveryJobOnceInTheOrderInWhichTheyEnded() {
        EventClient client = join();
        List<JobEnded> ended = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            ended.add(store.end());
            store.pass(Duration.ofMillis(130));
            round();
        }
        rounds(2);

        assertThat(contents(client)).isEqualTo(ended);
    }

    @Test
    void aJobThatIsCommittedLateKeepsItsPlace() {
        EventClient client = join();
        JobEnded late = store.end(Duration.ofMillis(1_200));
        store.pass(Duration.ofMillis(100));
        JobEnded early = store.end();
        rounds(2);
        assertThat(contents(client)).as("the first one is not committed").isEmpty();
        rounds(4);

        assertThat(contents(client)).containsExactly(late, early);
    }

    @Test
    void aTransactionThatStaysOpenDelaysOthersByTwoSecondsOnly() {
        EventClient client = join();
        JobEnded late = store.end(Duration.ofSeconds(20));
        store.pass(Duration.ofMillis(100));
        JobEnded early = store.end();
        rounds(5);
        assertThat(contents(client)).containsExactly(early);
        rounds(60);

        assertThat(taken(client))
                .singleElement()
                .satisfies(event -> assertThat(event.content()).isEqualTo(late))
                .satisfies(event -> assertThat(UnsettledJobs.at(early).isBefore(event.position()))
                        .isTrue());
    }

    @Test
    void manyJobsThatAppearLateAreCounted() {
        EventClient client = join();
        store.end(6_000, JobStatus.FAILED, Duration.ofSeconds(20));
        JobEnded early = store.end();
        rounds(5);
        assertThat(contents(client)).containsExactly(early);
        rounds(60);

        assertThat(contents(client)).containsExactly(new MoreEnded(6_000, 6_000));
    }

    @Test
    void theRestOfManyIsCountedExactly() {
        EventClient client = join();
        store.end(700, JobStatus.COMPLETED, Duration.ZERO);
        store.pass(Duration.ofMillis(1));
        store.end(50, JobStatus.FAILED, Duration.ZERO);
        rounds(3);

        List<Content> got = contents(client);
        assertThat(got).hasSize(501);
        assertThat(got.get(500)).isEqualTo(new MoreEnded(250, 50));
    }

    @Test
    void clientsShareABatch() {
        EventClient one = join();
        EventClient other = join();
        store.end();
        rounds(3);

        assertThat(one.take().orElseThrow()).isSameAs(other.take().orElseThrow());
    }

    @Test
    void theNumberOfQueriesDoesNotDependOnTheNumberOfClients() {
        join();
        store.queries = 0;
        store.end();
        rounds(10);
        int forOne = store.queries;
        for (int i = 0; i < 500; i++) {
            join();
        }
        store.queries = 0;
        store.end();
        rounds(10);

        assertThat(store.queries).isEqualTo(forOne);
    }

    @Test
    void whoComesBackWithAPositionGetsTheRest() {
        EventClient first = join();
        store.end();
        store.pass(Duration.ofMillis(10));
        JobEnded second = store.end();
        rounds(3);
        Position known = taken(first).get(0).position();

        EventClient back = join(known);
        rounds(1);

        assertThat(contents(back)).containsExactly(second);
        assertThat(contents(first)).isEmpty();
    }

    @Test
    void whoComesBackInTheMiddleOfWhatIsCountedIsToldNothingTwice() {
        EventClient watcher = join();
        store.end(400, JobStatus.COMPLETED, Duration.ZERO);
        store.pass(Duration.ofMillis(10));
        List<JobEnded> second = store.end(400, JobStatus.COMPLETED, Duration.ZERO);
        store.pass(Duration.ofMillis(10));
        store.end(400, JobStatus.COMPLETED, Duration.ZERO);
        rounds(3);
        assertThat(contents(watcher)).hasSize(501);

        EventClient fromTheBeginning = join(Position.before(ModelStore.START));
        EventClient fromTheMiddle = join(Position.after(second.get(0).finishedAt()));
        rounds(1);

        assertThat(told(contents(fromTheMiddle))).isEqualTo(400);
        assertThat(told(contents(fromTheBeginning))).isEqualTo(1_200);
    }

    /** Of how many jobs a client was told, one by one or as a number. */
    private static long told(List<Content> contents) {
        long counted = contents.stream()
                .filter(MoreEnded.class::isInstance)
                .mapToLong(more -> ((MoreEnded) more).ended())
                .sum();
        return counted
                + contents.stream()
                        .filter(JobEnded.class::isInstance)
                        .distinct()
                        .count();
    }

    @Test
    void whoComesBackTooLateGetsAReset() {
        join();
        store.pass(Duration.ofMinutes(4));
        round();
        store.pass(Duration.ofMinutes(4));
        round();

        EventClient late = join(Position.before(ModelStore.START));
        rounds(1);

        assertThat(contents(late)).singleElement().isInstanceOf(Reset.class);
        assertThat(late.isOver()).isTrue();
    }

    @Test
    void afterAPauseTheFeedContinuesWhereItWas() {
        EventClient client = join();
        List<JobEnded> ended = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            ended.add(store.end());
            store.pass(Duration.ofSeconds(1));
        }
        rounds(3);

        assertThat(contents(client)).isEqualTo(ended);
    }

    @Test
    void afterALongPauseAllGetAReset() {
        EventClient client = join();
        store.end();
        store.pass(Duration.ofMinutes(6));
        round();

        assertThat(contents(client)).singleElement().isInstanceOf(Reset.class);
    }

    @Test
    void aSlowClientGetsAResetAndKeepsNobodyWaiting() {
        EventClient slow = join();
        EventClient quick = join();
        int got = 0;
        for (int i = 0; i < 2 * EventClient.RING; i++) {
            store.end();
            rounds(1);
            got += contents(quick).size();
        }
        rounds(2);
        got += contents(quick).size();

        assertThat(got).isEqualTo(2 * EventClient.RING);
        assertThat(contents(slow)).singleElement().isInstanceOf(Reset.class);
        assertThat(slow.isOver()).isTrue();
    }

    @Test
    void aClientThatCatchesUpGetsALateJobOnce() {
        EventClient client = join();
        JobEnded late = store.end(Duration.ofSeconds(4));
        store.pass(Duration.ofMillis(100));
        JobEnded early = store.end();
        rounds(7);
        assertThat(contents(client)).containsExactly(early);
        store.pass(Duration.ofSeconds(10));
        EventClient before = join(Position.before(ModelStore.START));
        EventClient between = join(UnsettledJobs.at(early));
        rounds(2);

        assertThat(contents(client)).containsExactly(late);
        assertThat(contents(before)).containsExactly(late, early);
        assertThat(contents(between)).containsExactly(late);
    }

    @Test
    void aStandbyThatIsBehindIsNoClockThatWasSetBack() {
        store.standbyLag = Duration.ofSeconds(30);
        EventClient client = join(Position.before(store.now()));
        JobEnded job = store.end();
        rounds(80);

        assertThat(contents(client)).containsExactly(job);
        store.standbyLag = Duration.ofSeconds(40);
        round();
        assertThat(contents(client))
                .as("another standby that is further behind")
                .singleElement()
                .isInstanceOf(Reset.class);
    }

    /** Transactions that take up to a second end jobs all the time, while a client moves to and fro between the feeds of two nodes. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void aClientThatMovesBetweenNodesMissesNothingAndGetsNothingTwice(long seed) {
        Random random = new Random(seed);
        List<EndedJobsFeed> feeds = List.of(feed, new EndedJobsFeed(store, feed.passed()));
        List<JobEnded> ended = new ArrayList<>();
        List<Event> got = new ArrayList<>();
        Position known = feed.passed();
        EventClient client = client(known);
        int at = 0;
        for (int step = 0; step < 2_000; step++) {
            if (random.nextInt(4) == 0) {
                boolean many = random.nextInt(200) == 0;
                ended.addAll(store.end(
                        1 + random.nextInt(many ? 60 : 3),
                        JobStatus.COMPLETED,
                        Duration.ofMillis(random.nextInt(10) == 0 ? random.nextInt(1_000) : random.nextInt(20))));
            }
            store.pass(Duration.ofMillis(random.nextInt(40)));
            int node = random.nextInt(2);
            if (random.nextInt(8) == 0) {
                feeds.get(node).round(node == at ? List.of(client) : List.of(), true);
                List<Event> some = taken(client);
                got.addAll(some);
                known = some.isEmpty() ? known : some.get(some.size() - 1).position();
            }
            if (random.nextInt(50) == 0) {
                at = 1 - at;
                client = client(known);
            }
        }
        for (int i = 0; i < 10; i++) {
            store.pass(ROUND);
            feeds.get(at).round(List.of(client), true);
            got.addAll(taken(client));
        }

        assertThat(got).extracting(Event::position).isSorted().doesNotHaveDuplicates();
        assertThat(got).extracting(Event::content).containsExactlyInAnyOrderElementsOf(ended);
    }
}
