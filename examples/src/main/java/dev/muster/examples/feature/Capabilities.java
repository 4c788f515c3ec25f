package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import java.io.PrintStream;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A job that names a capability runs only on nodes that have it, although all nodes have the handler.
 *
 * <pre>
 * "rendered on gpu-node"
 * </pre>
 */
final class Capabilities implements Example {

    @Job(value = "render", capability = "gpu")
    String render(JobContext ctx) {
        return "rendered on " + ctx.nodeId();
    }

    private Muster node(DataSource database, String id, String capabilities) {
        return Muster.builder()
                .dataSource(database)
                .set("node.id", id)
                .set("node.capabilities", capabilities)
                .register(this)
                .build();
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster general = node(database, "general-node", "general");
                Muster gpu = node(database, "gpu-node", "general,gpu")) {
            general.start();
            JobId id = general.jobs().enqueue(JobRequest.of("render"));
            gpu.start();
            out.println(
                    general.jobs().await(id, Duration.ofSeconds(30)).result().orElseThrow());
        }
    }
}
