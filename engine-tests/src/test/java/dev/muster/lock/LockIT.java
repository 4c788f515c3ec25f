package dev.muster.lock;

import static dev.muster.testkit.MusterAssertions.assertThat;
import static dev.muster.testkit.MusterAssertions.assertThatThrownBy;

import dev.muster.internal.lock.LockStartupCoordinator;
import dev.muster.runtime.MusterException;
import dev.muster.testkit.FakeClock;
import dev.muster.testkit.MusterTest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@MusterTest
class LockIT {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void aHolderKnowsHowLongItMayTrustItself(Locks locks, FakeClock clock) {
        HeldLock first = locks.tryAcquire("export", MINUTE).orElseThrow();
        assertThat(first.isHeld()).isTrue();
        assertThat(locks.tryAcquire("export", MINUTE)).isEmpty();

        clock.advance(Duration.ofSeconds(50));
        assertThat(first.renew()).isTrue();
        clock.advance(Duration.ofSeconds(50));
        assertThat(first.isHeld()).isTrue();
        clock.advance(Duration.ofSeconds(20));
        assertThat(first.isHeld()).isFalse();

        HeldLock second = locks.tryAcquire("export", MINUTE).orElseThrow();
        assertThat(second.token()).isGreaterThan(first.token());
        assertThat(second.fence()).isGreaterThan(first.fence());
        assertThat(first.renew()).isFalse();
        assertThat(first.release()).isFalse();
        second.close();
        assertThat(second.isHeld()).isFalse();
        assertThat(locks.list()).isEmpty();
    }

    @Test
    void namesAndTimesAreChecked(Locks locks) {
        assertThatThrownBy(() -> locks.tryAcquire("No Such Name", MINUTE)).hasMessageContaining("lock name");
        assertThatThrownBy(() -> locks.tryAcquire("export", Duration.ofMillis(1)))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("100ms to 365d");
    }

    @Test
    void startUpWorkIsDoneByOne(Locks locks) {
        StartupCoordinator one = new LockStartupCoordinator(locks);
        StartupCoordinator other = new LockStartupCoordinator(locks);

        assertThat(one.tryAcquire("clean_up", MINUTE)).isTrue();
        assertThat(other.tryAcquire("clean_up", MINUTE)).isFalse();
        other.release("clean_up");
        assertThat(other.tryAcquire("clean_up", MINUTE)).isFalse();
        one.release("clean_up");
        assertThat(other.tryAcquire("clean_up", MINUTE)).isTrue();
    }
}
