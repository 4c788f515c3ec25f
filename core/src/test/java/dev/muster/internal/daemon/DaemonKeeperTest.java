package dev.muster.internal.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.internal.daemon.DaemonStore.Claim;
import dev.muster.internal.daemon.DaemonStore.Holder;
import dev.muster.internal.daemon.DaemonStore.Ref;
import dev.muster.internal.daemon.DaemonStore.Survey;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.job.BackoffPolicy;
import dev.muster.job.Fence;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a node that always runs more than its share moves its daemon. */
class DaemonKeeperTest {
    private static final Duration RENEW = Duration.ofSeconds(1);

    private final AtomicLong now = new AtomicLong(1);
    private final AtomicInteger surveys = new AtomicInteger();
    private final AtomicInteger claims = new AtomicInteger();
    private final AtomicInteger releases = new AtomicInteger();
    private volatile boolean othersTakeIt;
    private volatile boolean elsewhere;

    private final DaemonKeeper keeper = new DaemonKeeper(
            store(),
            List.of(new DaemonHandler(
                    "feed",
                    false,
                    Duration.ZERO,
                    -1,
                    BackoffPolicy.DEFAULT,
                    ctx -> ctx.awaitShutdown(Duration.ofMinutes(5)))),
            new DaemonKeeper.Host(
                    () -> new Holder("n1", new UUID(1, 1)),
                    () -> now.get() + Duration.ofHours(1).toNanos(),
                    () -> {},
                    () -> {}),
            () -> {
                throw new AssertionError("nobody asks for a connection");
            },
            new DaemonKeeper.Times(Duration.ofHours(2), RENEW, RENEW, RENEW),
            TelemetryListeners.none(),
            now::get);

    /** Of one daemon, which another node, that runs fewer, could run. */
    private DaemonStore store() {
        return (DaemonStore) Proxy.newProxyInstance(
                DaemonStore.class.getClassLoader(),
                new Class<?>[] {DaemonStore.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "survey" -> survey((Collection<?>) arguments[2]);
                    case "claim" -> elsewhere ? Optional.empty() : Optional.of(claim());
                    case "renew" -> Set.copyOf((Collection<?>) arguments[0]);
                    case "release" -> released();
                    default -> method.getReturnType() == boolean.class ? true : null;
                });
    }

    private Survey survey(Collection<?> running) {
        boolean here = running.contains("feed");
        boolean free = !here && !elsewhere;
        surveys.incrementAndGet();
        return new Survey(free, Optional.empty(), here ? "feed" : null, 1);
    }

    private Claim claim() {
        int token = claims.incrementAndGet();
        return new Claim(new Ref("feed", "", token), new Fence(1, token), 0);
    }

    private Object released() {
        elsewhere = othersTakeIt;
        return releases.incrementAndGet();
    }

    @BeforeEach
    void start() {
        keeper.start();
    }

    @AfterEach
    void stop() {
        keeper.stop();
    }

    /** Two surveys begin and end after this was called. */
    private void awaitSurveys() {
        for (int i = 0; i < 3; i++) {
            int before = surveys.get();
            keeper.wake();
            await().until(() -> surveys.get() > before);
        }
    }

    private void awaitReleases(int count) {
        await().until(() -> {
            keeper.wake();
            return releases.get() >= count;
        });
    }

    private void awaitClaims(int count) {
        await().until(() -> {
            keeper.wake();
            return claims.get() >= count;
        });
    }

    @Test
    void aDaemonThatComesBackAfterAMoveIsMovedAgain() {
        othersTakeIt = true;
        awaitReleases(1);
        awaitSurveys();

        elsewhere = false;
        awaitClaims(2);
        now.addAndGet(RENEW.toNanos());

        awaitReleases(2);
    }

    @Test
    void aDaemonThatNobodyTookIsNotMovedAgainForAWhile() {
        awaitReleases(1);
        awaitClaims(2);

        now.addAndGet(Duration.ofMinutes(9).toNanos());
        awaitSurveys();
        assertThat(releases.get()).isEqualTo(1);

        now.addAndGet(Duration.ofMinutes(1).toNanos());
        awaitReleases(2);
    }
}
