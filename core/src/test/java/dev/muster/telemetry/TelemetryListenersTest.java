package dev.muster.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.runtime.Clock;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class TelemetryListenersTest {
    private static final Telemetry.Probe PROBE = new Telemetry.Probe(1, true);

    @AfterEach
    void clearInterrupt() {
        Thread.interrupted();
    }

    private static TelemetryListeners of(Telemetry... listeners) {
        return new TelemetryListeners(List.of(listeners), Clock.system());
    }

    private static Telemetry onProbe(Runnable action) {
        return new Telemetry() {
            @Override
            public void probed(Probe event) {
                action.run();
            }
        };
    }

    /** A method that is forgotten here would never reach a listener. */
    @Test
    void everyMethodReachesEveryListener() throws ReflectiveOperationException {
        List<String> heard = new ArrayList<>();
        Telemetry listener = (Telemetry) Proxy.newProxyInstance(
                Telemetry.class.getClassLoader(), new Class<?>[] {Telemetry.class}, (proxy, method, args) -> {
                    heard.add(method.getName());
                    return null;
                });
        TelemetryListeners both = of(listener, listener);
        List<Method> events = Arrays.stream(Telemetry.class.getMethods())
                .filter(Method::isDefault)
                .toList();
        assertThat(events).hasSizeGreaterThan(15);
        for (Method event : events) {
            heard.clear();
            TelemetryListeners.class
                    .getMethod(event.getName(), event.getParameterTypes())
                    .invoke(both, (Object) null);
            assertThat(heard).as(event.getName()).containsExactly(event.getName(), event.getName());
        }
    }

    @Test
    void whatAListenerThrowsReachesNobody() {
        List<String> heard = new ArrayList<>();
        TelemetryListeners listeners = of(
                onProbe(() -> {
                    throw new IllegalStateException("of a listener");
                }),
                onProbe(() -> {
                    throw new StackOverflowError("of a listener");
                }),
                onProbe(() -> {
                    throw new Unspeakable();
                }),
                onProbe(() -> heard.add("the last one")));
        for (int i = 0; i < 3; i++) {
            listeners.probed(PROBE);
        }
        assertThat(heard).hasSize(3);
    }

    @Test
    void failuresAreLoggedOnceAMinute() {
        AtomicLong now = new AtomicLong();
        TelemetryListeners listeners = new TelemetryListeners(
                List.of(onProbe(() -> {
                    throw new IllegalStateException("of a listener");
                })),
                now::get);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(TelemetryListeners.class);
        lines.start();
        logger.addAppender(lines);
        try {
            for (int i = 0; i < 100; i++) {
                listeners.probed(PROBE);
            }
            assertThat(lines.list).hasSize(1);
            now.set(TimeUnit.SECONDS.toNanos(61));
            listeners.probed(PROBE);
            listeners.probed(PROBE);
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list).hasSize(2);
        assertThat(lines.list.get(1).getFormattedMessage()).contains("failures_not_logged_before=99");
    }

    /** Its message throws too, so that it cannot be logged. */
    private static final class Unspeakable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("of a message");
        }
    }

    @Test
    void anInterruptOfAListenerDoesNotStayOnTheThread() {
        of(onProbe(() -> Thread.currentThread().interrupt())).probed(PROBE);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void anInterruptThatAListenerConsumesStaysOnTheThread() {
        Thread.currentThread().interrupt();
        of(onProbe(Thread::interrupted)).probed(PROBE);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void isEnabledOnlyWithAListener() {
        assertThat(TelemetryListeners.none().isEnabled()).isFalse();
        assertThat(of().isEnabled()).isFalse();
        assertThat(of(new Telemetry() {}).isEnabled()).isTrue();
    }
}
