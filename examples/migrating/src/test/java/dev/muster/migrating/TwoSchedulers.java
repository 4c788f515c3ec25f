package dev.muster.migrating;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.job.Job;
import dev.muster.schedule.Cron;
import dev.muster.schedule.CronContext;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.core.ConditionFactory;

/** Muster's part of a recurring job that two schedulers tick for: the relay of the guides, every second. */
public final class TwoSchedulers {
    private final Queue<Instant> musterTicks = new ConcurrentLinkedQueue<>();
    private final Queue<Instant> reports = new ConcurrentLinkedQueue<>();

    @Cron("@every 1s")
    void reportTick(CronContext ctx) {
        musterTicks.add(ctx.tick());
        MusterSide.reportFor(ctx.jobs(), ctx.tick());
    }

    @Job("report")
    void report(Instant tick) {
        reports.add(tick);
    }

    /** The ticks for which there were reports so far. */
    public List<Instant> reports() {
        return reports.stream().sorted().toList();
    }

    public List<Instant> musterTicks() {
        return List.copyOf(musterTicks);
    }

    /** Waits until Muster has ticked this many times more and every tick has its report. */
    public void awaitMoreTicks(int count) {
        int until = musterTicks.size() + count;
        patiently().until(() -> musterTicks.size() >= until && reports.containsAll(musterTicks));
    }

    /** No tick has two reports, and from the first tick of Muster on none was missed, whoever reported it first. */
    public void assertNeitherMissedNorDoubled() {
        List<Instant> all = reports();
        assertThat(all).doesNotHaveDuplicates();
        Instant first = musterTicks.stream().min(Instant::compareTo).orElseThrow();
        List<Instant> together =
                all.stream().filter(tick -> !tick.isBefore(first)).toList();
        for (int i = 1; i < together.size(); i++) {
            assertThat(together.get(i)).isEqualTo(together.get(i - 1).plusSeconds(1));
        }
    }

    public static ConditionFactory patiently() {
        return await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(20));
    }
}
