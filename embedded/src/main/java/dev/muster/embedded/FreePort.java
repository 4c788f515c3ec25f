package dev.muster.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds a free port that the server can use again after a restart. The port is below the range that systems use for outgoing
 * connections: otherwise, while the server is down, a client's own connection could occupy the port or even connect to itself.
 */
final class FreePort {
    private static final int LOWEST = 15_000;
    private static final int BEYOND = 32_000;
    private static final int ATTEMPTS = 100;

    private FreePort() {}

    static int choose() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, BEYOND);
            if (isFree(port)) {
                return port;
            }
        }
        throw new EmbeddedPostgresException("No free port between " + LOWEST + " and " + BEYOND + " on 127.0.0.1 in "
                + ATTEMPTS + " attempts: name one with port(int)");
    }

    static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
