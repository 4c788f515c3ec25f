package dev.muster.gateway.internal;

import dev.muster.gateway.internal.auth.ClientNetwork;
import dev.muster.gateway.internal.route.Refusal;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a server: how many there may be, how long a client may take, and how they end, with an answer to each request.
 *
 * <p>The number of connections is limited, in all and from one address. Whoever comes when the limit is reached takes the place of the one that has
 * waited longest for a request, or for the rest of one; among those of its own address, if it is that which has too many. So those who
 * open connections and say nothing keep nobody out. If none waits, it takes the place of one whose client has not taken a refusal, or the answer of a
 * probe, for a second. Only if all of them have other requests under way is the new one refused.
 *
 * <p>A client has {@code gateway.read_timeout} for the head of a request, from its first byte on, and some time to take
 * each answer: see {@link AnswerTime}. The bytes that come meanwhile change nothing about it. Bodies have a limit of their own: see {@link Body}.
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
final class Connections implements SelectorManager.AcceptListener, HttpConfiguration.Customizer {
    private static final Logger log = LoggerFactory.getLogger(Connections.class);

    /** How long requests may take to be answered that have arrived at the last moment. */
    private static final Duration LAST_ANSWERS = Duration.ofSeconds(5);

    /** How long clients have to take note. Some look only when they send the next request, and then find the refusal all the same. */
    private static final Duration TAKES_NOTE = Duration.ofSeconds(1);

    private static final Duration LISTENER_FREE = Duration.ofSeconds(1);
    private static final long LOOK_MS = 5;

    /** After so long, a client that does not take a refusal or the answer of a probe makes room for others. */
    private static final Duration SLOW = Duration.ofSeconds(1);

    private static final Duration WATCHED_EVERY = Duration.ofMillis(250);
    private static final Duration WARNED_EVERY = Duration.ofMinutes(1);

    /** The attribute of a request that has its connection. */
    private static final String CONNECTION = "dev.muster.connection";

    private final ConnectionLimits limits;
    private final long limitNanos;
    private final Set<Tracked> open = ConcurrentHashMap.newKeySet();
    private final Map<String, Integer> ofAddress = new ConcurrentHashMap<>();
    private final AtomicLong lastWarning = new AtomicLong(System.nanoTime() - WARNED_EVERY.toNanos());

    /** Accepted, and not in {@link #open} yet. */
    private final AtomicInteger arriving = new AtomicInteger();

    private enum State {
        BUSY,
        WAITING,
        TOLD
    }

    /** @param limit how long a client may take to send the head of a request, and to take a short answer */
    Connections(ConnectionLimits limits, Duration limit) {
        this.limits = limits;
        this.limitNanos = limit.toNanos();
    }

    /** What speaks HTTP on the connections. */
    HttpConnectionFactory factory(HttpConfiguration http) {
        http.addCustomizer(this);
        return new HttpConnectionFactory(http) {
            @Override
            public Connection newConnection(Connector connector, EndPoint endPoint) {
                return configure(new Tracked(http, connector, endPoint), connector, endPoint);
            }
        };
    }

    /** Called with each request whose head has arrived; those before it on its connection are answered. */
    @Override
    public Request customize(Request request, HttpFields.Mutable answer) {
        if (request.getConnectionMetaData().getConnection() instanceof Tracked tracked) {
            tracked.hasRequest = true;
            tracked.answer.end(System.nanoTime());
            request.setAttribute(CONNECTION, tracked);
        }
        return request;
    }

    /** From now on the client of this request has to take the bytes of the answer, until {@link #answered} or until the request is over. */
    static void answering(HttpServletRequest request, int bytes) {
        begin(request.getAttribute(CONNECTION), bytes, false);
    }

    /** The same for an answer that anybody gets, and that nobody misses who does not take it: a refusal, or that of a probe. */
    static void refusing(HttpServletRequest request, int bytes) {
        begin(request.getAttribute(CONNECTION), bytes, true);
    }

    /** The same for a request that the server refuses, with or without a request that could be read. */
    static void refusing(Request request, int bytes) {
        begin(request.getConnectionMetaData().getConnection(), bytes, true);
    }

    private static void begin(@Nullable Object connection, int bytes, boolean refusal) {
        if (connection instanceof Tracked tracked) {
            tracked.answer.begin(System.nanoTime(), bytes, refusal);
        }
    }

    static void answered(HttpServletRequest request) {
        if (request.getAttribute(CONNECTION) instanceof Tracked tracked) {
            tracked.answer.end(System.nanoTime());
        }
    }

    /** Where a request comes from, as connections are counted. */
    static String addressOf(HttpServletRequest request) {
        return request.getAttribute(CONNECTION) instanceof Tracked tracked
                ? tracked.address
                : String.valueOf(request.getRemoteAddr());
    }

    /** Ends connections whose clients take too long, for as long as the server runs. */
    void watch(Scheduler scheduler) {
        long period = Math.min(WATCHED_EVERY.toNanos(), limitNanos / 4);
        scheduler.schedule(
                () -> {
                    try {
                        long now = System.nanoTime();
                        open.forEach(one -> one.endIfTooSlow(now));
                    } catch (RuntimeException e) {
                        log.warn("connections could not be looked at, which is tried again", e);
                    } finally {
                        watch(scheduler);
                    }
                },
                period,
                TimeUnit.NANOSECONDS);
    }

    /**
     * Counts a connection, and makes room for it.
     *
     * @return why it is refused; empty if it is not
     */
    private Optional<String> enter(Tracked arrived) {
        open.add(arrived);
        int own = ofAddress.merge(arrived.address, 1, Integer::sum);
        if (own > limits.ofAddress()) {
            String limit = limits.ofAddress() + " connections from one address, which is " + limits.ofAddressName();
            warn(limit + "; address=" + arrived.address);
            if (!makeRoom(one -> one != arrived && one.address.equals(arrived.address), limit)) {
                return Optional.of(limit);
            }
        }
        if (open.size() > limits.all()) {
            String limit = limits.all() + " connections, which is " + limits.allName();
            warn(limit);
            if (!makeRoom(one -> one != arrived, limit)) {
                return Optional.of(limit);
            }
        }
        return Optional.empty();
    }

    private void leave(Tracked ended) {
        if (open.remove(ended)) {
            ofAddress.computeIfPresent(ended.address, (address, count) -> count == 1 ? null : count - 1);
        }
    }

    /** Whether there was one that could be ended. */
    private boolean makeRoom(Predicate<Tracked> which, String limit) {
        return endLongestWaiting(which, limit) || endSlowest(which);
    }

    private boolean endSlowest(Predicate<Tracked> which) {
        long now = System.nanoTime();
        Optional<Tracked> slowest = open.stream()
                .filter(which)
                .filter(one -> one.answer.canBeEnded(now, SLOW))
                .min(Comparator.comparingLong(one -> one.answer.left(now)));
        slowest.ifPresent(one -> one.getEndPoint().close(new TimeoutException("others need the connection")));
        return slowest.isPresent();
    }

    private boolean endLongestWaiting(Predicate<Tracked> which, String limit) {
        long now = System.nanoTime();
        while (true) {
            Optional<Tracked> longest = open.stream()
                    .filter(which)
                    .filter(Tracked::isWaiting)
                    .max(Comparator.comparingLong(one -> now - one.waitingSince));
            if (longest.isEmpty() || longest.get().endIfWaiting(busy(limit))) {
                return longest.isPresent();
            }
        }
    }

    private static Refusal busy(String limit) {
        return Refusal.unavailable("busy", "this node has " + limit).header("Connection", "close");
    }

    private void warn(String limit) {
        long now = System.nanoTime();
        long last = lastWarning.get();
        if (now - last >= WARNED_EVERY.toNanos() && lastWarning.compareAndSet(last, now)) {
            log.warn("the gateway has {}; connections that wait longest for a request are closed", limit);
        }
    }

    private static String addressOf(EndPoint client) {
        return client.getRemoteSocketAddress() instanceof InetSocketAddress remote && remote.getAddress() != null
                ? ClientNetwork.of(remote.getAddress())
                : "";
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

    /** A connection that can be told, at any time and by any thread, that no request will be answered any more. */
    private final class Tracked extends HttpConnection {
        private final AtomicReference<State> state = new AtomicReference<>(State.BUSY);
        private final String address;

        /** When it was opened, or its last request was answered. */
        private volatile long waitingSince = System.nanoTime();

        /** How many bytes had come until then. */
        private volatile long heardBefore;

        /** Whether the head of a request has arrived since then. */
        private volatile boolean hasRequest;

        private final AnswerTime answer = new AnswerTime(limitNanos);
        private volatile long closeBy;
        private volatile boolean closing;

        /** The wait that is watched, and when the head of a request began within it; known to the thread alone that watches. */
        private long watched = waitingSince;

        private long headSince;
        private boolean headBegun;

        Tracked(HttpConfiguration http, Connector connector, EndPoint endPoint) {
            super(http, connector, endPoint);
            this.address = addressOf(endPoint);
        }

        @Override
        public void onOpen() {
            Optional<String> refused = enter(this);
            if (refused.isPresent()) {
                state.set(State.TOLD);
            }
            super.onOpen();
            refused.ifPresent(limit -> tellAndClose(busy(limit)));
        }

        @Override
        public void onClose(Throwable cause) {
            leave(this);
            super.onClose(cause);
        }

        private boolean isWaiting() {
            return state.get() == State.WAITING;
        }

        /** Whether it waited for a request, and so could be ended. */
        private boolean endIfWaiting(Refusal refusal) {
            boolean waited = state.compareAndSet(State.WAITING, State.TOLD);
            if (waited) {
                tellAndClose(refusal);
            }
            return waited;
        }

        /**
         * Who has sent nothing at all is told nothing if there may be no way yet to say it, because of TLS. A client that has been answered
         * before has a moment to take note; of others there may be very many.
         */
        private void tellAndClose(Refusal refusal) {
            EndPoint client = getEndPoint();
            if (getBytesIn() == 0 && client.isSecure()) {
                client.close();
                return;
            }
            closeBy = System.nanoTime() + TAKES_NOTE.toNanos();
            closing = true;
            Runnable then = heardBefore > 0 ? client::shutdownOutput : client::close;
            client.write(Callback.from(then, failure -> client.close()), ByteBuffer.wrap(RawRefusal.bytes(refusal)));
        }

        private void endIfTooSlow(long now) {
            if (answer.isOver(now)) {
                log.debug("a client did not take its answer in time: address={}", address);
                getEndPoint().close(new TimeoutException("the answer was not taken in time"));
            } else if (closing && now - closeBy > 0) {
                getEndPoint().close();
            } else if (isWaiting() && hasWaitedTooLong(now)) {
                endIfWaiting(Refusal.of(
                                408,
                                "too_slow",
                                "the head of the request did not arrive within "
                                        + TimeUnit.NANOSECONDS.toSeconds(limitNanos) + " s (gateway.read_timeout)")
                        .header("Connection", "close"));
            }
        }

        /**
         * A client that sends nothing is the business of the idle timeout; only one that sends what is no part of a request, such as empty
         * lines, or a handshake bit by bit, waits for longer than that.
         */
        private boolean hasWaitedTooLong(long now) {
            long since = waitingSince;
            if (since != watched) {
                watched = since;
                headBegun = false;
            }
            if (!headBegun && getBytesIn() > heardBefore) {
                headBegun = true;
                headSince = now;
            }
            return headBegun && now - headSince > limitNanos || now - since > 2 * limitNanos;
        }

        /** Called when there is no request, or only the beginning of one, by whatever method the server registers for more bytes. */
        @Override
        public void fillInterested(Callback callback) {
            if (hasRequest) {
                hasRequest = false;
                answer.renew();
                heardBefore = getBytesIn();
                waitingSince = System.nanoTime();
            }
            state.compareAndSet(State.BUSY, State.WAITING);
            super.fillInterested(callback);
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
                        Callback.from(client::shutdownOutput, failure -> client.close()),
                        ByteBuffer.wrap(RawRefusal.bytes(RequestCapacity.draining())));
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
