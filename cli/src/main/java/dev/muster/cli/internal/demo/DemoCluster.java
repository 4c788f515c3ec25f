package dev.muster.cli.internal.demo;

import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.cli.internal.console.Terminal;
import dev.muster.cli.internal.database.Session;
import dev.muster.cluster.NodeInfo;
import dev.muster.config.MusterConfig;
import dev.muster.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The database and the node processes. Closing it leaves nothing behind. */
final class DemoCluster implements AutoCloseable {
    /** Short times, so that the recovery does not take half a minute. */
    private static final Map<String, String> SETTINGS = Map.of(
            "worker.lease", "3s",
            "worker.renew", "1s",
            "worker.sweep_interval", "500ms",
            "worker.drain_timeout", "5s",
            "cluster.heartbeat_interval", "500ms",
            "cluster.stale_threshold", "2s",
            "cluster.dead_threshold", "3s",
            "leader.lease", "3s",
            "leader.renew", "1s",
            "leader.check_interval", "500ms");

    /** On a busy machine a login takes long. */
    private static final String PATIENTLY = "&connectTimeout=60";

    private final Class<?> main;
    private final Terminal terminal;
    private final List<NodeProcess> nodes = new ArrayList<>();
    private @Nullable EmbeddedPostgres server;
    private @Nullable Session session;
    private @Nullable DemoGateway gateway;
    private volatile boolean closed;

    /** @param main the class of the muster command, which nodes are started with */
    DemoCluster(Class<?> main, Terminal terminal) {
        this.main = main;
        this.terminal = terminal;
    }

    Terminal terminal() {
        return terminal;
    }

    /**
     * Returns when all nodes have joined.
     *
     * @param port of the dashboard; null for the usual one, or any free one if that is taken
     */
    void start(int count, @Nullable Integer port) throws InterruptedException {
        terminal.show("starting PostgreSQL…");
        long begin = System.nanoTime();
        Path folder = startServer().dataDirectory();
        terminal.line("PostgreSQL is up after " + seconds(begin));
        begin = System.nanoTime();
        for (int i = 1; i <= count; i++) {
            startNode("node-" + i, folder);
        }
        awaitNodes();
        terminal.line(count + " node processes are up after " + seconds(begin) + ": "
                + nodes.stream()
                        .map(node -> node.id() + " (pid " + node.pid() + ")")
                        .collect(Collectors.joining(", ")));
        terminal.line("dashboard: " + startGateway(port));
    }

    private synchronized String startGateway(@Nullable Integer port) {
        requireOpen();
        DemoGateway started = DemoGateway.start(config().with(SETTINGS), port);
        gateway = started;
        return started.address();
    }

    private synchronized EmbeddedPostgres startServer() {
        requireOpen();
        EmbeddedPostgres started = EmbeddedPostgres.builder().durable(true).start();
        server = started;
        session = Session.open(config());
        session.prepareTables();
        return started;
    }

    private synchronized void startNode(String id, Path folder) {
        requireOpen();
        nodes.add(NodeProcess.start(main, id, folder, url() + PATIENTLY, SETTINGS));
    }

    private MusterConfig config() {
        return MusterConfig.defaults().with("database.url", url() + PATIENTLY);
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the demo is being stopped");
        }
    }

    private void awaitNodes() throws InterruptedException {
        long deadline = System.nanoTime() + Patience.toStart().toNanos();
        while (true) {
            Set<String> joined =
                    session().cluster().nodes().stream().map(NodeInfo::id).collect(Collectors.toSet());
            if (joined.size() == nodes.size() && ordersCanBeStarted()) {
                return;
            }
            terminal.show("starting nodes… " + joined.size() + " of " + nodes.size());
            for (NodeProcess node : nodes) {
                if (!node.isAlive() || System.nanoTime() > deadline) {
                    throw CommandFailed.failed(node.id() + " did not come up; the end of its log:\n" + node.endOfLog());
                }
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private boolean ordersCanBeStarted() {
        return session().cluster().workflows().definitions().stream()
                .anyMatch(workflow -> workflow.name().equals(DemoOrders.WORKFLOW) && workflow.live());
    }

    static String seconds(long since) {
        return "%.1f s".formatted((System.nanoTime() - since) / 1e9);
    }

    String url() {
        EmbeddedPostgres started = server;
        if (started == null) {
            throw new IllegalStateException("not started");
        }
        return started.jdbcUrl();
    }

    /** Where the dashboard is. */
    String dashboard() {
        DemoGateway open = gateway;
        if (open == null) {
            throw new IllegalStateException("not started");
        }
        return open.address();
    }

    Session session() {
        Session open = session;
        if (open == null) {
            throw new IllegalStateException("not started");
        }
        return open;
    }

    NodeProcess node(String id) {
        return nodes.stream().filter(node -> node.id().equals(id)).findFirst().orElseThrow();
    }

    /** A live node with another id. */
    String anyBut(String id) {
        return nodes.stream()
                .filter(node -> node.isAlive() && !node.id().equals(id))
                .findFirst()
                .orElseThrow()
                .id();
    }

    long nodesAlive() {
        return nodes.stream().filter(NodeProcess::isAlive).count();
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        terminal.show("stopping…");
        if (gateway != null) {
            gateway.close();
        }
        nodes.forEach(NodeProcess::terminate);
        nodes.forEach(NodeProcess::awaitEnd);
        if (session != null) {
            session.close();
        }
        if (server != null) {
            server.close();
        }
        terminal.clear();
    }
}
