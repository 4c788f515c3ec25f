package dev.muster.ratelimit;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;

/** Nodes that are built and not started, each with a pool of its own, and threads that call for permits. */
final class RateLimitedNodes implements AutoCloseable {
    /** Its edge comes once a year, so that no test meets it. */
    static final Duration WINDOW = Duration.ofDays(366);

    private final List<HikariDataSource> pools = new ArrayList<>();
    private final List<Muster> nodes = new ArrayList<>();

    RateLimitedNodes(String url, String mode, int count, ToLongFunction<Integer> clockOffset) {
        this(url, mode, count, clockOffset, Duration.ofMinutes(1));
    }

    /** @param patience how long a call waits for a connection */
    RateLimitedNodes(String url, String mode, Duration patience) {
        this(url, mode, 1, node -> 0, patience);
    }

    private RateLimitedNodes(
            String url, String mode, int count, ToLongFunction<Integer> clockOffset, Duration patience) {
        for (int i = 0; i < count; i++) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(url);
            config.setMaximumPoolSize(3);
            config.setMinimumIdle(0);
            config.setConnectionTimeout(patience.toMillis());
            HikariDataSource pool = new HikariDataSource(config);
            pools.add(pool);
            int number = i;
            Clock clock = () -> System.nanoTime() + clockOffset.applyAsLong(number);
            nodes.add(Muster.builder()
                    .config(MusterConfig.defaults().with("rate_limit.mode", mode))
                    .dataSource(pool)
                    .clock(clock)
                    .build());
        }
    }

    RateLimitedNodes(String url, String mode, int count) {
        this(url, mode, count, node -> 0);
    }

    RateLimits get(int node) {
        return nodes.get(node).rateLimits();
    }

    /** Ends a node as the end of its process does: its connections break, whatever they are doing. */
    void kill(int node) {
        pools.get(node).close();
    }

    /** @param lost calls whose outcome is not known */
    record Result(int allowed, int refused, int lost) {
        Result and(Result other) {
            return new Result(allowed + other.allowed, refused + other.refused, lost + other.lost);
        }
    }

    /** The nodes call at the same time, with several threads each, this many times in all. */
    Result call(RateKey key, RateLimit limit, int calls, int threadsOfNode) {
        return call(key, limit, calls, threadsOfNode, () -> true);
    }

    /** @param goOn asked before each call of a thread that is not the first */
    Result call(RateKey key, RateLimit limit, int calls, int threadsOfNode, BooleanSupplier goOn) {
        ExecutorService threads = Executors.newFixedThreadPool(nodes.size() * threadsOfNode);
        try {
            List<Future<Result>> results = new ArrayList<>();
            int each = calls / (nodes.size() * threadsOfNode);
            for (Muster node : nodes) {
                for (int i = 0; i < threadsOfNode; i++) {
                    results.add(threads.submit(() -> callAlone(node.rateLimits(), key, limit, each, goOn)));
                }
            }
            Result all = new Result(0, 0, 0);
            for (Future<Result> result : results) {
                all = all.and(result.get());
            }
            return all;
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        } finally {
            threads.shutdownNow();
        }
    }

    static Result callAlone(RateLimits limits, RateKey key, RateLimit limit, int calls) {
        return callAlone(limits, key, limit, calls, () -> true);
    }

    private static Result callAlone(RateLimits limits, RateKey key, RateLimit limit, int calls, BooleanSupplier goOn) {
        int allowed = 0;
        int lost = 0;
        int done = 0;
        while (done < calls && (done == 0 || goOn.getAsBoolean())) {
            done++;
            try {
                allowed += limits.tryAcquire(key, limit).allowed() ? 1 : 0;
            } catch (DatabaseUnavailable e) {
                lost++;
            }
        }
        return new Result(allowed, done - allowed - lost, lost);
    }

    @Override
    public void close() {
        nodes.forEach(Muster::close);
        pools.forEach(HikariDataSource::close);
    }
}
