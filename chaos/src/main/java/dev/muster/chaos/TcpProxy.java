package dev.muster.chaos;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of network on 127.0.0.1 between clients and one PostgreSQL, which can be cut, blocked, slowed
 * down, and made to lose the acknowledgement of a commit. Clients must not ask for encryption: use {@link
 * #url}.
 */
public final class TcpProxy implements AutoCloseable {
    private volatile int target;
    private final int port;
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
    private final AtomicInteger lost = new AtomicInteger();
    private final Object gate = new Object();
    private final Socket keepsPort;
    private ServerSocket listener;
    private boolean frozen;
    private @Nullable Runnable onLoss;
    private volatile long delayMillis;
    private volatile boolean closed;

    /** @param target the port of the server on 127.0.0.1 */
    public TcpProxy(int target) {
        this.target = target;
        this.listener = listen(0);
        this.port = listener.getLocalPort();
        this.keepsPort = keep(port);
        accept(listener);
    }

    /** While nobody listens, the system would give the port to a client of any server. */
    private static Socket keep(int port) {
        try {
            Socket socket = new Socket();
            socket.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return socket;
        } catch (IOException e) {
            throw new IllegalStateException("cannot keep port " + port, e);
        }
    }

    private static ServerSocket listen(int port) {
        try {
            ServerSocket socket = new ServerSocket();
            socket.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 200);
            return socket;
        } catch (IOException e) {
            throw new IllegalStateException("cannot listen on port " + port, e);
        }
    }

    private void accept(ServerSocket from) {
        Thread thread = new Thread(
                () -> {
                    while (!from.isClosed()) {
                        try {
                            connect(from, from.accept());
                        } catch (IOException e) {
                            // Closed: either for good or to refuse.
                            continue;
                        }
                    }
                },
                "proxy-" + port);
        thread.setDaemon(true);
        thread.start();
    }

    private void connect(ServerSocket from, Socket client) throws IOException {
        Socket server;
        try {
            server = new Socket(InetAddress.getLoopbackAddress(), target);
        } catch (IOException e) {
            // The server is down: the client sees its connection end.
            client.close();
            return;
        }
        ProxiedConnection connection = new ProxiedConnection(this, client, server);
        connections.add(connection);
        connection.start();
        if (from.isClosed()) {
            // Accepted just before nobody was to be.
            connection.reset();
        }
    }

    /** This proxy's address instead of the server's, in a JDBC URL. */
    public String url(String jdbcUrl) {
        String moved = jdbcUrl.replaceFirst("//[^/]+/", "//127.0.0.1:" + port + "/");
        return moved + (moved.contains("?") ? "&" : "?") + "sslmode=disable&gssEncMode=disable";
    }

    /** Leads new connections to another server; those that stand stay where they are. */
    public void redirect(int server) {
        target = server;
    }

    /** Resets every connection; new ones get through. */
    public void cut() {
        connections.forEach(ProxiedConnection::reset);
    }

    /** Lets nobody connect any more. Connections that stand are not touched. */
    public synchronized void refuse() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Undoes {@link #refuse}. */
    public synchronized void admit() {
        if (listener.isClosed() && !closed) {
            listener = listen(port);
            accept(listener);
        }
    }

    /** Passes nothing on, in either direction, until {@link #thaw}: a black hole that resets nothing. */
    public void freeze() {
        synchronized (gate) {
            frozen = true;
        }
    }

    public void thaw() {
        synchronized (gate) {
            frozen = false;
            gate.notifyAll();
        }
    }

    /** Holds everything up for this long, each way. */
    public void delay(Duration delay) {
        delayMillis = delay.toMillis();
    }

    /**
     * Loses one acknowledgement: of the next transaction that inserts rows, the server's answer to the commit
     * is eaten and the connection reset. The commit stands; its client cannot know.
     */
    public void loseNextAcknowledgement() {
        loseNextAcknowledgement(() -> {});
    }

    /** Loses one acknowledgement, and runs the action between the commit and the reset of the connection. */
    public void loseNextAcknowledgement(Runnable meanwhile) {
        synchronized (gate) {
            onLoss = meanwhile;
        }
    }

    /** Loses one acknowledgement, and refuses new connections from then on until {@link #admit}. */
    public void loseNextAcknowledgementAndRefuse() {
        loseNextAcknowledgement(() -> {
            refuse();
            cut();
        });
    }

    /** How many acknowledgements were lost so far. */
    public int acknowledgementsLost() {
        return lost.get();
    }

    /** How many connections stand. */
    public int connections() {
        return connections.size();
    }

    /** Whether the acknowledgement that just arrived is to be lost. */
    boolean takesAcknowledgement() {
        Runnable meanwhile;
        synchronized (gate) {
            meanwhile = onLoss;
            onLoss = null;
        }
        if (meanwhile == null) {
            return false;
        }
        meanwhile.run();
        lost.incrementAndGet();
        return true;
    }

    /** Waits as long as nothing may pass. */
    void awaitPassage() throws InterruptedException {
        long delay = delayMillis;
        if (delay > 0) {
            Thread.sleep(delay);
        }
        synchronized (gate) {
            while (frozen && !closed) {
                gate.wait();
            }
        }
    }

    void ended(ProxiedConnection connection) {
        connections.remove(connection);
    }

    @Override
    public void close() {
        closed = true;
        refuse();
        thaw();
        cut();
        try {
            keepsPort.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
