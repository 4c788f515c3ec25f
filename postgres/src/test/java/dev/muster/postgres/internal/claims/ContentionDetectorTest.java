package dev.muster.postgres.internal.claims;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ContentionDetectorTest {
    private final AtomicLong nanos = new AtomicLong();
    private final ContentionDetector contention = new ContentionDetector(nanos::get);

    @Test
    void severalNodesThatWorkOffABacklogAreACrowd() {
        exchanges(200, 500);
        assertThat(contention.isCrowded(3)).isTrue();
        assertThat(contention.isCrowded(2))
                .as("two keep the database just busy enough")
                .isFalse();
    }

    @Test
    void nodesThatHaveLittleToDoAreNoneHoweverMany() {
        exchanges(200, 50);
        assertThat(contention.isCrowded(10)).isFalse();
    }

    @Test
    void whenTheBacklogIsGoneSoIsTheCrowd() {
        exchanges(200, 500);
        exchanges(200, 50);
        assertThat(contention.isCrowded(3)).isFalse();
    }

    /** This many exchanges of this many jobs each, a hundred per second. */
    private void exchanges(int count, int jobs) {
        for (int i = 0; i < count; i++) {
            nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));
            contention.exchanged(jobs);
        }
    }
}
