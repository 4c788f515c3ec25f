package dev.muster.internal.assembly;

import dev.muster.Gateway;
import dev.muster.config.GatewayConfig;
import dev.muster.config.MusterConfig;
import dev.muster.config.NodeRole;
import dev.muster.internal.health.HealthServer;
import java.net.BindException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ports at which a node answers HTTP: none, one or two, depending on its roles and {@code [gateway]}. The first one serves the
 * gateway if there is one, or else only health, as the second one does.
 */
final class HttpPorts implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HttpPorts.class);

    private final MusterConfig config;
    private final boolean listens;
    private final @Nullable Gateway gateway;
    private final boolean mounted;
    private final Gateway.Host host;
    private final List<HealthServer> servers = new CopyOnWriteArrayList<>();
    private final List<Integer> ports = new CopyOnWriteArrayList<>();

    /**
     * @param listens whether the node opens a port even if {@code gateway.port} is not set
     * @param gateway null if there is none on the classpath
     * @param mounted whether the gateway is part of another server, and has no port of its own
     */
    HttpPorts(MusterConfig config, boolean listens, @Nullable Gateway gateway, boolean mounted, Gateway.Host host) {
        this.config = config;
        this.listens = listens;
        this.gateway = gateway;
        this.mounted = mounted;
        this.host = host;
    }

    /** Whether a node with these settings opens a port for more than health. */
    static boolean servesMore(MusterConfig config, boolean listens) {
        return config.node().has(NodeRole.GATEWAY) && (config.gateway().port().isPresent() || listens);
    }

    void open() {
        GatewayConfig settings = config.gateway();
        if (mounted && gateway != null) {
            openFirst(0);
        } else if (servesMore(config, listens)) {
            ports.add(settings.port().isPresent() ? openFirst(settings.port().get()) : openFirstAnywhere());
        }
        settings.healthPort().ifPresent(port -> ports.add(openHealth(port)));
    }

    private int openFirst(int port) {
        if (gateway == null) {
            return openHealth(port);
        }
        try {
            return gateway.open(host, port);
        } catch (BindException e) {
            throw HealthServer.cannotListen(config.gateway().host(), port, e);
        }
    }

    /** Opens the usual port or, if that is taken, any free one. */
    private int openFirstAnywhere() {
        if (gateway == null) {
            return keep(HealthServer.anywhere(config.gateway().host(), host.probes()));
        }
        try {
            return gateway.open(host, HealthServer.USUAL_PORT);
        } catch (BindException e) {
            log.debug("port {} is taken", HealthServer.USUAL_PORT, e);
            return openFirst(0);
        }
    }

    private int openHealth(int port) {
        return keep(HealthServer.at(config.gateway().host(), port, host.probes()));
    }

    private int keep(HealthServer server) {
        servers.add(server);
        return server.port();
    }

    /** The open ports, in the order {@code gateway.port}, {@code gateway.health_port}. */
    List<Integer> ports() {
        return List.copyOf(ports);
    }

    /** Lets load balancers notice that this node drains, and the requests that it handles end. */
    void drain() {
        if (gateway != null) {
            gateway.drain();
        }
    }

    /** How long {@link #drain} may take. */
    Duration drainTime() {
        GatewayConfig settings = config.gateway();
        return gateway == null
                ? Duration.ZERO
                : settings.effectiveDrainNotice().plus(settings.drainTimeout()).plusSeconds(1);
    }

    @Override
    public void close() {
        servers.forEach(HealthServer::close);
        if (gateway != null) {
            gateway.close();
        }
    }
}
