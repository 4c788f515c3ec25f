package dev.muster.cluster;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.Locale;

/** Says who this node is. Provide one for ids that stay the same over restarts, such as a pod's name. */
@FunctionalInterface
public interface NodeIdentityProvider {

    /**
     * Returns the id: one line of 1 to 200 characters without blanks around it, as for {@code node.id}. Called once, when the
     * Muster is built.
     */
    String getNodeId();

    /** Host name and a random suffix: two processes on one host never clash. */
    static NodeIdentityProvider random() {
        return () -> {
            String host = hostName().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9-]", "-");
            String suffix = Integer.toHexString(new SecureRandom().nextInt(0x1000_0000) | 0x1000_0000);
            return (host.isEmpty() || !Character.isLetter(host.charAt(0)) ? "node-" + host : host) + "-" + suffix;
        };
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName().split("\\.")[0];
        } catch (UnknownHostException e) {
            return "node";
        }
    }
}
