package dev.muster.testing;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;

/** What a test finds out about the other end of a connection. */
public final class Sockets {
    private Sockets() {}

    /** Whether the server has neither answered nor closed it. */
    public static boolean isOpen(Socket socket) throws IOException {
        socket.setSoTimeout(1);
        try {
            socket.getInputStream().read();
            return false;
        } catch (SocketTimeoutException e) {
            return true;
        } catch (SocketException e) {
            return false;
        }
    }
}
