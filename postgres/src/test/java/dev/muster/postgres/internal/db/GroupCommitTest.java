package dev.muster.postgres.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.runtime.DatabaseUnavailable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A group of something else than jobs: permits of a key, whose answer says how many are left. */
class GroupCommitTest {
    private static final int CALLERS = 8;

    private record Permits(String key, int count) {}

    private static final class MayBeTaken extends DatabaseUnavailable {
        private static final long serialVersionUID = 1L;
        private final transient List<Permits> items;

        MayBeTaken(List<Permits> items, Throwable cause) {
            super("the permits may or may not have been taken", cause);
            this.items = items;
        }
    }

    /** Takes permits of keys with a hundred each. A negative count is refused, with all that was to be written with it. */
    private static final class Buckets implements GroupCommit.Work<Permits, Integer> {
        final Map<String, Integer> left = new HashMap<>();
        final List<Integer> groups = new ArrayList<>();
        final CountDownLatch firstWrites = new CountDownLatch(1);
        final CountDownLatch go = new CountDownLatch(1);
        boolean loseAnswers;
        boolean forgetOne;
        int charactersEach;

        @Override
        public List<Integer> write(List<Permits> items, boolean doubt) {
            firstWrites.countDown();
            awaitGo();
            groups.add(items.size());
            if (loseAnswers) {
                throw new MayBeTaken(items, new IllegalStateException("lost"));
            }
            if (items.stream().anyMatch(item -> item.count() < 0)) {
                throw new IllegalArgumentException("a negative count");
            }
            return items.stream()
                    .skip(forgetOne && items.size() > 1 ? 1 : 0)
                    .map(item -> left.merge(item.key(), 100 - item.count(), (old, n) -> old - item.count()))
                    .toList();
        }

        private void awaitGo() {
            try {
                assertThat(go.await(2, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public boolean leavesDoubt(RuntimeException e) {
            return e instanceof MayBeTaken;
        }

        @Override
        public RuntimeException inDoubt(List<Permits> items, RuntimeException e) {
            return new MayBeTaken(items, e);
        }

        @Override
        public int characters(Permits item) {
            return charactersEach;
        }
    }

    private final Buckets buckets = new Buckets();
    private final GroupCommit<Permits, Integer> group = new GroupCommit<>(buckets);
    private final ExecutorService pool = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        pool.shutdownNow();
    }

    @Test
    void callersGetTheirOwnAnswersFromOneWriteForAll() throws Exception {
        List<Future<List<Integer>>> answers = callBehindOneThatWrites(caller -> new Permits("key" + caller, caller));
        for (int caller = 0; caller < CALLERS; caller++) {
            assertThat(answers.get(caller).get(2, TimeUnit.MINUTES)).containsExactly(100 - caller);
        }
        assertThat(buckets.groups).containsExactly(1, CALLERS);
    }

    @Test
    void onlyTheCallerWhoseItemIsRefusedFails() throws Exception {
        List<Future<List<Integer>>> answers =
                callBehindOneThatWrites(caller -> new Permits("key" + caller, caller == 3 ? -1 : 1));
        for (int caller = 0; caller < CALLERS; caller++) {
            Future<List<Integer>> answer = answers.get(caller);
            if (caller == 3) {
                assertThat(failure(answer)).isInstanceOf(IllegalArgumentException.class);
            } else {
                assertThat(answer.get(2, TimeUnit.MINUTES)).containsExactly(99);
            }
        }
    }

    @Test
    void ifTheAnswerIsLostEachCallerIsToldAboutItsOwnItems() throws Exception {
        buckets.loseAnswers = true;
        List<Future<List<Integer>>> answers = callBehindOneThatWrites(caller -> new Permits("key" + caller, 1));
        for (int caller = 0; caller < CALLERS; caller++) {
            String key = "key" + caller;
            assertThat(failure(answers.get(caller)))
                    .isInstanceOfSatisfying(
                            MayBeTaken.class,
                            e -> assertThat(e.items).extracting(Permits::key).containsExactly(key));
        }
    }

    @Test
    void itemsAreNotWrittenAgainBecauseAResultIsMissing() throws Exception {
        buckets.forgetOne = true;
        for (Future<List<Integer>> answer : callBehindOneThatWrites(caller -> new Permits("key" + caller, 1))) {
            assertThat(failure(answer)).isInstanceOf(IllegalStateException.class);
        }
        assertThat(buckets.groups).containsExactly(1, CALLERS);
    }

    @Test
    void groupsAreLimitedByTheSizeOfTheirItems() throws Exception {
        buckets.charactersEach = 1 << 19;
        List<Future<List<Integer>>> answers = callBehindOneThatWrites(caller -> new Permits("key" + caller, 1));
        for (Future<List<Integer>> answer : answers) {
            answer.get(2, TimeUnit.MINUTES);
        }
        assertThat(buckets.groups).allSatisfy(size -> assertThat(size).isLessThanOrEqualTo(2));
    }

    private interface Item {
        Permits of(int caller);
    }

    /** Calls by as many threads, all of which wait while another one writes. */
    private List<Future<List<Integer>>> callBehindOneThatWrites(Item item) throws Exception {
        Future<List<Integer>> first = pool.submit(() -> group.write(List.of(new Permits("first", 1))));
        assertThat(buckets.firstWrites.await(2, TimeUnit.MINUTES)).isTrue();
        List<Thread> threads = new ArrayList<>();
        List<Future<List<Integer>>> answers = new ArrayList<>();
        AtomicInteger started = new AtomicInteger();
        for (int caller = 0; caller < CALLERS; caller++) {
            Permits permits = item.of(caller);
            answers.add(pool.submit(() -> {
                synchronized (threads) {
                    threads.add(Thread.currentThread());
                }
                started.incrementAndGet();
                return group.write(List.of(permits));
            }));
        }
        Awaitility.await().until(() -> started.get() == CALLERS && allWait(threads));
        buckets.go.countDown();
        if (!buckets.loseAnswers) {
            first.get(2, TimeUnit.MINUTES);
        }
        return answers;
    }

    private static boolean allWait(List<Thread> threads) {
        synchronized (threads) {
            return threads.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING);
        }
    }

    private static Throwable failure(Future<?> answer) throws InterruptedException {
        try {
            answer.get(2, TimeUnit.MINUTES);
            throw new AssertionError("it did not fail");
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (TimeoutException e) {
            throw new AssertionError(e);
        }
    }
}
