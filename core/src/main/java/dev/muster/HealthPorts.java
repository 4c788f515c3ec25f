package dev.muster;

import dev.muster.config.GatewayConfig;
import dev.muster.config.MusterConfig;
import dev.muster.config.NodeRole;
import dev.muster.health.HealthServer;
import dev.muster.health.Readiness;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The ports at which a node answers HTTP: none, one or two, depending on its roles and {@code [gateway]}. */
final class HealthPorts implements AutoCloseable {
    private final MusterConfig config;
    private final boolean listens;
    private final Supplier<Readiness> readiness;
    private final @Nullable String applicationVersion;
    private final List<HealthServer> servers = new CopyOnWriteArrayList<>();

    /**
     * @param listens whether the node opens a port even if {@code gateway.port} is not set
     * @param applicationVersion null if it is not known
     */
    HealthPorts(
            MusterConfig config, boolean listens, Supplier<Readiness> readiness, @Nullable String applicationVersion) {
        this.config = config;
        this.listens = listens;
        this.readiness = readiness;
        this.applicationVersion = applicationVersion;
    }

    void open() {
        GatewayConfig gateway = config.gateway();
        if (config.node().has(NodeRole.GATEWAY)) {
            if (gateway.port().isPresent()) {
                open(gateway.port().get());
            } else if (listens) {
                servers.add(HealthServer.anywhere(gateway.host(), readiness, version(), applicationVersion));
            }
        }
        gateway.healthPort().ifPresent(this::open);
    }

    private void open(int port) {
        servers.add(HealthServer.at(config.gateway().host(), port, readiness, version(), applicationVersion));
    }

    /** The open ports, in the order {@code gateway.port}, {@code gateway.health_port}. */
    List<Integer> ports() {
        return servers.stream().map(HealthServer::port).toList();
    }

    private static String version() {
        String packaged = HealthPorts.class.getPackage().getImplementationVersion();
        return packaged == null ? "not packaged" : packaged;
    }

    @Override
    public void close() {
        servers.forEach(HealthServer::close);
    }
}
