package dev.muster.postgres.internal.claims;

import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.claims.HeldClaims.PlaceListener;
import dev.muster.postgres.internal.claims.LimitedQueue.Claim;
import dev.muster.postgres.internal.db.Database;
import dev.muster.runtime.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The claim session of a node: one for all queues without a limit, and one for each limited queue, which claims after it in a
 * transaction of its own. The first one that has something to claim writes the outcomes.
 */
final class ClaimSessions implements ClaimSession {
    /** From how many limited queues an exchange claims; the others come next. */
    private static final int QUEUES_PER_EXCHANGE = 4;

    /** How much later nodes are told of a free place for which this node knows no job. */
    private static final Duration FOR_OTHERS_LATER = Duration.ofMillis(100);

    /** When to look again if this node has no thread for jobs of a limited queue, or its other pump is claiming from it. */
    private static final Duration BUSY = Duration.ofMillis(5);

    private final Database database;
    private final HeldClaims held;
    private final List<FeatureOutcomes> features;
    private final ClaimFilter filter;
    private final Clock clock;
    private final UnacknowledgedClaims unacknowledged;
    private final PostgresClaimSession withoutLimits;
    private final Map<String, LimitedQueue> limited = new ConcurrentSkipListMap<>();
    private final List<Runnable> onFreedPlace = new CopyOnWriteArrayList<>();
    private final List<ProbeListener> probeListeners = new CopyOnWriteArrayList<>();
    private final List<Runnable> sharedProbeListeners = new CopyOnWriteArrayList<>();
    private SharedProbe sharedProbe;
    private final AtomicInteger turns = new AtomicInteger();

    /** The limited queue that jobs were claimed from last; the next round begins behind it. */
    private volatile String lastClaimed = "";

    ClaimSessions(Database database, HeldClaims held, List<FeatureOutcomes> features, ClaimFilter filter, Clock clock) {
        this.database = database;
        this.held = held;
        this.features = features;
        this.filter = filter;
        this.clock = clock;
        this.unacknowledged = new UnacknowledgedClaims(clock);
        this.withoutLimits =
                PostgresClaimSession.withoutLimits(database, held, features, filter, unacknowledged, clock);
        this.sharedProbe = new SharedProbe(clock);
        withoutLimits.join(sharedProbe);
        held.onFreedPlace(new Places());
    }

    private final class Places implements PlaceListener {
        @Override
        public boolean counts(String queue) {
            LimitedQueue of = limited.get(queue);
            return of != null && of.countsFreedPlace();
        }

        @Override
        public void freed(String queue, @Nullable Object session) {
            LimitedQueue of = limited.get(queue);
            if (of != null && of.freed(of.session() == session)) {
                onFreedPlace.forEach(Runnable::run);
            }
        }

        @Override
        public List<Lane> leaveUnused() {
            return limited.values().stream()
                    .filter(LimitedQueue::leavesUnusedPlaces)
                    .map(LimitedQueue::lane)
                    .toList();
        }
    }

    @Override
    public void onFreedPlace(Runnable listener) {
        onFreedPlace.add(listener);
    }

    @Override
    public int freedPlaces(Collection<Outcome> outcomes) {
        return limited.isEmpty()
                ? 0
                : (int) outcomes.stream()
                        .filter(outcome -> held.limitedQueue(outcome.claim()) != null)
                        .count();
    }

    @Override
    public Exchange exchange(List<Outcome> outcomes, Want want) {
        if (limited.isEmpty()) {
            Exchange exchange = withoutLimits.exchange(outcomes, want);
            return learnQueueLimits() ? new Round(want, 0).after(exchange) : exchange;
        }
        int share = shareOfLimited(want);
        Round round = new Round(want, share);
        if (!outcomes.isEmpty() && (want.onlyFreedPlaces() || !withoutLimits.hasWork())) {
            Optional<Exchange> first = round.claimWith(outcomes);
            if (first.isPresent()) {
                return round.after(first.get());
            }
        }
        Exchange first = withoutLimits.exchange(outcomes, want.with(want.jobs() - share));
        learnQueueLimits();
        return round.after(first);
    }

    /**
     * How many of the wanted jobs are kept for limited queues. While there is work in both kinds of queues, they take turns, so
     * that neither waits for the other to be empty. Only exchanges that could claim from both are counted: others, such as those that
     * write outcomes and want no jobs, must not use up a turn.
     */
    private int shareOfLimited(Want want) {
        if (want.onlyFreedPlaces()) {
            return want.jobs();
        }
        return want.jobs() > 0
                        && withoutLimits.hasWork()
                        && limited.values().stream().anyMatch(LimitedQueue::mayHaveJobs)
                        && turns.incrementAndGet() % 2 == 0
                ? Math.max(1, want.jobs() / 2)
                : 0;
    }

    /** The claims from limited queues within one exchange. */
    private final class Round {
        private final Want want;
        private final int share;
        private final List<ClaimedJob> claimed = new ArrayList<>();
        private final Map<Lane, Duration> returnedLater = new HashMap<>();
        private final Set<LimitedQueue> asked = new HashSet<>();
        private final Set<LimitedQueue> busy = new HashSet<>();
        private boolean leftToOther;

        Round(Want want, int share) {
            this.want = want;
            this.share = share;
        }

        /**
         * Writes outcomes and claims from the first limited queue that may have jobs, in one transaction. The result is the one of
         * an exchange without limits that has claimed nothing; empty if nothing was done.
         */
        Optional<Exchange> claimWith(List<Outcome> outcomes) {
            Set<String> freed = outcomes.stream()
                    .map(outcome -> held.limitedQueue(outcome.claim()))
                    .filter(Objects::nonNull)
                    .collect(Collectors.toSet());
            Optional<LimitedQueue> due = inTurn().stream()
                    .filter(queue -> queue.isDue() || freed.contains(queue.name()) && queue.hasJobs())
                    .findFirst();
            if (room() <= 0 || due.isEmpty()) {
                return Optional.empty();
            }
            LimitedQueue queue = due.get();
            Optional<Claim> claim = queue.claimWith(outcomes, wanted());
            if (claim.isEmpty()) {
                return Optional.empty();
            }
            withoutLimits.learnQueues(queue.session());
            learnQueueLimits();
            add(queue, claim.get());
            return claim.get()
                    .exchange()
                    .map(done -> done.withClaims(List.of(), !withoutLimits.hasWork(), withoutLimits.knownDue()));
        }

        /** Claims from the limited queues that were not asked yet, and adds to an exchange what was claimed from all of them. */
        Exchange after(Exchange first) {
            claimed.addAll(0, first.claimed());
            first.returnedLater().forEach((lane, pause) -> returnedLater.merge(lane, pause, ClaimSessions::shorter));
            for (LimitedQueue queue : inTurn()) {
                if (!asked.contains(queue)) {
                    claimFrom(queue);
                }
            }
            held.unusedPlaces().forEach(lane -> returnedLater.merge(lane, Duration.ZERO, ClaimSessions::shorter));
            boolean mayHaveMore = leftToOther && room() > 0 && withoutLimits.mayHaveJobs();
            Optional<Duration> next = first.nextDue();
            for (LimitedQueue queue : limited.values()) {
                Optional<Duration> untilDue = queue.untilDue();
                if (untilDue.filter(Duration::isZero).isPresent()) {
                    boolean now = room() > 0 && !busy.contains(queue);
                    mayHaveMore |= now;
                    untilDue = now ? untilDue : Optional.of(BUSY);
                }
                next = PostgresClaimSession.sooner(next, untilDue);
            }
            return first.withClaims(claimed, first.exhausted() && !mayHaveMore, next)
                    .withReturnedLater(returnedLater);
        }

        /** How many more jobs may be claimed from limited queues. */
        private int room() {
            return Math.min(want.jobs() - claimed.size(), Math.max(share, want.soon() - claimed.size()));
        }

        private Want wanted() {
            return want.with(room(), Math.max(1, want.free() - claimed.size()));
        }

        private void claimFrom(LimitedQueue queue) {
            if (room() <= 0 || asked.size() == QUEUES_PER_EXCHANGE) {
                if (queue.leavePlaces()) {
                    tellOthers(queue, Duration.ZERO);
                }
            } else if (queue.isDue() || queue.hasFreedPlace()) {
                add(queue, queue.claim(wanted()));
                if (!queue.session().limitedQueues().contains(queue.name())) {
                    // It has lost its limit: its jobs are those of the other session, which looks for them.
                    withoutLimits.learnQueues(queue.session());
                    leftToOther = true;
                }
            }
        }

        private void tellOthers(LimitedQueue queue, Duration pause) {
            returnedLater.merge(queue.lane(), pause, ClaimSessions::shorter);
        }

        private void add(LimitedQueue queue, Claim claim) {
            asked.add(queue);
            claim.exchange()
                    .map(Exchange::claimed)
                    .filter(jobs -> !jobs.isEmpty())
                    .ifPresent(jobs -> {
                        claimed.addAll(jobs);
                        lastClaimed = queue.name();
                    });
            switch (claim.freed()) {
                case USED -> {}
                case FOR_OTHERS -> tellOthers(queue, Duration.ZERO);
                case FOR_OTHER_HANDLERS -> tellOthers(queue, FOR_OTHERS_LATER);
                case LATER -> busy.add(queue);
            }
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Whichever queue comes first may take all there is room for. So the one that has got something last comes last. */
    private List<LimitedQueue> inTurn() {
        List<LimitedQueue> queues = new ArrayList<>();
        List<LimitedQueue> before = new ArrayList<>();
        limited.forEach((name, queue) -> (name.compareTo(lastClaimed) > 0 ? queues : before).add(queue));
        queues.addAll(before);
        return queues;
    }

    /** Opens sessions for queues that have got a limit, and forgets those that have lost theirs. Returns whether one was opened. */
    private boolean learnQueueLimits() {
        Set<String> now = withoutLimits.limitedQueues();
        if (now.isEmpty() && limited.isEmpty()) {
            return false;
        }
        limited.values().removeIf(queue -> {
            boolean over = !now.contains(queue.name());
            if (over) {
                queue.session().leaveSharedProbe();
            }
            return over;
        });
        boolean anyOpened = false;
        for (String queue : now) {
            if (filter.servesQueue(queue) && !limited.containsKey(queue)) {
                LimitedQueue opened = open(queue);
                if (limited.putIfAbsent(queue, opened) == null) {
                    opened.session().join(sharedProbe);
                    anyOpened = true;
                }
            }
        }
        return anyOpened;
    }

    private LimitedQueue open(String queue) {
        PostgresClaimSession session =
                PostgresClaimSession.within(database, held, features, filter, queue, unacknowledged, clock);
        probeListeners.forEach(session::onProbe);
        return new LimitedQueue(queue, session, new EarlierClaims(database), clock);
    }

    @Override
    public boolean probeBacklog() {
        boolean found = withoutLimits.probeBacklog();
        found |= learnQueueLimits();
        for (LimitedQueue queue : limited.values()) {
            if (queue.isDue()) {
                found |= queue.session().probeBacklog();
            }
        }
        return found;
    }

    @Override
    public void onSharedProbe(Runnable listener) {
        sharedProbeListeners.add(listener);
    }

    private void tellSharedProbe() {
        sharedProbeListeners.forEach(Runnable::run);
    }

    @Override
    public Optional<Duration> untilKnownJobs() {
        Optional<Duration> until = withoutLimits.untilKnownJobs();
        for (LimitedQueue queue : limited.values()) {
            until = PostgresClaimSession.sooner(until, queue.untilKnownJobs());
        }
        return until;
    }

    /** Probes together with the sessions of other executors while all are idle. Called before the first probe. */
    void join(SharedProbe others) {
        withoutLimits.leaveSharedProbe();
        sharedProbe = others;
        withoutLimits.join(others);
        withoutLimits.onSharedProbe(this::tellSharedProbe);
    }

    @Override
    public void onProbe(ProbeListener listener) {
        probeListeners.add(listener);
        sessions().forEach(session -> session.onProbe(listener));
    }

    private List<PostgresClaimSession> sessions() {
        List<PostgresClaimSession> sessions = new ArrayList<>(limited.size() + 1);
        sessions.add(withoutLimits);
        limited.values().forEach(queue -> sessions.add(queue.session()));
        return sessions;
    }

    @Override
    public boolean contended() {
        return withoutLimits.contended();
    }

    @Override
    public boolean inDoubt() {
        return withoutLimits.inDoubt();
    }

    @Override
    public List<Recovered> releaseUnknown(Collection<ClaimRef> known) {
        return withoutLimits.releaseUnknown(known);
    }

    @Override
    public long answers() {
        return limited.isEmpty()
                ? withoutLimits.answers()
                : sessions().stream().mapToLong(PostgresClaimSession::answers).sum();
    }

    @Override
    public void wake(Set<Lane> lanes) {
        Set<Lane> rest = withoutLimits(lanes);
        if (lanes.isEmpty() || !rest.isEmpty()) {
            withoutLimits.wake(rest);
        }
        limited.forEach((name, queue) -> {
            Set<Lane> of = of(name, lanes);
            if (lanes.isEmpty() || !of.isEmpty()) {
                queue.session().wake(of);
                queue.wake();
            }
        });
    }

    @Override
    public Optional<Duration> wakeInTurn(Set<Lane> lanes) {
        Set<Lane> rest = withoutLimits(lanes);
        Optional<Duration> turn =
                lanes.isEmpty() || !rest.isEmpty() ? withoutLimits.wakeInTurn(rest) : Optional.empty();
        for (Map.Entry<String, LimitedQueue> entry : limited.entrySet()) {
            Set<Lane> of = of(entry.getKey(), lanes);
            if (lanes.isEmpty() || !of.isEmpty()) {
                turn = PostgresClaimSession.sooner(turn, entry.getValue().wakeInTurn(of));
            }
        }
        return turn;
    }

    private Set<Lane> withoutLimits(Set<Lane> lanes) {
        return limited.isEmpty()
                ? lanes
                : lanes.stream()
                        .filter(lane -> !limited.containsKey(lane.queue()))
                        .collect(Collectors.toSet());
    }

    private static Set<Lane> of(String queue, Set<Lane> lanes) {
        return lanes.stream().filter(lane -> lane.queue().equals(queue)).collect(Collectors.toSet());
    }

    @Override
    public int peers() {
        return withoutLimits.peers();
    }
}
