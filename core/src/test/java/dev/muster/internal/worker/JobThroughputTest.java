package dev.muster.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class JobThroughputTest {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int THREADS = 16;

    private final JobThroughput throughput = new JobThroughput();
    private long now = 1_000_000 * MS;

    @Test
    void nothingIsKnownAtFirst() {
        assertThat(ahead()).isZero();
    }

    @Test
    void longJobsAreNotTakenAhead() {
        run(THREADS, 10_000 * MS);
        assertThat(ahead()).isZero();
    }

    @Test
    void aNodeThatHasJustBegunIsTrustedWithAFewRoundsHoweverShortItsJobs() {
        run(4, 1_000);
        assertThat(ahead()).isEqualTo(4 * THREADS);
    }

    @Test
    void whatItHasShownItIsTrustedWithAndSlowlyNoLonger() {
        run(4, 1_000);
        ahead();
        now += 10 * MS;
        run(100, 1_000);
        assertThat(ahead()).isEqualTo(2_000);

        now += 10 * MS;
        assertThat(ahead()).isEqualTo(1_000);
        now += 10 * MS;
        assertThat(ahead()).isEqualTo(500);
    }

    @Test
    void threadsThatWaitForAProcessorCountAsTheyAreNotAsTheirHandlersSay() {
        run(4, 1_000);
        ahead();
        now += 1_000 * MS;
        run(1_000, 1_000);
        assertThat(ahead()).isEqualTo(200);
    }

    private int ahead() {
        return throughput.jobsWithin(200 * MS, THREADS, now);
    }

    private void run(int jobs, long each) {
        for (int i = 0; i < jobs; i++) {
            throughput.record(each);
        }
    }

    @Test
    void threadsAreStalledUntilAJobEnds() {
        assertThat(throughput.isStalled()).isFalse();
        throughput.record(1);
        throughput.stalled(TimeUnit.SECONDS.toNanos(3));
        assertThat(throughput.isStalled()).isTrue();
        throughput.record(1);
        assertThat(throughput.isStalled()).isFalse();
    }
}
