package dev.muster.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A small load balancer on 127.0.0.1: each new connection goes to the next gateway. It knows where the events come from. */
final class RoundRobin implements AutoCloseable {
    private final ServerSocket listener;
    private final List<Integer> targets;
    private final AtomicInteger turn = new AtomicInteger();
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
    private volatile int source;

    private record Connection(int target, Socket client, Socket server) {
        void close() {
            try (client;
                    server) {
                client.setSoLinger(true, 0);
            } catch (IOException e) {
                // It is closed all the same.
            }
        }
    }

    RoundRobin(int... targets) throws IOException {
        this.targets = new CopyOnWriteArrayList<>(Arrays.stream(targets).boxed().toList());
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "round-robin");
        thread.setDaemon(true);
        thread.start();
    }

    String address() {
        return "http://127.0.0.1:" + listener.getLocalPort() + "/";
    }

    /** The port of the gateway that was last asked for events. */
    int source() {
        return source;
    }

    /** Breaks all connections to this gateway, as its death would, and sends nobody there any more. */
    void lose(int target) {
        targets.remove((Integer) target);
        connections.stream().filter(one -> one.target() == target).forEach(Connection::close);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                int target = targets.get(Math.floorMod(turn.getAndIncrement(), targets.size()));
                Connection connection =
                        new Connection(target, client, new Socket(InetAddress.getLoopbackAddress(), target));
                connections.add(connection);
                daemon(() -> pass(connection, true));
                daemon(() -> pass(connection, false));
            } catch (IOException e) {
                continue;
            }
        }
    }

    private void pass(Connection connection, boolean up) {
        byte[] buffer = new byte[16_384];
        try {
            InputStream in = (up ? connection.client() : connection.server()).getInputStream();
            OutputStream out = (up ? connection.server() : connection.client()).getOutputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                if (up && new String(buffer, 0, count, StandardCharsets.ISO_8859_1).contains("GET /_api/events")) {
                    source = connection.target();
                }
                out.write(buffer, 0, count);
            }
        } catch (IOException e) {
            // One side has gone; so does the other.
        } finally {
            connection.close();
            connections.remove(connection);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        connections.forEach(Connection::close);
    }
}
