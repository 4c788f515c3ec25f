package dev.muster.chaos;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.examples.Greetings.MyTask;
import dev.muster.job.JobRequest;
import dev.muster.testkit.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node that starts, runs a job and ends, so that all later nodes of this JVM's tests start with the classes that it has loaded. It
 * pays if a few more follow.
 */
final class TrainedNode {
    private static final Logger log = LoggerFactory.getLogger(TrainedNode.class);
    private static final int WORTHWHILE = 3;
    private static final AtomicInteger LAUNCHED = new AtomicInteger();

    private TrainedNode() {}

    /** Called for each node that tests launch. */
    static void launched() {
        if (LAUNCHED.incrementAndGet() == WORTHWHILE) {
            Thread thread = new Thread(TrainedNode::train, "train-node");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Without the archive nodes start as well, only later. */
    private static void train() {
        try (TestDatabase database = TestDatabase.fromEnv();
                Muster client = Muster.builder()
                        .config(MusterConfig.defaults())
                        .dataSource(database.dataSource())
                        .build()) {
            new Witness(database.url()).prepare().close();
            SharedClasses classes = NodeProcess.sharedClasses();
            List<String> options = new ArrayList<>(ChaosIT.JVM_OPTIONS);
            options.add("-XX:ArchiveClassesAtExit=" + classes.newArchive());
            List<String> arguments = new ArrayList<>(
                    List.of("database.url=" + database.url(), "node.id=trained", "witness=" + database.url()));
            ChaosIT.CALM.forEach((key, value) -> arguments.add(key + "=" + value));
            try (NodeProcess node =
                    NodeProcess.launch(NodeMain.class, options, arguments).awaitReady()) {
                client.jobs().await(client.jobs().enqueue(JobRequest.of("my_task", new MyTask("train"))), ChaosIT.SOON);
                node.terminate();
                node.exitCode(ChaosIT.SOON);
            }
            classes.use();
        } catch (RuntimeException | Error e) {
            log.warn("nodes start without an archive of their classes", e);
        }
    }
}
