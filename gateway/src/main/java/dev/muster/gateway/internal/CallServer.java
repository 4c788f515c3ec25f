package dev.muster.gateway.internal;

import dev.muster.Muster;
import dev.muster.config.GatewayConfig;
import dev.muster.config.MusterConfig;
import dev.muster.gateway.internal.forward.TicketCheck;
import dev.muster.gateway.internal.forward.TicketCheck.Target;
import dev.muster.gateway.internal.metrics.HttpMetrics;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.rpc.ForwardedCallRoute;
import dev.muster.gateway.internal.rpc.FunctionRoutes;
import dev.muster.internal.access.AccessSubsystem;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.provider.CallPort;
import dev.muster.internal.runtime.LogContext;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The port for calls that gateways forward: the same server as the gateway's, with one route, and tickets instead of keys. */
final class CallServer implements CallPort {
    private static final Logger log = LoggerFactory.getLogger(CallServer.class);

    /** Its one route answers at once. */
    private static final int NO_STREAMS = 0;

    private static final int NO_FILES = 0;

    private final MusterConfig config;
    private volatile @Nullable Opened opened;

    private record Opened(HttpServer server, RequestCapacity capacity) {}

    CallServer(MusterConfig config) {
        this.config = config;
    }

    @Override
    public int open(Host host, InetSocketAddress address) throws BindException {
        Muster muster = host.muster();
        NodeContext node = muster.api(NodeContext.class);
        GatewayConfig settings = settings(address.getHostString());
        LogContext logContext = LogContext.current().orElseGet(() -> LogContext.of(muster.nodeId(), null));
        RequestCapacity capacity = RequestCapacity.ofForwardedCalls(settings.maxRequests(), host::status, node.clock());
        TicketCheck tickets = new TicketCheck(
                AccessSubsystem.clusterKeys(node),
                AccessSubsystem.databaseClock(node),
                new Target(
                        node.nodeId(),
                        host::incarnation,
                        function -> FunctionRoutes.runsHere(muster, function),
                        host::called),
                node.clock());
        Route route =
                new ForwardedCallRoute(tickets, thrown -> Failures.of(thrown, "forwarded call"), Envelope::of).route();
        Pipeline pipeline = new Pipeline(
                host::muster,
                settings,
                new Pipeline.Capacities(
                        capacity, RequestCapacity.ofFiles(NO_FILES, host::status, node.clock()), Turns.of(config)),
                tickets,
                new CallerLimits(Optional.empty(), node.clock()),
                new DatabaseAuditTrail(),
                new ReplicaLag(false, muster::admin, node.clock()));
        HttpServer server = new HttpServer(
                settings,
                List.of(route),
                pipeline,
                probe -> {
                    throw Refusal.notFound("this port has no probes");
                },
                new HttpMetrics(List.of(route)),
                new EventStreams(NO_STREAMS, NO_STREAMS, true, logContext),
                logContext,
                Optional.of(new HttpServer.Port(Optional.empty(), ConnectionLimits.ofCalls(settings))));
        int port = server.start(address.getPort());
        opened = new Opened(server, capacity);
        return port;
    }

    /** Limits are those of the gateway, but for the connections; browsers, and the ways to do without a key, have no business here. */
    private GatewayConfig settings(String host) {
        return config.with(Map.of("gateway.host", host, "gateway.auth", "required", "gateway.cors", ""))
                .gateway();
    }

    @Override
    public void drain() {
        Opened now = opened;
        if (now == null) {
            return;
        }
        now.server().endConnections();
        now.capacity().refuse();
        Duration limit = config.gateway().drainTimeout();
        try {
            if (!now.capacity().awaitEmpty(limit)) {
                log.warn(
                        "drain: forwarded calls={} did not end within {}",
                        now.capacity().active(),
                        limit);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        Opened now = opened;
        if (now != null) {
            now.capacity().refuse();
            now.server().close();
        }
    }
}
