package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.schedule.Cron;
import dev.muster.schedule.CronContext;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import javax.sql.DataSource;

/**
 * A method runs on a schedule, once per tick in the whole cluster, however many nodes have it. This one ticks every second;
 * most have five fields, such as {@code 0 * * * *} for every hour.
 *
 * <pre>
 * first tick on the full second: true
 * the next one PT1S later
 * </pre>
 */
final class CronTicks implements Example {
    private final BlockingQueue<Instant> ticks = new LinkedBlockingQueue<>();

    @Cron("* * * * * *") // second, minute, hour, day of the month, month, day of the week
    void everySecond(CronContext ctx) {
        ticks.add(ctx.tick());
    }

    @Override
    public void run(DataSource database, PrintStream out) throws InterruptedException {
        try (Muster one = Muster.builder().dataSource(database).register(this).build();
                Muster two =
                        Muster.builder().dataSource(database).register(this).build()) {
            one.start();
            two.start();
            Instant first = ticks.take();
            Instant second = ticks.take();
            out.println("first tick on the full second: " + (first.getNano() == 0));
            out.println("the next one " + Duration.between(first, second).abs() + " later");
        }
    }
}
