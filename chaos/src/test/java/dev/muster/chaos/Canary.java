package dev.muster.chaos;

import dev.muster.testing.Periods;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;

/**
 * Somebody with a key of its own who asks a gateway for the same things every 50 ms: a list, a new job, and whether it is ready. While it waits for an
 * answer it sends nothing else of that kind; the requests that were due meanwhile count as if they had been sent, so that a gateway that stands still
 * is noticed as often as it would be by many callers.
 */
final class Canary {
    private static final Duration PERIOD = Duration.ofMillis(50);

    /** After this time a request has failed. */
    static final Duration DEADLINE = Duration.ofSeconds(10);

    private final int port;
    private final Map<String, byte[]> requests = new TreeMap<>();
    private final byte[] metrics;

    Canary(int port, String key) {
        this.port = port;
        this.metrics = HttpBytes.request("GET", "/_api/metrics", key, null);
        requests.put("list", HttpBytes.request("GET", "/_api/jobs?limit=20", key, null));
        requests.put("enqueue", HttpBytes.request("POST", "/_api/jobs", key, "{\"name\":\"greet\"}"));
        requests.put("ready", HttpBytes.request("GET", "/_api/ready", null, null));
    }

    /**
     * What one request got.
     *
     * @param due when it was sent or due, by {@link System#nanoTime}
     * @param status 0 if there was no answer
     */
    record Look(String what, long due, Duration took, int status) {
        boolean isGood() {
            return status / 100 == 2;
        }

        /** Whether the gateway said that it has too much to do. */
        boolean isRefusal() {
            return status == 429 || status == 503;
        }
    }

    /** Looks for so long. */
    List<Look> lookFor(Duration period) throws InterruptedException {
        long end = System.nanoTime() + period.toNanos();
        return together((what, request) -> look(what, request, end));
    }

    /** Sends each request so often, and waits for its answer as long as it takes. */
    List<Look> look(int times) throws InterruptedException {
        return together((what, request) -> {
            List<Look> looks = new ArrayList<>();
            for (int i = 0; i < times; i++) {
                long sent = System.nanoTime();
                int status = 0;
                try (HttpBytes connection = HttpBytes.to(port)) {
                    status = connection.send(request);
                } catch (IOException e) {
                    // There was no answer.
                }
                looks.add(new Look(what, sent, Duration.ofNanos(System.nanoTime() - sent), status));
            }
            return looks;
        });
    }

    /** How many requests the gateway handles, without the one that asks. */
    int requestsInFlight() throws IOException {
        try (HttpBytes connection = HttpBytes.to(port)) {
            return connection
                            .text(metrics)
                            .lines()
                            .filter(line -> line.startsWith("muster_http_requests_in_flight"))
                            .mapToInt(line -> (int) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                            .sum()
                    - 1;
        }
    }

    private List<Look> together(BiFunction<String, byte[], List<Look>> looking) throws InterruptedException {
        List<Look> all = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        requests.forEach((what, request) -> threads.add(new Thread(
                () -> {
                    List<Look> own = looking.apply(what, request);
                    synchronized (all) {
                        all.addAll(own);
                    }
                },
                "canary-" + what)));
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        return all;
    }

    private List<Look> look(String what, byte[] request, long end) {
        List<Look> looks = new ArrayList<>();
        HttpBytes connection = null;
        for (long due = System.nanoTime(); due - end < 0; due = Math.max(due + PERIOD.toNanos(), System.nanoTime())) {
            Periods.work(Duration.ofNanos(due - System.nanoTime()));
            long sent = System.nanoTime();
            int status = 0;
            try {
                if (connection == null || connection.isClosing()) {
                    close(connection);
                    connection = HttpBytes.to(port, DEADLINE);
                }
                status = connection.send(request);
            } catch (IOException e) {
                close(connection);
                connection = null;
            }
            Duration took = Duration.ofNanos(System.nanoTime() - sent);
            looks.add(new Look(what, sent, took, status));
            for (Duration rest = took.minus(PERIOD); rest.compareTo(PERIOD) > 0; rest = rest.minus(PERIOD)) {
                looks.add(new Look(what, sent + took.minus(rest).toNanos(), rest, status));
            }
        }
        close(connection);
        return looks;
    }

    private static void close(HttpBytes connection) {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
