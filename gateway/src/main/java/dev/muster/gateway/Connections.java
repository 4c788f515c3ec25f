package dev.muster.gateway;

import dev.muster.gateway.route.Refusal;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a server, and how they end: with an answer to each request.
 *
 * <p>HTTP/1.1 allows a server to close a connection that waits for a request. But a request may be on its way at that moment, and then its
 * caller cannot know whether it was executed. So a connection that waits is first sent the refusal that a request would get now. A request
 * that is on its way finds it as its answer; a client that has sent none closes the connection.
 *
 * <pre>
 *             ┌── a request arrives ──▶ busy
 *   waiting ◀─┴── was answered ─────────┘
 *      └── the server ends ──▶ told ── the client closes it, or has had enough time ──▶ closed
 * </pre>
 */
final class Connections implements SelectorManager.AcceptListener {
    private static final Logger log = LoggerFactory.getLogger(Connections.class);

    /** How long requests may take to be answered that have arrived at the last moment. */
    private static final Duration LAST_ANSWERS = Duration.ofSeconds(5);

    /** How long clients have to take note. Some look only when they send the next request, and then find the refusal all the same. */
    private static final Duration TAKES_NOTE = Duration.ofSeconds(1);

    private static final Duration LISTENER_FREE = Duration.ofSeconds(1);
    private static final long LOOK_MS = 5;

    private final Set<Tracked> open = ConcurrentHashMap.newKeySet();

    /** Accepted, and not in {@link #open} yet. */
    private final AtomicInteger arriving = new AtomicInteger();

    private enum State {
        BUSY,
        WAITING,
        TOLD
    }

    /** What speaks HTTP on the connections. */
    HttpConnectionFactory factory(HttpConfiguration http) {
        return new HttpConnectionFactory(http) {
            @Override
            public Connection newConnection(Connector connector, EndPoint endPoint) {
                return configure(new Tracked(http, connector, endPoint), connector, endPoint);
            }
        };
    }

    @Override
    public void onAccepting(SelectableChannel channel) {
        arriving.incrementAndGet();
    }

    @Override
    public void onAccepted(SelectableChannel channel) {
        arriving.decrementAndGet();
    }

    @Override
    public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
        arriving.decrementAndGet();
    }

    /**
     * Accepts no more connections, and ends those that there are. Returns when all are closed, or when clients and the last requests have had
     * enough time. By now every request has to be refused.
     *
     * @param connector without acceptors of its own, and with this object among its beans
     */
    void end(ServerConnector connector) {
        try {
            stopListening(connector);
            long begun = System.nanoTime();
            while (isWorthWaiting(Duration.ofNanos(System.nanoTime() - begun))) {
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            }
        } catch (IOException e) {
            log.debug("the port could not be closed in order", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isWorthWaiting(Duration waited) {
        open.forEach(Tracked::tellIfWaiting);
        boolean requests = arriving.get() > 0 || open.stream().anyMatch(Tracked::isBusy);
        return requests ? waited.compareTo(LAST_ANSWERS) < 0 : !open.isEmpty() && waited.compareTo(TAKES_NOTE) < 0;
    }

    /**
     * The system resets connections that wait to be accepted when the port closes. So they are accepted first, by the thread that closes the
     * port right after it has found none.
     */
    private static void stopListening(ServerConnector connector) throws IOException, InterruptedException {
        ServerSocketChannel port = (ServerSocketChannel) connector.getTransport();
        connector.setAccepting(false);
        // A channel that a selector still knows stays open for a moment after it was closed.
        waitWhile(port::isRegistered, LISTENER_FREE);
        for (SocketChannel channel = port.accept(); channel != null; channel = port.accept()) {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            connector.getSelectorManager().accept(channel);
        }
        port.close();
    }

    private static void waitWhile(BooleanSupplier condition, Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (condition.getAsBoolean() && System.nanoTime() - end < 0) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    /** What is sent instead of an answer, because there may be no request. */
    private static byte[] refusal() {
        Refusal refusal = Admission.draining();
        String requestId = RequestId.of(null);
        byte[] body = Envelope.of(refusal, requestId).getBytes(StandardCharsets.UTF_8);
        StringBuilder head = new StringBuilder("HTTP/1.1 503 Service Unavailable\r\n");
        refusal.headers().forEach((name, value) -> header(head, name, value));
        header(head, "Retry-After", String.valueOf(refusal.retryAfterSeconds()));
        header(head, RequestId.HEADER, requestId);
        header(head, "Cache-Control", "no-store");
        header(head, "Content-Type", "application/json");
        header(head, "Content-Length", String.valueOf(body.length));
        byte[] start = head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(start.length + body.length)
                .put(start)
                .put(body)
                .array();
    }

    private static void header(StringBuilder head, String name, String value) {
        head.append(name).append(": ").append(value).append("\r\n");
    }

    /** A connection that can be told, at any time and by any thread, that no request will be answered any more. */
    private final class Tracked extends HttpConnection {
        private final AtomicReference<State> state = new AtomicReference<>(State.BUSY);

        Tracked(HttpConfiguration http, Connector connector, EndPoint endPoint) {
            super(http, connector, endPoint);
        }

        @Override
        public void onOpen() {
            open.add(this);
            super.onOpen();
        }

        @Override
        public void onClose(Throwable cause) {
            open.remove(this);
            super.onClose(cause);
        }

        /** Called when there is no request, or only the beginning of one. */
        @Override
        public void fillInterested() {
            state.compareAndSet(State.BUSY, State.WAITING);
            super.fillInterested();
        }

        @Override
        public void onFillable() {
            if (state.compareAndSet(State.WAITING, State.BUSY) || state.get() == State.BUSY) {
                super.onFillable();
            } else {
                discard();
            }
        }

        private boolean isBusy() {
            return state.get() == State.BUSY;
        }

        private void tellIfWaiting() {
            EndPoint client = getEndPoint();
            if (!client.isOutputShutdown() && state.compareAndSet(State.WAITING, State.TOLD)) {
                client.write(
                        Callback.from(client::shutdownOutput, failure -> client.close()), ByteBuffer.wrap(refusal()));
            }
        }

        /** What was not read when a connection is closed makes the system reset it, and the client may then not see the refusal. */
        private void discard() {
            ByteBuffer ignored = BufferUtil.allocate(4_096);
            try {
                int count = getEndPoint().fill(ignored);
                while (count > 0) {
                    BufferUtil.clear(ignored);
                    count = getEndPoint().fill(ignored);
                }
                if (count < 0) {
                    getEndPoint().close();
                } else {
                    super.fillInterested();
                }
            } catch (IOException e) {
                getEndPoint().close(e);
            }
        }
    }
}
