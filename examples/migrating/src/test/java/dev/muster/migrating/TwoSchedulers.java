package dev.muster.migrating;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.job.Job;
import dev.muster.schedule.Cron;
import dev.muster.schedule.CronContext;
import dev.muster.schedule.Misfire;
import dev.muster.testkit.TestDatabase;
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

    @Cron(value = "@every 1s", misfire = Misfire.CATCH_UP, catchUpLimit = 1_000) // misses none, however late it is
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

    /** No tick has two reports, and from the first tick of Muster on none was missed, whoever reported it first. Muster ticks alone. */
    public void assertNeitherMissedNorDoubled() {
        Instant last = reports().get(reports().size() - 1);
        patiently()
                .until(() -> musterTicks.stream().anyMatch(tick -> !tick.isBefore(last))
                        && reports.containsAll(musterTicks));
        List<Instant> all = reports();
        assertThat(all).doesNotHaveDuplicates();
        Instant first = musterTicks.stream().min(Instant::compareTo).orElseThrow();
        List<Instant> together =
                all.stream().filter(tick -> !tick.isBefore(first)).toList();
        for (int i = 1; i < together.size(); i++) {
            assertThat(together.get(i)).isEqualTo(together.get(i - 1).plusSeconds(1));
        }
    }

    /** The other schedulers know this machine's clock alone: the database of the test gets it, too. */
    public static void useThisMachinesClock(TestDatabase database) {
        if (database.number("SELECT count(*) FROM pg_proc WHERE proname = 'test_clock_stands_at'") > 0) {
            database.execute("SELECT test_clock_stands_at(pg_catalog.clock_timestamp())");
        }
    }

    public static ConditionFactory patiently() {
        return await().atMost(Duration.ofMinutes(2));
    }
}
