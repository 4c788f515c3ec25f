package dev.muster.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimStore;
import dev.muster.internal.job.store.DependencyStore;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.internal.runtime.Loop;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.job.JobListener;
import dev.muster.job.JobStatus;
import dev.muster.job.Lane;
import dev.muster.runtime.Clock;
import dev.muster.runtime.MusterException;
import dev.muster.testing.Periods;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What pumps do in which order, and which of it at the same time. What an exchange does is tested with the store. */
class PumpTest {
    private final ClaimTable claims = new ClaimTable();
    private final Completer completer = new Completer();
    private final ClaimingState claimingState = new ClaimingState(Clock.system());
    private final Map<ClaimSession, NodeExecutor> executors = new ConcurrentHashMap<>();
    private final ReadWriteLock known = new ReentrantReadWriteLock();
    private final ExchangeGate gate = new ExchangeGate(Clock.system());
    private final List<Pump> pumps = new ArrayList<>();
    private final List<Loop> loops = new ArrayList<>();

    private final OutcomeReports reports = new OutcomeReports("node", new JobListener() {}, TelemetryListeners.none());

    /** Concurrency groups whose free places were to be filled. */
    private final Set<String> admitted = ConcurrentHashMap.newKeySet();

    /** Jobs whose dependents were to be resolved, and whose places were to be filled. */
    private final Set<Object> endedElsewhere = ConcurrentHashMap.newKeySet();

    /** Jobs whose dependents were to be resolved. */
    private final Set<Object> resolved = ConcurrentHashMap.newKeySet();

    @AfterEach
    void stop() {
        pumps.forEach(Pump::stop);
        loops.forEach(Loop::stop);
    }

    @Test
    void inACrowdPumpsTakeTurns() {
        Meeting meeting = new Meeting(true);
        enoughForBoth();
        start(2, meeting);
        await().untilAsserted(() -> assertThat(meeting.exchanges).hasValueGreaterThan(30));
        assertThat(meeting.met).isFalse();
    }

    @Test
    void withoutOneTheyExchangeAtTheSameTime() {
        Meeting meeting = new Meeting(false);
        enoughForBoth();
        start(2, meeting);
        await().untilTrue(meeting.met);
    }

    /** Each exchange waits a moment for another, and hands its outcomes in again. */
    private final class Meeting extends Session {
        private final boolean contended;
        private final CyclicBarrier both = new CyclicBarrier(2);
        private final AtomicBoolean met = new AtomicBoolean();
        private final AtomicInteger exchanges = new AtomicInteger();

        Meeting(boolean contended) {
            this.contended = contended;
        }

        @Override
        public boolean contended() {
            return contended;
        }

        @Override
        void under(List<Outcome> outcomes, int want) throws InterruptedException {
            try {
                both.await(10, TimeUnit.MILLISECONDS);
                met.set(true);
            } catch (BrokenBarrierException | TimeoutException e) {
                both.reset();
            }
            exchanges.incrementAndGet();
            outcomes.forEach(completer::add);
        }
    }

    @Test
    void whoLooksHasReservedNothingAndTakenNothing() throws Exception {
        CountDownLatch looking = new CountDownLatch(1);
        CountDownLatch enough = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean(true);
        List<Outcome> written = new ArrayList<>();
        AtomicInteger wanted = new AtomicInteger();
        Session session = new Session() {
            @Override
            public boolean probeBacklog() {
                if (first.compareAndSet(true, false)) {
                    looking.countDown();
                    uninterrupted(enough);
                }
                return false;
            }

            @Override
            synchronized void under(List<Outcome> outcomes, int want) {
                written.addAll(outcomes);
                wanted.accumulateAndGet(want, Math::max);
            }
        };
        Outcome outcome = new Outcome.Completed(Claims.ordinary(1).ref(), null);
        completer.add(outcome);
        start(1, session);
        assertThat(looking.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(held()).as("room that is reserved").isZero();
        assertThat(completer.count()).as("outcomes that nobody has taken").isOne();

        start(1, session);
        await().untilAsserted(() -> {
            synchronized (session) {
                assertThat(written).as("by the other pump").containsExactly(outcome);
            }
        });
        assertThat(wanted).as("jobs that the other pump asked for").hasPositiveValue();
        enough.countDown();
    }

    @Test
    void aLookThatFailsIsToldAfterTheOutcomesAreWritten() {
        List<Outcome> written = new ArrayList<>();
        Session session = new Session() {
            @Override
            public boolean probeBacklog() {
                throw new MusterException("looked in vain");
            }

            @Override
            synchronized void under(List<Outcome> outcomes, int want) {
                written.addAll(outcomes);
            }
        };
        Outcome outcome = new Outcome.Completed(Claims.ordinary(1).ref(), null);
        completer.add(outcome);
        Pump pump = start(1, session);
        await().untilAsserted(() -> {
            synchronized (session) {
                assertThat(written).containsExactly(outcome);
            }
            assertThat(pump.health().detail()).contains("looked in vain");
        });
    }

    @Test
    void anExchangeThatFailsKeepsNeitherRoomNorOutcomes() {
        AtomicInteger tries = new AtomicInteger();
        List<Outcome> written = new ArrayList<>();
        Session session = new Session() {
            @Override
            synchronized void under(List<Outcome> outcomes, int want) {
                switch (tries.incrementAndGet()) {
                    case 1 -> throw new MusterException("no connection");
                    case 2 -> throw new StackOverflowError();
                    default -> {}
                }
                claimingState.suspend();
                written.addAll(outcomes);
            }
        };
        Outcome outcome = new Outcome.Completed(Claims.ordinary(1).ref(), null);
        completer.add(outcome);
        start(1, session);
        await().untilAsserted(() -> {
            synchronized (session) {
                assertThat(written).containsExactly(outcome);
            }
            assertThat(held()).isZero();
        });
    }

    @Test
    void onlyOutcomesThatWereWrittenFreeWhatWaitedForTheirJobs() {
        Outcome written = new Outcome.Completed(Claims.ordinary(1).ref(), null);
        Outcome rejected = new Outcome.Completed(Claims.ordinary(2).ref(), null);
        Outcome deferred = new Outcome.Completed(Claims.ordinary(3).ref(), null);
        AtomicInteger sentAgain = new AtomicInteger();
        List.of(rejected, deferred, written).forEach(completer::add);
        start(1, new Session() {
            @Override
            public Exchange exchange(List<Outcome> outcomes, Want wanted) {
                under(outcomes, wanted.jobs());
                return new Exchange(
                        List.of(),
                        Set.of(rejected.claim()),
                        outcomes.contains(deferred) ? List.of(deferred) : List.of(),
                        false,
                        Optional.empty(),
                        Set.of(),
                        Map.of(),
                        Set.of());
            }

            @Override
            void under(List<Outcome> outcomes, int want) {
                if (outcomes.equals(List.of(deferred))) {
                    sentAgain.incrementAndGet();
                }
            }
        });
        await().untilAsserted(() -> assertThat(sentAgain).hasValueGreaterThan(1));
        assertThat(resolved).containsExactly(written.claim().id());
    }

    /** One goes back and keeps its place; the other was asked to cancel and has ended, although its node has released it. */
    @Test
    void aJobThatEndsAsCancelledWhileItGoesBackLeavesItsPlace() {
        OpenClaim goesBack = Claims.inGroup(1, "key/a/back");
        OpenClaim ends = Claims.inGroup(2, "key/a/cancelled");
        for (OpenClaim claim : List.of(goesBack, ends)) {
            claims.add(claim);
            completer.add(new Outcome.Released(claim.ref()));
        }
        start(1, new Storing(Set.of(ends.ref())));
        await().until(() -> !admitted.isEmpty());
        assertThat(admitted).containsExactly("key/a/cancelled");
    }

    /** Such as all claims of a node that was declared dead. */
    @Test
    void aJobWhoseClaimIsNoLongerInTheTableLeavesItsPlace() {
        OpenClaim failed = Claims.inGroup(1, "key/a/failed");
        OpenClaim cancelled = Claims.inGroup(2, "key/a/cancelled");
        OpenClaim goesBack = Claims.inGroup(3, "key/a/back");
        Map<OpenClaim, Outcome> outcomes = Map.of(
                failed, new Outcome.Failed(failed.ref(), "it may run only once"),
                cancelled, new Outcome.Released(cancelled.ref()),
                goesBack, new Outcome.Released(goesBack.ref()));
        outcomes.forEach(reports::closing);
        outcomes.values().forEach(completer::add);
        start(1, new Storing(Set.of(cancelled.ref())));
        await().until(() -> admitted.size() == 2);
        assertThat(admitted).containsExactlyInAnyOrder("key/a/failed", "key/a/cancelled");
    }

    @Test
    void aJobThatEndsAlthoughItsClaimWasNeverKnownLeavesItsPlace() {
        AtomicBoolean inDoubt = new AtomicBoolean(true);
        ClaimRef pending = Claims.ordinary(1).ref();
        ClaimRef cancelled = Claims.ordinary(2).ref();
        start(1, new Storing(Set.of()) {
            @Override
            public boolean inDoubt() {
                return inDoubt.get();
            }

            @Override
            public List<Recovered> releaseUnknown(Collection<ClaimRef> known) {
                inDoubt.set(false);
                return List.of(recovered(pending, JobStatus.PENDING), recovered(cancelled, JobStatus.CANCELLED));
            }
        });
        await().until(() -> !endedElsewhere.isEmpty());
        assertThat(endedElsewhere).containsExactly(cancelled.id());
    }

    private static Recovered recovered(ClaimRef claim, JobStatus status) {
        return new Recovered(
                claim.id(),
                claim.token(),
                "a",
                new Lane("default", ""),
                "node",
                Duration.ZERO,
                false,
                status,
                1,
                3,
                0,
                null);
    }

    /** Stores every outcome as it is sent, but for jobs that were asked to cancel. */
    private static class Storing extends Session {
        private final Set<ClaimRef> cancelled;

        Storing(Set<ClaimRef> cancelled) {
            this.cancelled = cancelled;
        }

        @Override
        public Exchange exchange(List<Outcome> outcomes, Want wanted) {
            return new Exchange(
                    List.of(),
                    Set.of(),
                    List.of(),
                    true,
                    Optional.empty(),
                    Set.of(),
                    Map.of(),
                    Map.of(),
                    cancelled,
                    Set.of());
        }

        @Override
        void under(List<Outcome> outcomes, int want) {}
    }

    @Test
    void aPumpThatIsInterruptedDoesNotSpinUntilItsTurnComes() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        gate.begin(true);
        start(1, new Session() {
            @Override
            public boolean contended() {
                return true;
            }

            @Override
            public boolean probeBacklog() {
                looks.incrementAndGet();
                Thread.currentThread().interrupt();
                return false;
            }

            @Override
            void under(List<Outcome> outcomes, int want) {}
        });
        await().untilAsserted(() -> assertThat(looks).hasPositiveValue());
        // One look per second, however slow the machine is; one that spins looks thousands of times.
        Periods.nothingHappensFor(
                Duration.ofMillis(200), () -> assertThat(looks).hasValueLessThan(100));
    }

    @Test
    void executorsThatWantJobsTakeTurnsAndOneWithoutRoomIsLeftOut() {
        List<String> turns = new CopyOnWriteArrayList<>();
        Counting full = new Counting();
        List<NodeExecutor> all = List.of(
                executor("one", new Noting("one", turns)),
                executor("other", new Noting("other", turns)),
                executor("full", full));
        all.get(2).held().reserve(16);
        start(1, all);
        await().untilAsserted(() -> assertThat(turns).hasSizeGreaterThan(100));
        pumps.forEach(Pump::stop);
        for (int i = 1; i < 100; i++) {
            assertThat(turns.get(i)).as("turn %d", i).isNotEqualTo(turns.get(i - 1));
        }
        assertThat(full.claims).hasValue(0);

        all.get(2).held().unreserve(16);
        start(1, all);
        await().untilAsserted(() -> assertThat(full.claims).hasPositiveValue());
    }

    @Test
    void outcomesOfAnExecutorMakeNoRoomInAnother() {
        Counting one = new Counting();
        Counting other = new Counting();
        List<NodeExecutor> both = List.of(executor("one", one), executor("other", other));
        both.get(0).held().reserve(16);
        for (int i = 0; i < 100; i++) {
            completer.add(new Outcome.Completed(Claims.ordinary(i).ref(), null));
        }
        start(1, both);
        await().untilAsserted(() -> assertThat(other.claims).hasValueGreaterThan(50));
        assertThat(one.claims).hasValue(0);
        assertThat(completer.isEmpty()).isTrue();
    }

    @Test
    void outcomesOfAnExecutorGiveNoTurnToAnotherThatIsFull() {
        Counting full = new Counting();
        AtomicInteger claims = new AtomicInteger();
        Session fast = new Session() {
            @Override
            void under(List<Outcome> outcomes, int want) {
                claims.addAndGet(want > 0 ? 1 : 0);
                outcomes.forEach(completer::add);
            }
        };
        List<NodeExecutor> both = List.of(executor("full", full), executor("fast", fast));
        List<JobSlot> slots = both.get(0).slots().all();
        for (int i = 0; i < slots.size(); i++) {
            slots.get(i).take(Claims.ordinary(i));
            both.get(0).held().reserve(1);
        }
        completer.add(new Outcome.Completed(Claims.ordinary(100).ref(), null));
        start(1, both);
        await().untilAsserted(() -> assertThat(claims).hasValueGreaterThan(50));
        assertThat(full.exchanges).hasValue(0);
    }

    /** Counts the exchanges, and those that asked for jobs. */
    private static final class Counting extends Session {
        private final AtomicInteger exchanges = new AtomicInteger();
        private final AtomicInteger claims = new AtomicInteger();

        @Override
        void under(List<Outcome> outcomes, int want) {
            exchanges.incrementAndGet();
            if (want > 0) {
                claims.incrementAndGet();
            }
        }
    }

    /** Writes down who asked for jobs. */
    private static final class Noting extends Session {
        private final String name;
        private final List<String> turns;

        Noting(String name, List<String> turns) {
            this.name = name;
            this.turns = turns;
        }

        @Override
        void under(List<Outcome> outcomes, int want) {
            if (want > 0 && turns.size() < 200) {
                turns.add(name);
            }
        }
    }

    /** One pump alone reserves all the room; what both have to do is to write outcomes. */
    private void enoughForBoth() {
        for (int i = 0; i < 3_000; i++) {
            completer.add(new Outcome.Completed(Claims.ordinary(i).ref(), null));
        }
    }

    private NodeExecutor executor(String name, ClaimSession session) {
        return executors.computeIfAbsent(session, own -> TestExecutors.of(name, own, claimingState, completer));
    }

    private Pump start(int count, ClaimSession session) {
        return start(count, List.of(executor("default", session)));
    }

    private Pump start(int count, List<NodeExecutor> claiming) {
        DependencyStore store = (DependencyStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DependencyStore.class}, (p, method, args) -> {
                    assertThat(method.getName()).isIn("resolveSomeDependents", "resolveDependents");
                    (method.getName().equals("resolveDependents") ? endedElsewhere : resolved)
                            .addAll((Collection<?>) args[0]);
                    return Set.of();
                });
        ClaimStore unused = (ClaimStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ClaimStore.class}, (p, method, args) -> {
                    throw new AssertionError("pumps do not use it: " + method);
                });
        OpenWork work =
                new OpenWork(claims, completer, new OpenCompletions(), new JobLogBuffer(unused, Clock.system()));
        Dependents dependents = new Dependents(store, lanes -> {});
        dependents.loop().start();
        loops.add(dependents.loop());
        for (int i = 0; i < count; i++) {
            Pump pump = new Pump(
                    "pump-" + i,
                    new Pump.Shared(claiming, claimingState, (of, exchange, askedAt) -> {}, known, gate),
                    work,
                    new FollowUps(reports, dependents, lanes -> {}, lanes -> {}, admitted::addAll),
                    TelemetryListeners.none(),
                    Clock.system());
            pumps.add(pump);
            pump.start();
        }
        return pumps.get(pumps.size() - 1);
    }

    private int held() {
        return executors.values().stream()
                .mapToInt(executor -> executor.held().get())
                .sum();
    }

    private static void uninterrupted(CountDownLatch latch) {
        try {
            latch.await(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Has no jobs and takes every outcome; says that there may be more, so that pumps keep asking. */
    private abstract static class Session implements ClaimSession {
        private final AtomicLong answers = new AtomicLong();

        /** What happens while an exchange is under way. */
        abstract void under(List<Outcome> outcomes, int want) throws InterruptedException;

        @Override
        public Exchange exchange(List<Outcome> outcomes, Want wanted) {
            try {
                under(outcomes, wanted.jobs());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            answers.incrementAndGet();
            return new Exchange(List.of(), Set.of(), List.of(), false, Optional.empty(), Set.of(), Map.of(), Set.of());
        }

        @Override
        public boolean probeBacklog() {
            return false;
        }

        @Override
        public long answers() {
            return answers.get();
        }

        @Override
        public boolean contended() {
            return false;
        }

        @Override
        public boolean inDoubt() {
            return false;
        }

        @Override
        public List<Recovered> releaseUnknown(Collection<ClaimRef> known) {
            return List.of();
        }

        @Override
        public void wake(Set<Lane> lanes) {}

        @Override
        public Optional<Duration> wakeInTurn(Set<Lane> lanes) {
            return Optional.of(Duration.ZERO);
        }

        @Override
        public int peers() {
            return 1;
        }
    }
}
