package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.JobId;
import dev.muster.job.Priority;
import dev.muster.schedule.Cron;
import dev.muster.schedule.CronContext;
import dev.muster.schedule.Crons;
import dev.muster.schedule.Misfire;
import dev.muster.schedule.Overlap;
import java.io.PrintStream;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import javax.sql.DataSource;

/**
 * A cron reads its fields in a time zone and has its own rules for missed ticks and for runs that take too long. Crons can
 * be previewed, run by hand, paused and resumed.
 *
 * <pre>
 * next tick at 06:30 in Europe/Berlin
 * paused: true
 * run by hand: COMPLETED
 * </pre>
 */
final class CronInZone implements Example {

    @Cron("0 * * * *") // the cron and its jobs are called hourly_report
    void hourlyReport(CronContext ctx) {}

    @Cron(
            value = "30 6 * * MON-FRI",
            zone = "Europe/Berlin",
            misfire = Misfire.SKIP, // a tick that was missed, because no node was there, is not made up for
            overlap = Overlap.SKIP, // a tick is skipped while the job of an earlier one has not ended
            priority = Priority.HIGH)
    void morningMail(CronContext ctx) {}

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            Crons crons = muster.crons();
            ZonedDateTime next = crons.next("morning_mail", 1).get(0).atZone(ZoneId.of("Europe/Berlin"));
            out.println("next tick at " + next.toLocalTime() + " in " + next.getZone());

            out.println("paused: " + crons.pause("morning_mail").pausedAt().isPresent());
            JobId byHand = crons.trigger("morning_mail");
            out.println("run by hand: "
                    + muster.jobs().await(byHand, Duration.ofSeconds(30)).status());
            crons.resume("morning_mail");
        }
    }
}
