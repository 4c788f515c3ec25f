package dev.muster.contracts.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimSession.Exchange;
import dev.muster.internal.job.store.ClaimStore.Start;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.job.store.RecoveryStore.Recovered;
import dev.muster.internal.provider.Store;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** What the contracts about jobs share. */
abstract class JobStoreContract extends PortContract {
    static final Duration LEASE = Duration.ofSeconds(30);
    static final Duration EXPIRED = Duration.ofMillis(-1);
    static final Lane DEFAULT = new Lane("default", "");

    List<Recovered> recoverExpired() {
        return inTransaction(tx -> store().recovery().recoverExpired(tx, 10, true));
    }

    static NewJob job(String name) {
        return JobDraft.plain(name);
    }

    ClaimSession claims(String node) {
        return claims(node, LEASE);
    }

    ClaimSession claims(String node, Duration lease) {
        return claims(store(), node, lease);
    }

    /** The claims of a node that has its own store, and so its own sessions. */
    ClaimSession claimsOfAnotherStore(String node) {
        return claims(anotherNode(), node, LEASE);
    }

    private static ClaimSession claims(Store store, String node, Duration lease) {
        return store.claims().openClaims(new ClaimFilter(node, null, Set.of("general"), null, lease));
    }

    JobId enqueue(NewJob job) {
        return store().jobs().enqueue(List.of(job)).get(0);
    }

    ClaimedJob claimOne(String node, Duration lease) {
        List<ClaimedJob> claimed = claims(node, lease).exchange(List.of(), 1).claimed();
        assertThat(claimed).hasSize(1);
        return claimed.get(0);
    }

    Exchange write(Outcome... outcomes) {
        return claims("writer").exchange(List.of(outcomes), 0);
    }

    JobInfo find(JobId id) {
        return store().jobReader().find(id).orElseThrow();
    }

    /** A node claims this many jobs, records that they run, and dies. */
    void dieRunning(int jobs) {
        store().claims()
                .markRunning(claims("dead", EXPIRED).exchange(List.of(), jobs).claimed().stream()
                        .map(job -> new Start(job.claim(), 3, 5, 0))
                        .toList());
        assertThat(recoverExpired()).hasSize(jobs);
    }

    /** Runs a task on this many threads at once, and throws the first failure. */
    static <T> void inParallel(int threads, IntFunction<T> task) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            CountDownLatch start = new CountDownLatch(1);
            List<Future<T>> results = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int number = i;
                Callable<T> call = () -> {
                    start.await();
                    return task.apply(number);
                };
                results.add(pool.submit(call));
            }
            start.countDown();
            for (Future<T> result : results) {
                result.get(2, TimeUnit.MINUTES);
            }
        } finally {
            pool.shutdownNow();
        }
    }
}
