package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Muster;
import dev.muster.examples.Counts.Count;
import dev.muster.examples.Greetings.Sleep;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.runtime.DatabaseUnavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/** Finds out whether each node works: jobs that write, and jobs that take so long that no node can do them all. */
final class WorkOfAll {
    private static final int EACH = 6;

    private final Muster client;
    private final String url;

    /** @param url where the outcomes are looked up */
    WorkOfAll(Muster client, String url) {
        this.client = client;
        this.url = url;
    }

    /** Enqueues until each of these nodes has completed new jobs of both kinds. */
    void await(List<String> nodes, Duration limit) {
        List<JobId> jobs = new ArrayList<>();
        Awaitility.await("work of all nodes")
                .atMost(limit)
                .pollInterval(Duration.ofMillis(300))
                .ignoreExceptionsInstanceOf(DatabaseUnavailable.class)
                .untilAsserted(() -> {
                    jobs.addAll(client.jobs().enqueueAll(requests()));
                    assertThat(workers(jobs, "count")).containsAll(nodes);
                    assertThat(workers(jobs, "sleep")).containsAll(nodes);
                });
    }

    /** There may be nobody to take them. */
    void tryEnqueue() {
        try {
            client.jobs().enqueueAll(requests());
        } catch (DatabaseUnavailable e) {
            // The next call tries again.
            return;
        }
    }

    private static List<JobRequest> requests() {
        List<JobRequest> requests = new ArrayList<>();
        for (int i = 0; i < EACH; i++) {
            requests.add(JobRequest.of("count", new Count("k", 30L)));
            requests.add(JobRequest.of("sleep", new Sleep(200)));
        }
        return requests;
    }

    private List<String> workers(List<JobId> jobs, String name) {
        String ids = jobs.stream().map(id -> "'" + id + "'").collect(Collectors.joining(","));
        String all = ReplicaPair.text(
                url,
                "SELECT coalesce(string_agg(DISTINCT node_id, ','), '') FROM muster_job_history WHERE name = '" + name
                        + "' AND status = 'completed' AND id IN (" + ids + ")");
        return List.of(all.split(","));
    }
}
