package dev.muster.gateway.internal.forward;

import dev.muster.cluster.NodeInfo;
import dev.muster.cluster.NodeStatus;
import dev.muster.cluster.PublishedFunction;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A node that a call can be forwarded to.
 *
 * @param host what it says in the header {@code Host}
 * @param jobs how many jobs it ran at its last heartbeat
 */
record Candidate(
        String id, UUID incarnation, String host, InetSocketAddress address, int jobs, PublishedFunction function) {
    private static final Pattern HOST_AND_PORT =
            Pattern.compile("(\\[[0-9a-fA-F:.%]+]|[^\\[\\]:/\\s]+):([1-9][0-9]{0,4})");
    private static final int MAX_PORT = 65_535;

    /** Empty if no call can be forwarded to the node now. */
    static Optional<Candidate> of(NodeInfo node, PublishedFunction function) {
        if (node.apparentStatus() != NodeStatus.ACTIVE || node.address().isEmpty()) {
            return Optional.empty();
        }
        Matcher matcher = HOST_AND_PORT.matcher(node.address().get());
        if (!matcher.matches() || Integer.parseInt(matcher.group(2)) > MAX_PORT) {
            return Optional.empty();
        }
        InetSocketAddress address =
                new InetSocketAddress(matcher.group(1).replaceAll("[\\[\\]]", ""), Integer.parseInt(matcher.group(2)));
        return Optional.of(new Candidate(
                node.id(), node.incarnation(), node.address().get(), address, node.currentJobs(), function));
    }

    /** Whether the node runs functions at the moment. */
    static boolean isServing(NodeInfo node) {
        return node.apparentStatus() == NodeStatus.ACTIVE && !node.functions().isEmpty();
    }

    /** Why no call can be forwarded to the node. */
    static String whyNot(NodeInfo node) {
        if (node.apparentStatus() != NodeStatus.ACTIVE) {
            return "node " + node.id() + " is " + node.apparentStatus().text();
        }
        return node.address().isEmpty()
                ? "node " + node.id() + " does not say where others reach it (node.advertise)"
                : "node " + node.id() + " has no host and port in node.advertise";
    }
}
