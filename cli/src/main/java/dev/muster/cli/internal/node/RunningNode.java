package dev.muster.cli.internal.node;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Muster;
import dev.muster.MusterApp;
import dev.muster.MusterBuilder;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.Logs;
import dev.muster.cli.internal.database.Connections;
import dev.muster.config.GatewayConfig;
import dev.muster.config.MusterConfig;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.runtime.ProcessExit;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node of this process. The applications get their own connection pool, so that handlers waiting for a connection never keep
 * the node from renewing its leases.
 */
final class RunningNode {
    private static final Logger log = LoggerFactory.getLogger(RunningNode.class);

    private final Muster muster;
    private final HikariDataSource appPool;
    private final Runnable afterDrain;
    private volatile boolean drained;

    private RunningNode(Muster muster, HikariDataSource appPool, Runnable afterDrain) {
        this.muster = muster;
        this.appPool = appPool;
        this.afterDrain = afterDrain;
    }

    /**
     * Starts the node. From then on a signal drains it and ends the process with exit code 0. A call of {@code System.exit}
     * drains it as well, but the exit code is always 1, so that a supervisor restarts the node.
     *
     * @param afterDrain called once the node has left
     */
    static RunningNode start(MusterConfig config, Connections connections, List<MusterApp> apps, Runnable afterDrain) {
        HikariDataSource pool = connections.pool("app", config.database().poolSize());
        MusterBuilder builder = Muster.builder().config(config).listen();
        apps.forEach(app -> {
            // The application may call version() itself, which overrides this.
            builder.versionOf(app.getClass());
            app.register(builder, pool);
        });
        Muster muster = builder.build();
        Logs.node(muster.nodeId(), config.node().name());
        RunningNode node = new RunningNode(muster, pool, afterDrain);
        Thread drain = new Thread(node::drainAndHalt, "drain");
        Runtime.getRuntime().addShutdownHook(drain);
        try {
            muster.start();
            apps.forEach(app -> tellStarted(app, muster));
        } catch (RuntimeException | Error e) {
            node.giveUp(drain, e);
            throw e;
        }
        log.info(
                "ready concurrency={} pid={}",
                config.worker().concurrency(),
                ProcessHandle.current().pid());
        return node;
    }

    /** Any exception counts as a failure of the application, not of the settings or the database connection. */
    private static void tellStarted(MusterApp app, Muster muster) {
        try {
            app.started(muster);
        } catch (RuntimeException | Error e) {
            String name = app.getClass().getName();
            log.error("started() of {} failed", name, e);
            throw CommandFailed.failed("started() of " + name + " failed: " + e, e);
        }
    }

    String id() {
        return muster.nodeId();
    }

    /** Where the node's gateway listens. */
    String address() {
        GatewayConfig gateway = muster.api(NodeContext.class).config().gateway();
        return (gateway.tlsCertificate().isPresent() ? "https" : "http") + "://" + gateway.host() + ":"
                + muster.ports().get(0);
    }

    /** Waits until the node has left the cluster because an operator drained it; a signal ends the process before that. */
    int untilDrained() {
        muster.awaitDrained();
        drained = true;
        return ExitCode.DONE;
    }

    private void giveUp(Thread drain, Throwable reason) {
        try {
            Runtime.getRuntime().removeShutdownHook(drain);
        } catch (IllegalStateException e) {
            // The process is ending already; the shutdown hook does the rest.
            return;
        }
        try {
            muster.close();
            appPool.close();
        } catch (RuntimeException e) {
            reason.addSuppressed(e);
        }
    }

    private void drainAndHalt() {
        // Only the main thread may call System.exit, after the node has left.
        Optional<Thread> exits = drained ? Optional.empty() : ProcessExit.caller();
        int exitCode = exits.isPresent() ? ExitCode.FAILED : ExitCode.DONE;
        try {
            exits.ifPresent(thread -> log.error("thread={} called System.exit; the node ends", thread.getName()));
            log.info("draining");
            // The order of the steps is in Node.drain.
            muster.close();
            appPool.close();
            afterDrain.run();
            log.info("stopped");
        } catch (RuntimeException e) {
            log.error("stopping failed: {}", e.getMessage());
            exitCode = ExitCode.FAILED;
        }
        // The default exit code after a signal would look like a failure.
        Runtime.getRuntime().halt(exitCode);
    }
}
