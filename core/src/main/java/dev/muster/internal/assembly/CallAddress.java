package dev.muster.internal.assembly;

import dev.muster.config.MusterConfig;
import dev.muster.internal.function.FunctionSubsystem;
import dev.muster.internal.node.NodeContext;
import dev.muster.runtime.MusterException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a node takes calls that others forward to it: the host and the port of {@code node.advertise}.
 *
 * @param host as it is written in the setting: a name, an IPv4 address, or an IPv6 address in brackets
 */
record CallAddress(String host, int port) {
    private static final Pattern HOST_AND_PORT = Pattern.compile("(\\[[0-9a-fA-F:.%]+]|[^\\[\\]:/\\s]+):([0-9]{1,5})");
    private static final int MAX_PORT = 65_535;

    /**
     * The address of a node that runs functions; empty if it runs none, or if the setting is missing or names no port.
     *
     * @throws MusterException if the gateway of the node is to listen at the same port
     */
    static Optional<CallAddress> of(NodeContext node) {
        if (FunctionSubsystem.published(node).isEmpty()) {
            return Optional.empty();
        }
        Optional<CallAddress> address = node.config().node().advertise().flatMap(CallAddress::parse);
        address.ifPresent(found -> found.requireOwnPort(node.config()));
        return address;
    }

    /** Empty if the text is no host with a port. */
    static Optional<CallAddress> parse(String advertised) {
        Matcher matcher = HOST_AND_PORT.matcher(advertised);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        int port = Integer.parseInt(matcher.group(2));
        return port > MAX_PORT ? Optional.empty() : Optional.of(new CallAddress(matcher.group(1), port));
    }

    void requireOwnPort(MusterConfig config) {
        boolean gateways =
                config.gateway().port().filter(other -> other == port).isPresent();
        boolean healths =
                config.gateway().healthPort().filter(other -> other == port).isPresent();
        if (port != 0 && (gateways || healths)) {
            throw new MusterException(
                    "node.advertise is '" + this + "', and " + (gateways ? "gateway.port" : "gateway.health_port")
                            + " is " + port
                            + " too; a node that runs functions takes the calls of other nodes at node.advertise, so give it"
                            + " a port of its own");
        }
    }

    InetSocketAddress socketAddress() {
        return new InetSocketAddress(host.replaceAll("[\\[\\]]", ""), port);
    }

    CallAddress withPort(int actual) {
        return new CallAddress(host, actual);
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
