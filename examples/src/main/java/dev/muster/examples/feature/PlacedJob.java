package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/**
 * A request says which nodes may run its job: by capabilities, by labels, by name.
 *
 * <pre>
 * "trained on eu-2"
 * </pre>
 */
final class PlacedJob implements Example {

    @Job("train")
    String train(JobContext ctx) {
        return "trained on " + ctx.nodeId();
    }

    private Muster node(DataSource database, String id, String zone) {
        Muster node = Muster.builder()
                .dataSource(database)
                .set("node.id", id)
                .set("node.capabilities", "general,gpu")
                .set("node.labels", "zone=" + zone)
                .register(this)
                .build();
        node.start();
        return node;
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        List<Muster> nodes =
                List.of(node(database, "eu-1", "eu"), node(database, "eu-2", "eu"), node(database, "us-1", "us"));
        try {
            Jobs jobs = nodes.get(0).jobs();
            JobId id = jobs.enqueue(
                    JobRequest.of("train").require("gpu", "zone=eu").notOnNodes("eu-1"));
            out.println(jobs.await(id, Duration.ofSeconds(30)).result().orElseThrow());
        } finally {
            nodes.forEach(Muster::close);
        }
    }
}
