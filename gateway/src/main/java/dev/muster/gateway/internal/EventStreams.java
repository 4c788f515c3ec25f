package dev.muster.gateway.internal;

import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Stream;
import dev.muster.internal.runtime.LogContext;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends streams to their callers. One thread writes to all of them and waits for none: what a connection does not take now is written when
 * the server says that it can be. Another thread asks once a second whether the callers may still listen.
 *
 * <pre>
 *   prepared ── the request's thread lets go of it ──▶ open ── its stream is over and was sent, or the caller has gone ──▶ done
 * </pre>
 *
 * A stream that is not over ends with a reset when the gateway drains, and when the caller's key has expired or was revoked. Thread-safe.
 */
final class EventStreams implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EventStreams.class);

    /** A line without meaning, which keeps proxies from closing the connection and finds callers that have gone. */
    private static final byte[] COMMENT = ":\n\n".getBytes(StandardCharsets.UTF_8);

    private static final Duration COMMENT_EVERY = Duration.ofSeconds(15);
    private static final Duration CHECK_EVERY = Duration.ofSeconds(1);

    /** How long another server has to tell that a caller has gone. */
    private static final Duration TOLD_WITHIN = Duration.ofSeconds(1);

    private final int most;
    private final int mostOfCaller;
    private final boolean hasPort;
    private final LogContext logContext;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

    /** Connections of callers that have gone, of which another server has not told yet. */
    private final Set<Connection> gone = ConcurrentHashMap.newKeySet();

    private final ScheduledThreadPoolExecutor writer = thread("muster-events-writer");
    private final ScheduledThreadPoolExecutor checker = thread("muster-events-access");
    private final AtomicBoolean started = new AtomicBoolean();
    private volatile @Nullable String endReason;

    /**
     * @param most how many streams there may be at the same time
     * @param mostOfCaller how many of them one caller may have
     * @param hasPort whether the gateway listens at a port of its own, or serves inside of another server
     */
    EventStreams(int most, int mostOfCaller, boolean hasPort, LogContext logContext) {
        this.most = most;
        this.mostOfCaller = mostOfCaller;
        this.hasPort = hasPort;
        this.logContext = logContext;
    }

    private static ScheduledThreadPoolExecutor thread(String name) {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return executor;
    }

    /**
     * Whose stream it is.
     *
     * @param caller the same for all keys and tokens of one caller
     * @param credentials the same for requests with the same key or token
     * @param mayListen asks whether the key or token is still good; may wait for the database
     */
    record Listener(String caller, String credentials, BooleanSupplier mayListen) {}

    /**
     * Opens a stream; {@link Connection#start} must follow.
     *
     * @throws Refusal if there are too many, of this caller or of all
     */
    Connection prepare(Stream.Opener opener, Listener listener) {
        Connection connection = new Connection(listener);
        connections.add(connection);
        try {
            long own = connections.stream()
                    .filter(other -> other.listener.caller().equals(listener.caller()))
                    .count();
            if (own > mostOfCaller) {
                throw Refusal.of(
                        429,
                        "too_many_requests",
                        "this node sends events to you " + mostOfCaller
                                + " times already, which is gateway.max_event_clients_per_caller; close a stream first");
            }
            if (connections.size() > most) {
                throw Refusal.unavailable(
                        "busy",
                        "this node sends events to " + most + " callers already, which is gateway.max_event_clients");
            }
            connection.stream = opener.open(connection::wake);
        } catch (RuntimeException | Error e) {
            connections.remove(connection);
            throw e;
        }
        if (!started.getAndSet(true)) {
            repeat(writer, COMMENT_EVERY, () -> connections.forEach(Connection::comment));
            repeat(checker, CHECK_EVERY, this::check);
        }
        return connection;
    }

    private void repeat(ScheduledThreadPoolExecutor executor, Duration every, Runnable task) {
        Runnable safe = () -> logContext.run("gateway", () -> {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                log.warn("event streams: a regular task failed, and is tried again", e);
            }
        });
        executor.scheduleWithFixedDelay(safe, every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
    }

    int count() {
        return connections.size();
    }

    /** Ends the streams of callers that may not listen any more; each key is asked for once. */
    private void check() {
        Map<String, Boolean> asked = new HashMap<>();
        for (Connection connection : connections) {
            Listener listener = connection.listener;
            boolean may = asked.computeIfAbsent(
                    listener.credentials(), key -> listener.mayListen().getAsBoolean());
            if (!may) {
                connection.end("the key or token has expired or was revoked");
            }
        }
    }

    /** Ends all streams, and those that begin from now on. Returns when the callers were told, or after this time. */
    void drain(Duration limit) throws InterruptedException {
        String reason = "this node is leaving the cluster; connect again, to another gateway";
        endReason = reason;
        connections.forEach(connection -> connection.end(reason));
        long end = System.nanoTime() + limit.toNanos();
        while (!connections.isEmpty() && System.nanoTime() - end < 0) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    @Override
    public void close() {
        connections.forEach(Connection::done);
        gone.forEach(Connection::done);
        writer.shutdownNow();
        checker.shutdownNow();
    }

    /** A caller's connection. Only the thread of the writer uses its output. */
    final class Connection implements WriteListener {
        private final Listener listener;
        private final CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        private final AtomicBoolean scheduled = new AtomicBoolean();
        private volatile @Nullable Stream stream;
        private volatile @Nullable ServletOutputStream opening;

        /** Known from the moment on from which the server takes something without waiting. */
        private volatile @Nullable ServletOutputStream out;

        private boolean unsent;
        private volatile boolean commentDue;

        private Connection(Listener listener) {
            this.listener = listener;
        }

        /** Sends from now on. The future is completed when the stream has ended. */
        CompletableFuture<@Nullable Void> start(AsyncContext context) {
            // A stream lasts for as long as it lasts.
            context.setTimeout(0);
            if (!hasPort) {
                context.addListener(new DoneOnError(this));
            }
            try {
                ServletOutputStream output = context.getResponse().getOutputStream();
                opening = output;
                output.setWriteListener(this);
            } catch (IOException | RuntimeException e) {
                log.debug("the caller has gone: {}", e.toString());
                done();
            }
            String reason = endReason;
            if (reason != null) {
                end(reason);
            }
            return done;
        }

        private void end(String reason) {
            Stream open = stream;
            if (open != null) {
                open.end(reason);
            }
        }

        private void comment() {
            commentDue = true;
            wake();
        }

        private void wake() {
            if (out != null && scheduled.compareAndSet(false, true)) {
                try {
                    writer.execute(this::write);
                } catch (RejectedExecutionException e) {
                    log.debug("the gateway has closed", e);
                }
            }
        }

        @Override
        public void onWritePossible() {
            out = opening;
            wake();
        }

        @Override
        public void onError(Throwable e) {
            log.debug("the caller has gone, or reads too slowly: {}", e.toString());
            if (hasPort) {
                done();
            } else {
                doneWhenTold();
            }
        }

        /**
         * Tomcat tells of a connection that has failed on a thread of its own, and lets a request be completed on that thread alone; elsewhere
         * it logs an error. A server that does not tell lets any thread complete it.
         */
        private void doneWhenTold() {
            gone.add(this);
            leave();
            try {
                writer.schedule(this::done, TOLD_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException closed) {
                done();
            }
        }

        private void write() {
            // First, so that what comes meanwhile is not lost.
            scheduled.set(false);
            ServletOutputStream output = out;
            Stream open = stream;
            if (output == null || open == null) {
                return;
            }
            try {
                while (!isOver() && output.isReady()) {
                    Optional<byte[]> next = open.take();
                    if (next.isPresent()) {
                        output.write(next.get());
                        unsent = true;
                    } else if (commentDue) {
                        commentDue = false;
                        output.write(COMMENT);
                        unsent = true;
                    } else if (unsent) {
                        unsent = false;
                        output.flush();
                    } else {
                        if (open.isOver()) {
                            done();
                        }
                        return;
                    }
                }
            } catch (IOException | RuntimeException e) {
                onError(e);
            }
        }

        private boolean isOver() {
            return done.isDone() || gone.contains(this);
        }

        private void done() {
            leave();
            gone.remove(this);
            done.complete(null);
        }

        private void leave() {
            connections.remove(this);
            Stream open = stream;
            if (open != null) {
                open.close();
            }
        }
    }

    /** Completes a request whose connection has failed, on the thread on which the server tells it. */
    private record DoneOnError(Connection connection) implements AsyncListener {
        @Override
        public void onError(AsyncEvent event) {
            connection.done();
        }

        @Override
        public void onComplete(AsyncEvent event) {}

        @Override
        public void onTimeout(AsyncEvent event) {}

        @Override
        public void onStartAsync(AsyncEvent event) {}
    }
}
