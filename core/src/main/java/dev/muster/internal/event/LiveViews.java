package dev.muster.internal.event;

import dev.muster.event.Event;
import dev.muster.event.Event.Changed;
import dev.muster.event.Event.Content;
import dev.muster.event.Event.Count;
import dev.muster.event.Event.LiveCounts;
import dev.muster.event.Event.RunChanged;
import dev.muster.event.Event.Things;
import dev.muster.event.Event.WatchedJob;
import dev.muster.event.EventTopic;
import dev.muster.event.Position;
import dev.muster.event.Subscription;
import dev.muster.internal.event.EventStore.Fingerprints;
import dev.muster.job.JobId;
import dev.muster.job.JobStatus;
import dev.muster.job.QueueInfo;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What is read again and again and sent if it has changed. Only what a client wants is read. {@link #hint} alone may be called by any thread. */
final class LiveViews {
    private static final Duration OFTEN = Duration.ofSeconds(1);
    private static final Duration WITHOUT_WAKEUPS = Duration.ofSeconds(2);

    /** Wake-ups tell of changes; this finds those of which none did, such as a node that has become stale. */
    private static final Duration WITH_WAKEUPS = Duration.ofSeconds(5);

    /** Something that took long is read again after this many times its duration. */
    private static final int REST = 10;

    /** How many watched jobs, and how many runs, are read at a time. */
    private static final int MOST_READ = 1_000;

    private final EventStore store;
    private final BooleanSupplier listening;
    private final Pace counts;
    private final Pace watched;
    private final Pace runs;
    private final Pace fingerprints;
    private final RecentRuns recentRuns;
    private final Rotation watchedJobs = new Rotation();
    private final Rotation namedRuns = new Rotation();
    private volatile boolean hinted;
    private @Nullable List<?> lastQueues;
    private @Nullable Fingerprints last;

    /** @param listening whether wake-ups arrive at the moment */
    LiveViews(EventStore store, BooleanSupplier listening, Clock clock) {
        this.store = store;
        this.listening = listening;
        this.counts = new Pace(clock);
        this.watched = new Pace(clock);
        this.runs = new Pace(clock);
        this.fingerprints = new Pace(clock);
        this.recentRuns = new RecentRuns(store);
    }

    /** When something is read again. */
    private static final class Pace {
        private final Clock clock;
        private long next;
        private boolean begun;

        Pace(Clock clock) {
            this.clock = clock;
        }

        boolean isDue() {
            return !begun || clock.nanos() - next >= 0;
        }

        void run(Duration every, Runnable read) {
            long began = clock.nanos();
            try {
                read.run();
            } finally {
                long now = clock.nanos();
                next = now + Math.max(every.toNanos() - (now - began), REST * (now - began));
                begun = true;
            }
        }
    }

    /** If there are more than can be read at a time, they are read by turns. */
    private static final class Rotation {
        private int from;

        List<JobId> next(Set<JobId> all) {
            List<JobId> sorted = new ArrayList<>(all);
            if (sorted.size() <= MOST_READ) {
                return sorted;
            }
            sorted.sort(null);
            int begin = from >= sorted.size() ? 0 : from;
            from = Math.min(sorted.size(), begin + MOST_READ);
            return sorted.subList(begin, from);
        }
    }

    /** Something may have changed that another node has announced. */
    void hint() {
        hinted = true;
    }

    /** @param position where clients are at the moment */
    void look(Collection<EventClient> clients, Position position) {
        if (counts.isDue() && wanted(clients, Set.of(EventTopic.COUNTS, EventTopic.QUEUES))) {
            counts.run(OFTEN, () -> lookAtQueues(clients, position));
        }
        if (watched.isDue()) {
            watched.run(OFTEN, () -> lookAtWatched(clients, position));
        }
        if (runs.isDue()) {
            runs.run(OFTEN, () -> lookAtRuns(clients, position));
        }
        if ((hinted || fingerprints.isDue()) && wanted(clients, Set.of(EventTopic.NODES, EventTopic.CRONS))) {
            // After a hint it is looked again soon: a leader that gives up is followed by another one.
            Duration every = hinted ? OFTEN : listening.getAsBoolean() ? WITH_WAKEUPS : WITHOUT_WAKEUPS;
            // First, so that a hint that comes meanwhile is not lost.
            hinted = false;
            fingerprints.run(every, () -> lookAtFingerprints(clients, position));
        }
    }

    private static boolean wanted(Collection<EventClient> clients, Set<EventTopic> topics) {
        return clients.stream().anyMatch(client -> topics.stream().anyMatch(client.subscription()::wants));
    }

    private void lookAtQueues(Collection<EventClient> clients, Position position) {
        List<QueueInfo> queues = store.queues();
        LiveCounts now = new LiveCounts(
                count(queues, QueueInfo::waiting, JobStatus.WAITING),
                count(queues, QueueInfo::pending, JobStatus.PENDING),
                count(queues, QueueInfo::claimed, JobStatus.CLAIMED),
                count(queues, QueueInfo::running, JobStatus.RUNNING));
        EventChunk chunk = EventChunk.of(position, now);
        for (EventClient client : clients) {
            if (client.subscription().wants(EventTopic.COUNTS) && client.isNews(LiveCounts.class, now)) {
                client.put(chunk.notBefore(client.upTo()));
            }
        }
        List<?> settings = queues.stream()
                .filter(queue -> queue.pausedAt().isPresent() || !queue.limit().isNone())
                .map(queue -> List.of(queue.name(), queue.pausedAt(), queue.limit()))
                .toList();
        if (lastQueues != null && !lastQueues.equals(settings)) {
            changed(Things.QUEUES, clients, position);
        }
        lastQueues = settings;
    }

    private static Count count(List<QueueInfo> queues, ToLongFunction<QueueInfo> of, JobStatus status) {
        return new Count(
                queues.stream().mapToLong(of).sum(),
                queues.stream().noneMatch(queue -> queue.atLeast().contains(status)));
    }

    private void lookAtWatched(Collection<EventClient> clients, Position position) {
        List<JobId> ids = watchedJobs.next(clients.stream()
                .flatMap(client -> client.subscription().jobs().stream())
                .collect(Collectors.toSet()));
        if (ids.isEmpty()) {
            return;
        }
        for (WatchedJob job : store.watched(ids)) {
            tell(
                    clients,
                    position,
                    job.id(),
                    job,
                    subscription -> subscription.jobs().contains(job.id()));
        }
    }

    private void lookAtRuns(Collection<EventClient> clients, Position position) {
        Set<JobId> named = clients.stream()
                .flatMap(client -> client.subscription().runs().stream())
                .collect(Collectors.toSet());
        if (!named.isEmpty()) {
            for (RunChanged run : store.runs(namedRuns.next(named))) {
                tell(
                        clients,
                        position,
                        run.id(),
                        run,
                        subscription -> subscription.runs().contains(run.id()));
            }
        }
        if (clients.stream().anyMatch(client -> client.subscription().wantsAllRuns())) {
            tellOfRuns(recentRuns.changed(position.moment()), clients, position);
        }
    }

    /** All in one chunk: clients have room for some chunks, and many runs may change at once. */
    private static void tellOfRuns(List<RunChanged> runs, Collection<EventClient> clients, Position position) {
        if (runs.isEmpty()) {
            return;
        }
        EventChunk chunk = new EventChunk(
                runs.stream().map(run -> new Event(position, run)).toList());
        clients.stream()
                .filter(client -> client.subscription().wantsAllRuns())
                .forEach(client -> client.put(chunk.notBefore(client.upTo())));
    }

    private static void tell(
            Collection<EventClient> clients,
            Position position,
            JobId id,
            Content content,
            Predicate<Subscription> who) {
        EventChunk chunk = EventChunk.of(position, content);
        for (EventClient client : clients) {
            if (who.test(client.subscription()) && client.isNews(id, content)) {
                client.put(chunk.notBefore(client.upTo()));
            }
        }
    }

    private void lookAtFingerprints(Collection<EventClient> clients, Position position) {
        Fingerprints before = last;
        Fingerprints now = store.fingerprints();
        last = now;
        if (before == null) {
            return;
        }
        if (!before.nodes().equals(now.nodes())) {
            changed(Things.NODES, clients, position);
        }
        if (!before.leaders().equals(now.leaders())) {
            changed(Things.LEADERS, clients, position);
        }
        if (!before.crons().equals(now.crons())) {
            changed(Things.CRONS, clients, position);
        }
    }

    private static void changed(Things what, Collection<EventClient> clients, Position position) {
        EventChunk chunk = EventChunk.of(position, new Changed(what));
        clients.stream()
                .filter(client -> client.subscription().wants(what.topic()))
                .forEach(client -> client.put(chunk.notBefore(client.upTo())));
    }
}
