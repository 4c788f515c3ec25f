package dev.muster.postgres.internal.db;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import javax.net.SocketFactory;

/**
 * Sockets for PostgreSQL's driver that deliver notifications at once. After each notification the driver checks whether another one has
 * arrived, by reading with a timeout of 1 ms, and returns the first one only then: every wake-up would come 1.1 ms late (measured), which
 * is a quarter of the time from an enqueue to the start of the job. These sockets answer such a read at once if nothing has arrived.
 *
 * <p>The driver creates it by its name.
 */
public final class PromptSocketFactory extends SocketFactory {
    /** The driver uses this timeout for that check only. */
    private static final int PEEK_MILLIS = 1;

    @Override
    public Socket createSocket() {
        return new PromptSocket();
    }

    private static final class PromptSocket extends Socket {
        private volatile boolean peeking;

        @Override
        public void setSoTimeout(int millis) throws SocketException {
            super.setSoTimeout(millis);
            peeking = millis == PEEK_MILLIS;
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    refuseIfNothingArrived();
                    return super.read();
                }

                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    refuseIfNothingArrived();
                    return in.read(bytes, offset, length);
                }

                private void refuseIfNothingArrived() throws IOException {
                    if (peeking && in.available() == 0) {
                        throw new SocketTimeoutException("nothing has arrived");
                    }
                }
            };
        }
    }

    // The driver connects its sockets itself, so it does not call these.

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        throw notConnected();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        throw notConnected();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        throw notConnected();
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort)
            throws IOException {
        throw notConnected();
    }

    private static IOException notConnected() {
        return new IOException("this factory only creates sockets that are not connected yet");
    }
}
