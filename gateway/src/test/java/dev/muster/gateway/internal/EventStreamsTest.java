package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.gateway.internal.EventStreams.Connection;
import dev.muster.gateway.internal.EventStreams.Listener;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Stream;
import dev.muster.internal.runtime.LogContext;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.WriteListener;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EventStreamsTest {

    /** A connection that broke before the stream began. */
    private static final class Broken extends ServletOutputStream {
        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new IllegalStateException("the response is over");
        }

        @Override
        public void write(int b) {}
    }

    private record Silent(AtomicBoolean closed) implements Stream {
        @Override
        public Optional<byte[]> take() {
            return Optional.empty();
        }

        @Override
        public boolean isOver() {
            return false;
        }

        @Override
        public void end(String reason) {}

        @Override
        public void close() {
            closed.set(true);
        }
    }

    /** Returns these values, by the names of methods, and otherwise null. */
    private static <T> T answering(Class<T> type, Map<String, Object> values) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, args) -> answer(values, method.getName())));
    }

    private static @Nullable Object answer(Map<String, Object> values, String method) {
        return values.get(method);
    }

    @Test
    void aStreamThatCannotBeginTakesNoPlace() {
        AtomicBoolean closed = new AtomicBoolean();
        ServletResponse response = answering(ServletResponse.class, Map.of("getOutputStream", new Broken()));
        AsyncContext context = answering(AsyncContext.class, Map.of("getResponse", response));
        try (EventStreams streams = new EventStreams(1, 1, true, LogContext.of("n1", null))) {
            Connection connection =
                    streams.prepare(ready -> new Silent(closed), new Listener("key:1", "somebody", () -> true));
            assertThat(streams.count()).isEqualTo(1);

            assertThat(connection.start(context)).isDone();

            assertThat(streams.count()).isZero();
            assertThat(closed).isTrue();
        }
    }

    @Test
    void aCallerHasItsShareAndOthersHaveTheirs() {
        try (EventStreams streams = new EventStreams(4, 2, true, LogContext.of("n1", null))) {
            Stream.Opener opener = ready -> new Silent(new AtomicBoolean());
            streams.prepare(opener, new Listener("key:1", "one", () -> true));
            streams.prepare(opener, new Listener("key:1", "another key of the same caller", () -> true));

            assertThatThrownBy(() -> streams.prepare(opener, new Listener("key:1", "one", () -> true)))
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining("gateway.max_event_clients_per_caller")
                    .extracting(refused -> ((Refusal) refused).status())
                    .isEqualTo(429);

            assertThat(streams.count()).isEqualTo(2);
            streams.prepare(opener, new Listener("key:2", "two", () -> true));
            assertThat(streams.count()).isEqualTo(3);
        }
    }
}
