package dev.muster.internal.event;

import dev.muster.event.Event;
import dev.muster.event.Event.JobEnded;
import dev.muster.event.Event.MoreEnded;
import dev.muster.event.EventTopic;
import dev.muster.event.Position;
import dev.muster.internal.event.EventStore.Ended;
import dev.muster.internal.event.EventStore.Horizon;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Walks along history and sends its clients what has ended. The package description says how far it goes. Used by the thread of the feed alone.
 *
 * <pre>
 *   ───── sent and settled ─────┬──── sent, unsettled ────┬──── not sent yet ───▶ time
 *                               │                         └ passed
 *                               └ the time that is settled, if that is before passed
 * </pre>
 */
final class EndedJobsFeed {
    /** How many jobs a round sends one by one. */
    static final int ONE_BY_ONE = 500;

    /** How long a round waits for transactions that are open. */
    static final Duration PATIENCE = Duration.ofSeconds(2);

    /**
     * For how long it is looked for jobs that appear late. Muster's own transactions that end jobs take less: each of their statements has 30 s.
     * Only a program that ends jobs in its own transaction, and keeps it open for longer, is not waited for.
     */
    static final Duration LATEST = Duration.ofSeconds(60);

    /** How often it is looked for them. */
    private static final Duration LOOK_BACK = Duration.ofSeconds(5);

    /** A position that is older is not resumed. */
    static final Duration RESUMABLE = Duration.ofMinutes(5);

    /** By how much the clock may go back unnoticed. What ends then has a time that was passed already. */
    private static final Duration STEP_BACK = Duration.ofSeconds(1);

    /** How much of history one query reads, so that its work is bounded after a pause. */
    private static final Duration STRETCH = Duration.ofSeconds(10);

    /** How many queries more a round makes for clients that resume in the middle of what is only counted. */
    private static final int MOST_CUTS = 20;

    private final EventStore store;
    private final SettledTime settledTime = new SettledTime();
    private volatile Position passed;
    private @Nullable UnsettledJobs unsettled;
    private Instant lookBackAt = Instant.MIN;

    /** What the database's clock showed at the last round. */
    private Instant lastReading = Instant.EPOCH;

    /** @param start where it begins */
    EndedJobsFeed(EventStore store, Position start) {
        this.store = store;
        this.passed = start;
    }

    /** How far everybody has got who is not behind. */
    Position passed() {
        return passed;
    }

    /**
     * Sends what has ended since the last round.
     *
     * @param wanted whether a client wants to hear of ended jobs
     * @return whether there is more to send at once
     */
    boolean round(Collection<EventClient> clients, boolean wanted) {
        Horizon now = store.horizon();
        if (isTooOld(passed, now.at())) {
            return startAgain(now, clients, "the database did not answer for " + RESUMABLE.toMinutes() + " minutes");
        }
        if (now.open().isEmpty() && !now.at().isBefore(lastReading.minus(STEP_BACK))) {
            // A standby is behind the clock by which the first client's position was chosen.
            passed = Position.earlier(passed, Position.before(now.at()));
        }
        lastReading = now.at();
        if (passed.moment().isAfter(now.at().plus(STEP_BACK))) {
            return startAgain(now, clients, "the clock of the database was set back");
        }
        Instant settled = settledTime.advance(now);
        if (!wanted) {
            passed = Position.later(
                    passed, Position.before(settled == null ? now.at().minus(PATIENCE) : settled));
            clients.forEach(client -> client.reached(passed));
            unsettled = null;
            return false;
        }
        // First, because who catches up gets late jobs behind its position anyway.
        lookBack(clients, settled, now.at());
        catchUp(clients, now.at());
        Position certain = settled == null ? Position.before(Instant.EPOCH) : Position.before(settled);
        Position target = Position.later(certain, Position.before(now.at().minus(PATIENCE)));
        Position to = Position.earlier(target, stretchFrom(passed));
        if (!passed.isBefore(to)) {
            return false;
        }
        Position after = passed;
        Ended ended = store.ended(after, to, ONE_BY_ONE);
        if (ended.more() > 0 && someoneBeginsAmongTheCounted(clients, ended, to)) {
            to = UnsettledJobs.at(last(ended));
            ended = new Ended(ended.jobs(), 0, 0);
        }
        if (certain.isBefore(to)) {
            remember(ended, after, to);
        }
        send(ended, after, to, clients);
        pass(to, clients);
        return to.isBefore(target);
    }

    private boolean startAgain(Horizon now, Collection<EventClient> clients, String why) {
        clients.forEach(client -> client.reset(why));
        passed = Position.before(now.at());
        unsettled = null;
        return false;
    }

    private static Position stretchFrom(Position position) {
        return Position.after(position.moment().plus(STRETCH));
    }

    static boolean isTooOld(Position position, Instant now) {
        return position.moment().isBefore(now.minus(RESUMABLE));
    }

    private void pass(Position to, Collection<EventClient> clients) {
        Position before = passed;
        passed = Position.later(passed, to);
        clients.stream().filter(client -> !client.upTo().isBefore(before)).forEach(client -> client.reached(passed));
    }

    private void remember(Ended ended, Position after, Position to) {
        UnsettledJobs stretch = unsettled;
        if (stretch == null) {
            stretch = new UnsettledJobs(after);
            unsettled = stretch;
        }
        stretch.add(ended, to);
    }

    /** Looks for jobs that have appeared in what was sent before it was settled. */
    private void lookBack(Collection<EventClient> clients, @Nullable Instant settled, Instant now) {
        UnsettledJobs stretch = unsettled;
        if (stretch == null) {
            return;
        }
        boolean over = settled != null && !Position.before(settled).isBefore(stretch.to());
        if (!over && now.isBefore(lookBackAt)) {
            return;
        }
        lookBackAt = now.plus(LOOK_BACK);
        stretch.forgetBefore(Position.before(now.minus(LATEST)));
        if (stretch.from().isBefore(stretch.to())) {
            UnsettledJobs.Late late = stretch.late(store.ended(stretch.from(), stretch.to(), UnsettledJobs.MOST));
            if (!late.isEmpty()) {
                sendLate(late, clients);
            }
        }
        if (over) {
            unsettled = null;
        }
    }

    /** Sends each client those that lie before its own position. Clients with the same position share the chunk. */
    private void sendLate(UnsettledJobs.Late late, Collection<EventClient> clients) {
        Map<Position, EventChunk> chunks = new HashMap<>();
        for (EventClient client : clients) {
            if (client.subscription().wants(EventTopic.JOBS)) {
                EventChunk chunk = chunks.computeIfAbsent(client.upTo(), upTo -> lateChunk(late, upTo));
                if (chunk.size() > 0) {
                    client.put(chunk);
                }
            }
        }
    }

    private EventChunk lateChunk(UnsettledJobs.Late late, Position upTo) {
        List<Event> events = new ArrayList<>();
        late.jobs().stream()
                .filter(job -> !upTo.isBefore(UnsettledJobs.at(job)))
                .forEach(job -> events.add(new Event(upTo, job)));
        if (late.more() > 0 && !upTo.isBefore(passed)) {
            events.add(new Event(upTo, new MoreEnded(late.more(), late.moreFailed())));
        }
        return new EventChunk(events);
    }

    /** Sends those that have come with an older position what all others have got already. */
    private void catchUp(Collection<EventClient> clients, Instant now) {
        List<EventClient> behind = new ArrayList<>();
        for (EventClient client : clients) {
            if (client.upTo().isBefore(passed) && client.subscription().wants(EventTopic.JOBS)) {
                behind.add(client);
            } else if (client.upTo().isBefore(passed)) {
                client.reached(passed);
            }
        }
        int cuts = 0;
        while (!behind.isEmpty()) {
            behind.stream()
                    .filter(client -> isTooOld(client.upTo(), now))
                    .forEach(client -> client.reset("the client came back too late"));
            behind.removeIf(client -> client.isReset() || !client.upTo().isBefore(passed));
            Position after = behind.stream().map(EventClient::upTo).reduce(passed, Position::earlier);
            Position to = Position.earlier(passed, stretchFrom(after));
            if (!after.isBefore(to)) {
                return;
            }
            Ended ended = store.ended(after, to, ONE_BY_ONE);
            if (ended.more() > 0 && someoneBeginsAmongTheCounted(behind, ended, to)) {
                if (++cuts > MOST_CUTS) {
                    behind.forEach(client -> client.reset("too much has happened meanwhile"));
                    return;
                }
                to = UnsettledJobs.at(last(ended));
                ended = new Ended(ended.jobs(), 0, 0);
            }
            send(ended, after, to, behind);
            Position reached = to;
            behind.stream()
                    .filter(client -> client.upTo().isBefore(reached))
                    .forEach(client -> client.reached(reached));
        }
    }

    /** Such a client would be told of jobs that it knows already. */
    private static boolean someoneBeginsAmongTheCounted(Collection<EventClient> clients, Ended ended, Position to) {
        Position last = UnsettledJobs.at(last(ended));
        return clients.stream()
                .map(EventClient::upTo)
                .anyMatch(position -> last.isBefore(position) && position.isBefore(to));
    }

    private static JobEnded last(Ended ended) {
        return ended.jobs().get(ended.jobs().size() - 1);
    }

    /** Sends each client what lies behind its own position. Clients with the same position share the chunk. */
    private static void send(Ended ended, Position after, Position to, Collection<EventClient> clients) {
        if (ended.jobs().isEmpty()) {
            return;
        }
        Map<Position, EventChunk> chunks = new HashMap<>();
        for (EventClient client : clients) {
            if (client.subscription().wants(EventTopic.JOBS) && client.upTo().isBefore(to)) {
                Position from = Position.later(after, client.upTo());
                EventChunk chunk = chunks.computeIfAbsent(from, position -> chunk(ended, position, to));
                if (chunk.size() > 0) {
                    client.put(chunk);
                }
            }
        }
    }

    private static EventChunk chunk(Ended ended, Position from, Position to) {
        List<Event> events = new ArrayList<>();
        for (JobEnded job : ended.jobs()) {
            Position at = UnsettledJobs.at(job);
            if (from.isBefore(at)) {
                events.add(new Event(at, job));
            }
        }
        if (ended.more() > 0) {
            events.add(new Event(to, new MoreEnded(ended.more(), ended.moreFailed())));
        }
        return new EventChunk(events);
    }
}
