package dev.muster.internal.health;

import dev.muster.health.Probes;
import dev.muster.health.Readiness;
import dev.muster.runtime.MusterException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP server that answers {@code /_api/health} and {@code /_api/ready}. */
public final class HealthServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HealthServer.class);

    /** The port at which {@code muster node} listens, unless another one is set or this one is taken. */
    public static final int USUAL_PORT = 8080;

    private static final int BACKLOG = 64;

    private final InetSocketAddress address;
    private final HttpListener listener;

    private HealthServer(ServerSocketChannel channel, Probes probes) throws IOException {
        this.address = (InetSocketAddress) channel.getLocalAddress();
        this.listener = new HttpListener(channel, new HttpListener.Answers() {
            @Override
            public HttpListener.@Nullable Answer known(String path) {
                return switch (path) {
                    case Probes.HEALTH -> new HttpListener.Answer(200, probes.health());
                    case Probes.READY -> null;
                    default -> HttpListener.NOT_FOUND;
                };
            }

            @Override
            public HttpListener.Answer to(String path) {
                Readiness now = probes.readiness();
                return new HttpListener.Answer(now.ready() ? 200 : 503, now.json());
            }
        });
        listener.start();
    }

    /**
     * Listens at this port, or with 0 at any free port.
     *
     * @throws MusterException if the port is taken or not allowed
     */
    public static HealthServer at(String host, int port, Probes probes) {
        try {
            return listening(bound(host, port), probes);
        } catch (BindException e) {
            throw cannotListen(host, port, e);
        } catch (IOException e) {
            throw new MusterException("cannot listen at " + host + ":" + port + ": " + e.getMessage(), e);
        }
    }

    /** What a node says that cannot have the port that is set. */
    public static MusterException cannotListen(String host, int port, BindException e) {
        return new MusterException(
                "cannot listen at " + host + ":" + port + ": " + e.getMessage()
                        + "; choose another gateway.port or gateway.health_port, or 0 for any free one",
                e);
    }

    /** Listens at the usual port or, if that is taken, at any free one. */
    public static HealthServer anywhere(String host, Probes probes) {
        try {
            return listening(bound(host, USUAL_PORT), probes);
        } catch (BindException e) {
            log.debug("port {} is taken", USUAL_PORT, e);
            return at(host, 0, probes);
        } catch (IOException e) {
            throw new MusterException("cannot listen at " + host + ": " + e.getMessage(), e);
        }
    }

    private static ServerSocketChannel bound(String host, int port) throws IOException {
        InetSocketAddress wanted = address(host, port);
        ServerSocketChannel channel = ServerSocketChannel.open();
        try {
            return channel.bind(wanted, BACKLOG);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private static HealthServer listening(ServerSocketChannel channel, Probes probes) throws IOException {
        HealthServer health = new HealthServer(channel, probes);
        log.info(
                "health at http://{}:{}/_api/health",
                health.address.getAddress().getHostAddress(),
                health.port());
        return health;
    }

    private static InetSocketAddress address(String host, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw new MusterException("gateway.host = " + host + " is no address of this machine", e);
        }
    }

    /** The port at which it listens. */
    public int port() {
        return address.getPort();
    }

    @Override
    public void close() {
        listener.close();
    }
}
