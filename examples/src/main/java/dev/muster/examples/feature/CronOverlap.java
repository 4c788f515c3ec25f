package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.schedule.Cron;
import dev.muster.schedule.CronContext;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.Overlap;
import java.io.PrintStream;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import javax.sql.DataSource;

/**
 * A cron skips the ticks that come while the job of an earlier one has not ended. Here the first run continues until at least
 * one more tick has passed.
 *
 * <pre>
 * jobs of the ticks that passed meanwhile: 0
 * later ticks give jobs again: true
 * </pre>
 */
final class CronOverlap implements Example {
    private final BlockingQueue<Instant> ticks = new LinkedBlockingQueue<>();
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    @Cron(value = "* * * * * *", overlap = Overlap.SKIP)
    void slowReport(CronContext ctx) throws InterruptedException {
        ticks.add(ctx.tick());
        mayEnd.await();
    }

    @Override
    public void run(DataSource database, PrintStream out) throws InterruptedException {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            Instant first = ticks.take();
            CronInfo cron;
            do {
                Thread.sleep(50);
                cron = muster.crons().find("slow_report").orElseThrow();
            } while (!cron.nextTick().orElseThrow().isAfter(first.plusSeconds(1)));
            out.println("jobs of the ticks that passed meanwhile: " + ticks.size());

            mayEnd.countDown();
            out.println("later ticks give jobs again: " + ticks.take().isAfter(first));
        }
    }
}
