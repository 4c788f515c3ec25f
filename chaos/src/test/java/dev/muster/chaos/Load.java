package dev.muster.chaos;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.examples.Counts.Count;
import dev.muster.examples.Greetings.MyTask;
import dev.muster.examples.Greetings.Sleep;
import dev.muster.examples.Misbehaving.Flaky;
import dev.muster.internal.runtime.Loop;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.runtime.DatabaseUnavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Enqueues jobs of all kinds without pause, and keeps count of those that were acknowledged. */
final class Load implements AutoCloseable {
    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final int ENOUGH = 40;

    private final HikariDataSource pool;
    private final Muster client;
    private final Set<JobId> acknowledged = ConcurrentHashMap.newKeySet();
    private final Loop loop = new Loop("load", this::enqueue);
    private List<JobRequest> unacknowledged = List.of();
    private int number;

    Load(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMinimumIdle(0);
        config.setMaximumPoolSize(3);
        config.setConnectionTimeout(1_000);
        config.setInitializationFailTimeout(-1);
        pool = new HikariDataSource(config);
        client = Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(pool)
                .build();
    }

    void start() {
        loop.start();
    }

    /** Repeats what may not have been written, with the same ids, until it is acknowledged. */
    private Duration enqueue() {
        if (unacknowledged.isEmpty()) {
            unacknowledged = nextRequests();
        }
        acknowledged.addAll(client.jobs().enqueueAll(unacknowledged));
        unacknowledged = List.of();
        return PAUSE;
    }

    private List<JobRequest> nextRequests() {
        List<JobRequest> requests = new ArrayList<>(List.of(
                JobRequest.of("my_task", new MyTask("task " + number)),
                JobRequest.of("sleep", new Sleep(20)),
                JobRequest.of("count", new Count("count " + number, null))));
        if (number % 10 == 0) {
            // Long enough to be shown as running: these could be charged with a crash.
            requests.add(JobRequest.of("sleep", new Sleep(1_500)));
            requests.add(JobRequest.of("flaky", new Flaky(1)));
        }
        number++;
        return requests.stream().map(request -> request.id(JobId.next())).toList();
    }

    /** Waits until a number of jobs that were enqueued after this call have completed. */
    void awaitMoreCompleted(Duration limit) {
        Set<JobId> before = Set.copyOf(acknowledged);
        await("completions")
                .atMost(limit)
                .pollInterval(Duration.ofMillis(100))
                .ignoreExceptionsInstanceOf(DatabaseUnavailable.class)
                .until(() -> completed().keySet().stream()
                                .filter(id -> !before.contains(id))
                                .count()
                        >= ENOUGH);
    }

    private Map<JobId, JobInfo> completed() {
        return client.jobs().list(JobQuery.all().status(JobStatus.COMPLETED).limit(10_000)).stream()
                .collect(Collectors.toMap(JobInfo::id, job -> job));
    }

    /** Stops, waits until every acknowledged job has ended, and returns them all. */
    Map<JobId, JobInfo> finish() {
        loop.stop();
        Map<JobId, JobInfo> jobs = new HashMap<>();
        await("the end of all jobs").atMost(Duration.ofSeconds(90)).until(() -> {
            for (JobId id : acknowledged) {
                if (!jobs.containsKey(id)) {
                    client.jobs()
                            .find(id)
                            .filter(job -> job.status().isTerminal())
                            .ifPresent(job -> jobs.put(id, job));
                }
            }
            return jobs.keySet().containsAll(acknowledged);
        });
        return jobs;
    }

    @Override
    public void close() {
        loop.stop();
        client.close();
        pool.close();
    }
}
