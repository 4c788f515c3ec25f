package dev.muster.client;

import dev.muster.document.internal.EventDocument;
import dev.muster.document.internal.JsonObjectReader;
import dev.muster.event.Event;
import dev.muster.event.Event.Content;
import dev.muster.event.Event.Reset;
import dev.muster.event.Position;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.WaitInterrupted;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads live events, one after the other. When the connection breaks, is silent or the gateway ends it, the reader continues at the same place, at any
 * gateway that answers. For one thread; {@link #close} may be called by another one, and ends a {@link #next} that waits.
 */
public final class EventReader implements AutoCloseable {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    /** A gateway sends at least a comment every 15 s; a connection that is silent for longer is dead. */
    private static final Duration LONGEST_SILENCE = Duration.ofSeconds(45);

    private final Function<Optional<String>, InputStream> connect;
    private final Duration longestSilence;
    private volatile long heardAt;
    private @Nullable BufferedReader lines;
    private volatile @Nullable InputStream connection;
    private @Nullable String lastId;
    private Duration pause = FIRST_PAUSE;
    private volatile boolean closed;

    /** @param connect opens the stream of events behind the one with this id */
    EventReader(Function<Optional<String>, InputStream> connect) {
        this(connect, LONGEST_SILENCE);
    }

    EventReader(Function<Optional<String>, InputStream> connect, Duration longestSilence) {
        this.connect = connect;
        this.longestSilence = longestSilence;
    }

    /**
     * Waits for the next event. After a {@link Reset} come the events that happen from then on.
     *
     * @return empty once the reader is closed
     * @throws GatewayException if the gateway refuses to send events
     */
    public Optional<Event> next() {
        while (!closed) {
            try {
                Optional<Event> event = read();
                if (event.isPresent()) {
                    pause = FIRST_PAUSE;
                    return event;
                }
            } catch (IOException | GatewayUnavailable e) {
                disconnect();
                pause();
            }
        }
        return Optional.empty();
    }

    /** Reads one event; empty if it is of a kind that this version does not know. */
    private Optional<Event> read() throws IOException {
        BufferedReader from = lines();
        String id = null;
        String type = "";
        String data = null;
        for (String line = from.readLine(); line != null; line = from.readLine()) {
            heardAt = System.nanoTime();
            if (line.isEmpty() && data != null) {
                return event(id, type, data);
            }
            if (line.startsWith("id: ")) {
                id = line.substring("id: ".length());
            } else if (line.startsWith("event: ")) {
                type = line.substring("event: ".length());
            } else if (line.startsWith("data: ")) {
                data = line.substring("data: ".length());
            }
        }
        throw new IOException("the gateway has ended the stream");
    }

    private Optional<Event> event(@Nullable String id, String type, String data) {
        Optional<Content> content = EventDocument.read(type, JsonObjectReader.read(data));
        if (content.isPresent() && content.get() instanceof Reset) {
            lastId = null;
            disconnect();
            return content.map(reset -> new Event(position(id), reset));
        }
        lastId = id;
        return content.map(some -> new Event(position(id), some));
    }

    private static Position position(@Nullable String id) {
        try {
            return Position.parse(String.valueOf(id));
        } catch (IllegalArgumentException e) {
            throw new MusterException("the gateway has sent an event without a position: " + id, e);
        }
    }

    private BufferedReader lines() {
        BufferedReader open = lines;
        if (open == null) {
            InputStream in = connect.apply(Optional.ofNullable(lastId));
            heardAt = System.nanoTime();
            connection = in;
            endWhenSilent(in);
            open = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            lines = open;
            if (closed) {
                disconnect();
            }
        }
        return open;
    }

    /** Closes the connection if nothing comes for too long, which ends the wait for its next line. */
    private void endWhenSilent(InputStream in) {
        CompletableFuture.delayedExecutor(longestSilence.toNanos() / 3, TimeUnit.NANOSECONDS)
                .execute(() -> {
                    if (connection != in) {
                        return;
                    }
                    if (System.nanoTime() - heardAt < longestSilence.toNanos()) {
                        endWhenSilent(in);
                    } else {
                        close(in);
                    }
                });
    }

    private void disconnect() {
        InputStream open = connection;
        lines = null;
        connection = null;
        close(open);
    }

    private static void close(@Nullable InputStream open) {
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                // The connection is given up in any case.
                return;
            }
        }
    }

    private void pause() {
        if (closed) {
            return;
        }
        try {
            TimeUnit.NANOSECONDS.sleep(pause.toNanos());
        } catch (InterruptedException e) {
            throw new WaitInterrupted("the next event", e);
        }
        Duration doubled = pause.multipliedBy(2);
        pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }

    @Override
    public void close() {
        closed = true;
        close(connection);
    }
}
