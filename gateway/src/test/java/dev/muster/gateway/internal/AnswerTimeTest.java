package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class AnswerTimeTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** On a clock that has overflowed, as that of a JVM may. */
    private long now = Long.MAX_VALUE - Duration.ofSeconds(5).toNanos();

    private final AnswerTime time = new AnswerTime(Duration.ofSeconds(10).toNanos());

    private void pass(Duration by) {
        now += by.toNanos();
    }

    @Test
    void anAnswerHasTheLimitAndASecondForEach32kB() {
        time.begin(now, 64 << 10, false);

        pass(Duration.ofMillis(11_990));
        assertThat(time.isOver(now)).isFalse();
        pass(Duration.ofMillis(20));
        assertThat(time.isOver(now)).isTrue();
    }

    @Test
    void answersToRequestsOneBehindTheOtherShareTheLimit() {
        for (int i = 0; i < 10; i++) {
            assertThat(time.isOver(now)).isFalse();
            time.begin(now, 0, true);
            pass(SECOND);
        }

        pass(Duration.ofMillis(1));

        assertThat(time.isOver(now)).isTrue();
    }

    @Test
    void theTimeInWhichThereIsNoAnswerDoesNotCount() {
        time.begin(now, 0, false);
        pass(Duration.ofSeconds(9));
        time.end(now);
        pass(Duration.ofMinutes(1));
        assertThat(time.isOver(now)).isFalse();

        time.begin(now, 0, false);

        assertThat(time.isOver(now)).isFalse();
        pass(Duration.ofSeconds(2));
        assertThat(time.isOver(now)).isTrue();
    }

    @Test
    void whoTakesALargeAnswerQuicklyHasNoMoreThanTheLimitForTheNextOne() {
        time.begin(now, 32 << 20, false);
        time.end(now);

        time.begin(now, 0, false);

        pass(Duration.ofSeconds(11));
        assertThat(time.isOver(now)).isTrue();
    }

    @Test
    void aConnectionThatWaitsForARequestHasTheWholeLimitAgain() {
        time.begin(now, 0, false);
        pass(Duration.ofSeconds(9));
        time.renew();

        time.begin(now, 0, false);

        pass(Duration.ofSeconds(9));
        assertThat(time.isOver(now)).isFalse();
    }

    @Test
    void onlyARefusalThatIsTakenSlowlyCanBeEndedForOthers() {
        time.begin(now, 0, true);
        assertThat(time.canBeEnded(now, SECOND)).isFalse();
        pass(Duration.ofSeconds(2));
        assertThat(time.canBeEnded(now, SECOND)).isTrue();
        time.end(now);
        assertThat(time.canBeEnded(now, SECOND)).isFalse();

        time.begin(now, 0, false);

        pass(SECOND);
        assertThat(time.canBeEnded(now, SECOND)).isFalse();
    }
}
