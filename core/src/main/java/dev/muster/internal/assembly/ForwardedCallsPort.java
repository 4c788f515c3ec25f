package dev.muster.internal.assembly;

import dev.muster.internal.provider.CallPort;
import dev.muster.runtime.MusterException;
import java.net.BindException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The {@link CallPort} of a node, if it has one: a node that runs functions and says in {@code node.advertise} where others reach it. */
final class ForwardedCallsPort implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ForwardedCallsPort.class);

    private final NodeResources node;
    private final Optional<CallAddress> address;
    private final @Nullable CallPort port;
    private final CallPort.Host host;

    ForwardedCallsPort(NodeResources node, CallPort.Host host) {
        this.node = node;
        this.address = CallAddress.of(node);
        this.port = node.callPort;
        this.host = host;
    }

    /** What the node's row says before the port is open. */
    Optional<String> advertised() {
        return node.config().node().advertise();
    }

    /**
     * Opens the port, if the node has one.
     *
     * @return where others reach the node
     */
    Optional<String> open() {
        if (address.isEmpty()) {
            return advertised();
        }
        if (port == null) {
            log.warn(
                    "node={} runs functions and is to take calls at {}, but cannot: add muster-gateway to the classpath",
                    node.nodeId(),
                    address.get());
            return Optional.empty();
        }
        try {
            CallAddress actual =
                    address.get().withPort(port.open(host, address.get().socketAddress()));
            log.info("node={} takes forwarded calls at {}", node.nodeId(), actual);
            return Optional.of(actual.toString());
        } catch (BindException e) {
            throw new MusterException(
                    "cannot listen at " + address.get()
                            + " (node.advertise), where a node that runs functions takes the calls of other nodes: "
                            + e.getMessage(),
                    e);
        }
    }

    void drain() {
        if (port != null) {
            port.drain();
        }
    }

    /** How long {@link #drain} may take. */
    Duration drainTime() {
        return port == null
                ? Duration.ZERO
                : node.config().gateway().drainTimeout().plusSeconds(1);
    }

    @Override
    public void close() {
        if (port != null) {
            port.close();
        }
    }
}
