package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobRequest;
import java.io.PrintStream;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * One node is kept for urgent jobs, so that long reports on another node cannot hold them up. A node serves all queues
 * unless its settings name some.
 *
 * <pre>
 * urgent: "ran on urgent-node"
 * reports: "ran on report-node"
 * </pre>
 */
final class DedicatedNode implements Example {

    @Job("work")
    String work(JobContext ctx) {
        return "ran on " + ctx.nodeId();
    }

    private Muster node(DataSource database, String id, String queues) {
        return Muster.builder()
                .dataSource(database)
                .set("node.id", id)
                .set("node.queues", queues)
                .register(this)
                .build();
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster urgent = node(database, "urgent-node", "urgent");
                Muster reports = node(database, "report-node", "reports,default")) {
            urgent.start();
            reports.start();
            for (String queue : new String[] {"urgent", "reports"}) {
                var id = urgent.jobs().enqueue(JobRequest.of("work").queue(queue));
                var job = urgent.jobs().await(id, Duration.ofSeconds(30));
                out.println(queue + ": " + job.result().orElseThrow());
            }
        }
    }
}
