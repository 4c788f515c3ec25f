package dev.muster.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.muster.Muster;
import dev.muster.daemon.Daemon;
import dev.muster.daemon.DaemonContext;
import dev.muster.engine.EngineIT;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Runs alone: it listens to the loggers of the whole process. */
@Isolated
class LogContextIT extends EngineIT {
    private static final Map<String, String> NAMED = Map.of("node.name", "Shop", "worker.concurrency", "1");

    static final class Handlers {
        final Queue<Map<String, String>> jobs = new ConcurrentLinkedQueue<>();
        final CompletableFuture<Map<String, String>> daemon = new CompletableFuture<>();

        /** Leaves a key behind, as a careless library might. */
        @Job("careless")
        void careless(JobContext ctx) {
            jobs.add(Map.copyOf(MDC.getCopyOfContextMap()));
            MDC.clear();
            MDC.put("tenant", "left behind");
        }

        @Daemon(name = "feed")
        void feed(DaemonContext ctx) {
            daemon.complete(Map.copyOf(MDC.getCopyOfContextMap()));
            ctx.awaitShutdown(Duration.ofHours(1));
        }
    }

    @Test
    void handlersAndDaemonsFindTheirNodeInTheMdc() throws Exception {
        Handlers handlers = new Handlers();
        Muster node = node(NAMED, handlers);
        List<String> ids = List.of(
                ended(node, node.jobs().enqueue(JobRequest.of("careless"))).id().toString(),
                ended(node, node.jobs().enqueue(JobRequest.of("careless"))).id().toString());

        assertThat(handlers.jobs)
                .containsExactlyElementsOf(ids.stream()
                        .map(id -> Map.of(
                                "node", node.nodeId(),
                                "node_name", "Shop",
                                "component", "job",
                                "job", id,
                                "job_name", "careless"))
                        .toList());
        assertThat(handlers.daemon.get(90, TimeUnit.SECONDS))
                .isEqualTo(Map.of("node", node.nodeId(), "node_name", "Shop", "component", "daemon", "daemon", "feed"));
    }

    @Test
    void everyLineOfTheEnginesThreadsNamesNodeAndComponent() throws Exception {
        Lines lines = new Lines();
        Logger logger = (Logger) LoggerFactory.getLogger("dev.muster");
        Level before = logger.getLevel();
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.INFO);
        String id;
        try {
            Muster node = node(NAMED, new Handlers());
            id = node.nodeId();
            ended(node, node.jobs().enqueue(JobRequest.of("careless")));
            await().until(() -> lines.components().contains("daemons"));
            node.close();
        } finally {
            logger.setLevel(before);
            logger.detachAppender(lines);
        }
        assertThat(lines.components()).contains("node", "daemons");
        assertThat(lines.events)
                .allSatisfy(event -> assertThat(event.getMDCPropertyMap())
                        .as(event.getThreadName() + ": " + event.getFormattedMessage())
                        .containsEntry("node", id)
                        .containsEntry("node_name", "Shop")
                        .containsKey("component"));
        assertThat(MDC.get("node")).isNull();
    }

    private static final class Lines extends AppenderBase<ILoggingEvent> {
        final Queue<ILoggingEvent> events = new ConcurrentLinkedQueue<>();

        List<String> components() {
            return events.stream()
                    .map(event -> String.valueOf(event.getMDCPropertyMap().get("component")))
                    .toList();
        }

        @Override
        protected void append(ILoggingEvent event) {
            event.prepareForDeferredProcessing();
            events.add(event);
        }
    }
}
