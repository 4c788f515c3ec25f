package dev.muster.internal.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.config.MusterConfig;
import dev.muster.engine.EngineIT;
import dev.muster.engine.SetClock;
import dev.muster.internal.daemon.DaemonStore.Holder;
import dev.muster.internal.provider.Store;
import dev.muster.internal.provider.StoreProvider;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.job.BackoffPolicy;
import dev.muster.runtime.Clock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a node that waits for daemons elsewhere costs. A slow machine makes the counts smaller, never larger. */
class IdleDaemonsIT extends EngineIT {
    private static final Duration LEASE = Duration.ofMillis(1500);

    @Test
    void aNodeLooksForADaemonOnceInTheTimeThatItsLeaseStillHolds() {
        AtomicInteger calls = new AtomicInteger();
        try (Store store = ServiceLoader.load(StoreProvider.class)
                .findFirst()
                .orElseThrow()
                .open(database.dataSource(), MusterConfig.defaults())) {
            store.connect(Store.Events.ignored());
            store.port(DaemonStore.class).declare(new Holder("holder", new UUID(2, 2)), List.of("feed"), List.of());
            // At each look this much of the lease is left, as it is while its holder renews it.
            SetClock.stop(database);
            database.execute("UPDATE muster_daemons SET node_id = 'holder', incarnation = gen_random_uuid(), token = 1,"
                    + " status = 'running', lease_until = muster_clock() + interval '" + LEASE.toMillis() + " ms'");
            DaemonKeeper keeper = new DaemonKeeper(
                    counted(store.port(DaemonStore.class), calls),
                    List.of(new DaemonHandler("feed", false, Duration.ZERO, -1, BackoffPolicy.DEFAULT, ctx -> {})),
                    new DaemonKeeper.Host(
                            () -> new Holder("idle", new UUID(1, 1)),
                            () -> System.nanoTime() + TimeUnit.HOURS.toNanos(1),
                            () -> {},
                            () -> {}),
                    store::connection,
                    new DaemonKeeper.Times(LEASE, Duration.ofMillis(300), Duration.ofSeconds(1), Duration.ofSeconds(1)),
                    TelemetryListeners.none(),
                    Clock.system());
            long start = System.nanoTime();
            keeper.start();
            await().atMost(Duration.ofSeconds(90)).until(() -> calls.get() >= 4);
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            keeper.stop();

            // Declared, looked, and looked twice more: each time when the lease would have ended.
            assertThat(took).isGreaterThanOrEqualTo(LEASE.multipliedBy(2));
        }
    }

    private static DaemonStore counted(DaemonStore store, AtomicInteger calls) {
        return (DaemonStore) Proxy.newProxyInstance(
                DaemonStore.class.getClassLoader(), new Class<?>[] {DaemonStore.class}, (proxy, method, arguments) -> {
                    calls.incrementAndGet();
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
