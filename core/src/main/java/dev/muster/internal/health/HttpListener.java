package dev.muster.internal.health;

import dev.muster.internal.health.HttpConnection.State;
import dev.muster.internal.runtime.LogContext;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers GET requests, one per connection, with short texts. One thread reads and writes for all connections without blocking:
 * a client that sends half a request, or does not read its answer, delays no other and is dropped after a few seconds. Another
 * thread computes the answers, which may take a moment; waiting requests for the same path share one answer.
 */
final class HttpListener implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HttpListener.class);

    static final Answer NOT_FOUND = new Answer(404, "{\"error\":\"not found\"}");
    private static final Answer FAILED = new Answer(500, "{\"error\":\"no answer could be made\"}");
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int MAX_CONNECTIONS = 500;
    private static final int ACCEPTED_AT_ONCE = 50;
    private static final long TICK_MS = 500;
    private static final long CLOSE_LIMIT_MS = 2_000;

    private final ServerSocketChannel server;
    private final Answers answers;
    private final Selector selector;
    private final Queue<HttpConnection> asked = new ConcurrentLinkedQueue<>();
    private final Semaphore questions = new Semaphore(0);
    private final Thread reader = thread(this::serve, "muster-health");
    private final Thread answerer = thread(this::answer, "muster-health-answers");
    private volatile boolean closed;

    record Answer(int status, String json) {}

    /** Computes the answers. */
    interface Answers {
        /** The answer if it needs no computing; null if it does. */
        @Nullable
        Answer known(String path);

        /** Computes the answer, which may take a moment. */
        Answer to(String path);
    }

    HttpListener(ServerSocketChannel server, Answers answers) throws IOException {
        this.server = server;
        this.answers = answers;
        this.selector = Selector.open();
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
    }

    private static Thread thread(Runnable work, String name) {
        Thread thread = new Thread(LogContext.inherit("health", work), name);
        thread.setDaemon(true);
        return thread;
    }

    void start() {
        reader.start();
        answerer.start();
    }

    private void serve() {
        while (!closed) {
            try {
                selector.select(connections().isEmpty() ? 0 : TICK_MS);
                for (SelectionKey key : selector.selectedKeys()) {
                    handle(key);
                }
                selector.selectedKeys().clear();
                connections().forEach(this::goOn);
            } catch (IOException | RuntimeException | Error e) {
                // The process may be out of file handles or memory; the next request may succeed.
                log.debug("a round of requests failed", e);
                pause();
            }
        }
        closeAll();
    }

    /** Closes the selector too, because a channel is not really closed before its selector is. */
    private void closeAll() {
        connections().forEach(HttpConnection::close);
        try (selector) {
            server.close();
        } catch (IOException e) {
            log.debug("closing the listener failed", e);
        }
    }

    private void handle(SelectionKey key) throws IOException {
        if (key.isValid() && key.isAcceptable()) {
            for (int i = 0; i < ACCEPTED_AT_ONCE && accept(); i++) {
                makeRoom();
            }
        }
    }

    private boolean accept() throws IOException {
        SocketChannel channel = server.accept();
        if (channel == null) {
            return false;
        }
        try {
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            key.attach(new HttpConnection(channel, key, System.nanoTime() + PATIENCE_NANOS));
            return true;
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    /** Closes the oldest connection if there are too many. */
    private void makeRoom() {
        List<HttpConnection> open = connections();
        if (open.size() > MAX_CONNECTIONS) {
            open.stream()
                    .min(Comparator.comparingLong(HttpConnection::deadline))
                    .ifPresent(HttpConnection::close);
        }
    }

    private List<HttpConnection> connections() {
        List<HttpConnection> open = new ArrayList<>();
        for (SelectionKey key : selector.keys()) {
            if (key.isValid() && key.attachment() instanceof HttpConnection connection) {
                open.add(connection);
            }
        }
        return open;
    }

    private void goOn(HttpConnection connection) {
        try {
            State before = connection.state();
            connection.goOn();
            if (before == State.READING && connection.state() == State.ASKED) {
                Answer known = answers.known(connection.path());
                if (known == null) {
                    asked.add(connection);
                    questions.release();
                } else {
                    // A liveness probe must not wait behind readiness probes, which ask the database.
                    connection.answer(known);
                    connection.goOn();
                }
            }
        } catch (IOException | RuntimeException e) {
            connection.close();
        }
        if (connection.deadline() - System.nanoTime() < 0) {
            connection.close();
        }
    }

    private void answer() {
        while (!closed) {
            try {
                questions.acquire();
                HttpConnection first = asked.poll();
                if (first == null) {
                    continue;
                }
                List<HttpConnection> same = asked.stream()
                        .filter(other -> other.path().equals(first.path()))
                        .toList();
                asked.removeAll(same);
                Answer answer = answerTo(first.path());
                first.answer(answer);
                same.forEach(connection -> connection.answer(answer));
                selector.wakeup();
            } catch (InterruptedException e) {
                // Only close() interrupts this thread; the loop condition ends it.
                continue;
            } catch (RuntimeException | Error e) {
                log.debug("an answer failed", e);
            }
        }
    }

    private Answer answerTo(String path) {
        try {
            return answers.to(path);
        } catch (RuntimeException e) {
            log.debug("no answer to {}", path, e);
            return FAILED;
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(100);
        } catch (InterruptedException e) {
            // Only close() interrupts this thread; the loop condition ends it.
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed = true;
        answerer.interrupt();
        selector.wakeup();
        try {
            reader.join(CLOSE_LIMIT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
