package dev.muster.spring.internal;

import dev.muster.Muster;
import dev.muster.internal.node.NodeContext;
import dev.muster.runtime.Health;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.SmartLifecycle;

/**
 * Lets the application's node join the cluster after the web server has started, and leave it before the web server stops: so requests can
 * still enqueue while the node drains. The bean of the Muster closes it in the end.
 *
 * <p>The context waits for a phase only for {@code spring.lifecycle.timeout-per-shutdown-phase}. A node that drains for longer would have
 * jobs running while their beans are destroyed, so that is refused.
 */
public final class MusterLifecycle implements SmartLifecycle, SmartInitializingSingleton, DisposableBean {
    private static final Logger log = LoggerFactory.getLogger(MusterLifecycle.class);

    /** Later than the phases of the web server and of its graceful shutdown, which Spring Boot counts back from the last phase. */
    public static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 512;

    /** How much longer than {@code worker.drain_timeout} a drain may take. */
    static final Duration MARGIN = Duration.ofSeconds(5);

    private final Muster muster;
    private final HandlerBeans handlers;
    private final boolean autoStartup;
    private final boolean keepAlive;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Duration phaseTimeout;
    private final Duration drainOfGateway;
    private volatile boolean running;
    private volatile boolean joined;

    MusterLifecycle(
            Muster muster,
            HandlerBeans handlers,
            boolean autoStartup,
            boolean keepAlive,
            Duration phaseTimeout,
            Duration drainOfGateway) {
        this.muster = muster;
        this.handlers = handlers;
        this.autoStartup = autoStartup;
        this.keepAlive = keepAlive;
        this.phaseTimeout = phaseTimeout;
        this.drainOfGateway = drainOfGateway;
    }

    /** All beans exist now, and the web server has not started. */
    @Override
    public void afterSingletonsInstantiated() {
        handlers.check();
        checkTimeouts();
    }

    private void checkTimeouts() {
        Duration jobs = muster.api(NodeContext.class).config().worker().drainTimeout();
        if (jobs.plus(drainOfGateway).plus(MARGIN).compareTo(phaseTimeout) > 0) {
            throw new MusterException("muster.worker.drain-timeout is " + text(jobs)
                    + (drainOfGateway.isZero() ? "" : ", the gateway drains for up to " + text(drainOfGateway))
                    + ", and the node needs up to " + text(MARGIN) + " more to leave, but Spring waits only "
                    + text(phaseTimeout)
                    + " for it (spring.lifecycle.timeout-per-shutdown-phase): beans would be destroyed while"
                    + " jobs use them. Raise the one, or lower the other");
        }
    }

    private static String text(Duration duration) {
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + "s" : duration.toMillis() + "ms";
    }

    @Override
    public boolean isAutoStartup() {
        return autoStartup;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** @throws MusterException if the node was stopped before: a node starts once */
    @Override
    public void start() {
        muster.start();
        joined = true;
        running = true;
        if (keepAlive) {
            // The node's own threads let the JVM end.
            Thread thread = new Thread(this::awaitStop, "muster-keep-alive");
            thread.setDaemon(false);
            thread.start();
        }
        log.info("node={} runs in this application", muster.nodeId());
    }

    /**
     * What the node says of itself. A node that joins with the application is not healthy before it has joined: the web server answers
     * earlier, while Muster's tables may not even exist.
     */
    public Health health() {
        return autoStartup && !joined ? Health.failing("this node has not joined the cluster yet") : muster.health();
    }

    private void awaitStop() {
        try {
            stopped.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void stop() {
        running = false;
        try {
            muster.drain();
        } finally {
            stopped.countDown();
        }
    }

    /** A context whose start failed later destroys its beans, whether it has stopped them or not. */
    @Override
    public void destroy() {
        stopped.countDown();
    }

    /** Drains on a thread of its own, so that other beans of the same phase stop meanwhile. */
    @Override
    public void stop(Runnable callback) {
        Thread thread = new Thread(
                () -> {
                    try {
                        stop();
                    } finally {
                        callback.run();
                    }
                },
                "muster-drain");
        thread.setDaemon(true);
        thread.start();
    }

    /** Spring 7 asks this: a test context that is not in use for a while would be stopped and started again, but a node starts once. */
    public boolean isPauseable() {
        return false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
