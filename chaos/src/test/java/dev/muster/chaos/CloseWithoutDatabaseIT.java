package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.daemon.Daemon;
import dev.muster.daemon.DaemonContext;
import dev.muster.job.Job;
import dev.muster.testing.Measured;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Closing a node whose database takes everything and answers nothing. */
class CloseWithoutDatabaseIT extends ChaosIT {
    private static final Duration DRAIN = Duration.ofSeconds(2);

    static final class Handlers {
        final CountDownLatch running = new CountDownLatch(1);
        final CountDownLatch never = new CountDownLatch(1);
        final CountDownLatch interrupted = new CountDownLatch(1);

        @Job("busy")
        void busy() throws InterruptedException {
            running.countDown();
            try {
                never.await();
            } finally {
                interrupted.countDown();
            }
        }

        @Daemon
        void feed(DaemonContext ctx) {
            ctx.awaitShutdown(Duration.ofMinutes(10));
        }
    }

    @Test
    void takesTheDrainTimeoutAndAFewSecondsAtMost() throws Exception {
        Handlers handlers = new Handlers();
        try (TcpProxy proxy = new TcpProxy(serverPort())) {
            Muster node = Muster.builder()
                    .config(MusterConfig.defaults())
                    .database(proxy.url(database.url()))
                    .set("worker.drain_timeout", DRAIN.toSeconds() + "s")
                    .register(handlers)
                    .build();
            node.start();
            node.jobs().enqueue("busy", null);
            handlers.running.await();
            await().until(() -> database.number("SELECT count(*) FROM muster_daemons WHERE status = 'running'") == 1);

            proxy.freeze();
            long began = System.nanoTime();
            node.close();

            Measured.within(
                    DRAIN.plusSeconds(8),
                    Duration.ofNanos(System.nanoTime() - began),
                    "the end of a node whose database does not answer");
            assertThat(handlers.interrupted.getCount())
                    .as("handlers still running, not told to stop")
                    .isZero();
        }
    }
}
