package dev.muster.postgres.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who waits long for an answer makes somebody look for another server. */
class SilenceWatchTest {
    private static final Duration LIMIT = Duration.ofMillis(30);

    private final LentConnections calls = new LentConnections();
    private final AtomicInteger looks = new AtomicInteger();
    private volatile boolean wanted = true;
    private final SilenceWatch watch = new SilenceWatch(calls, LIMIT, () -> wanted, looks::incrementAndGet);

    private final Connection connection = (Connection) Proxy.newProxyInstance(
            SilenceWatchTest.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, args) -> null);

    private LentConnections.Use call() {
        LentConnections.Use use = calls.begin(connection);
        watch.begun();
        return use;
    }

    @Test
    void aCallThatWaitsIsLookedAfterUntilItEnds() {
        assertThat(watch.isAwake()).as("before the first call").isFalse();
        LentConnections.Use first = call();
        await().until(() -> looks.get() >= 3);
        calls.end(first);
        await("the end of the last look").until(() -> !watch.isAwake());

        int before = looks.get();
        call();
        await("the next one").until(() -> looks.get() > before);
    }

    @Test
    void whileOneWaitsOthersThatAreQuickChangeNothing() {
        call();
        await().until(() -> {
            calls.end(call());
            return looks.get() >= 2;
        });
    }

    /** Threads that outlive what they were started for keep the class loader of an application that is restarted. */
    @Test
    void nothingIsLeftOfOneThatIsClosed() {
        call();
        await().until(() -> looks.get() > 0);
        watch.close();
        await("the end of the thread").until(() -> !watch.isAwake());

        call();
        assertThat(watch.isAwake()).isFalse();
    }

    @Test
    void theThreadEndsOnceANodeNoticesSilence() {
        SilenceWatch patient = new SilenceWatch(calls, Duration.ofDays(1), () -> wanted, looks::incrementAndGet);
        calls.begin(connection);
        patient.begun();
        assertThat(patient.isAwake()).isTrue();

        wanted = false;
        patient.lookAgain();
        await("the end of the thread").until(() -> !patient.isAwake());
        assertThat(looks).hasValue(0);
    }

    @Test
    void nobodyLooksWhereANodeNoticesIt() {
        call();
        await().until(() -> looks.get() > 0);
        wanted = false;
        await("the end of the last look").until(() -> !watch.isAwake());

        call();
        assertThat(watch.isAwake()).isFalse();
    }
}
