package dev.muster.migrating;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.kagkarlsson.scheduler.task.ExecutionComplete;
import com.github.kagkarlsson.scheduler.task.schedule.Schedules;
import dev.muster.schedule.Schedule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.TimeZone;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jobrunr.scheduling.cron.CronExpression;
import org.junit.jupiter.api.Test;

/** The two expressions in each row of a guide's table of crons tick at the same instants. */
class CronTablesTest {
    private static final Instant START = Instant.parse("2026-11-18T02:13:01Z");
    private static final ZoneId UTC = ZoneOffset.UTC;
    private static final int TICKS = 60;
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([^`]+)` \\| `([^`]+)`");

    private static void compare(String guide, Function<String, UnaryOperator<Instant>> parser) throws IOException {
        String page = Files.readString(Path.of("../../docs/migrating-from-" + guide + ".md"));
        String table = page.substring(page.indexOf("<!-- crons -->"));
        int rows = 0;
        for (Matcher row = ROW.matcher(table.substring(0, table.indexOf("\n\n"))); row.find(); rows++) {
            UnaryOperator<Instant> theirs = parser.apply(row.group(1));
            List<Instant> ticks = new ArrayList<>();
            for (Instant tick = START; ticks.size() < TICKS; ticks.add(tick)) {
                tick = theirs.apply(tick);
            }
            assertThat(Schedule.parse(row.group(2), UTC).next(START, TICKS))
                    .as("%s and %s", row.group(1), row.group(2))
                    .isEqualTo(ticks);
        }
        assertThat(rows).as("rows of the table").isGreaterThan(3);
    }

    @Test
    void quartz() throws IOException {
        compare("quartz", expression -> {
            try {
                org.quartz.CronExpression cron = new org.quartz.CronExpression(expression);
                cron.setTimeZone(TimeZone.getTimeZone(UTC));
                return tick -> cron.getNextValidTimeAfter(Date.from(tick)).toInstant();
            } catch (ParseException e) {
                throw new IllegalArgumentException(e);
            }
        });
    }

    @Test
    void jobRunr() throws IOException {
        compare("jobrunr", expression -> tick -> new CronExpression(expression).next(START, tick, UTC));
    }

    @Test
    void dbScheduler() throws IOException {
        compare(
                "db-scheduler",
                expression -> tick ->
                        Schedules.cron(expression, UTC).getNextExecutionTime(ExecutionComplete.simulatedSuccess(tick)));
    }

    /** 02:30 does not exist on the first of these days in New York, and 01:30 comes twice on the second. */
    @Test
    void clockChanges() throws ParseException {
        ZoneId zone = ZoneId.of("America/New_York");
        Instant forward = Instant.parse("2027-03-13T12:00:00Z");
        Instant back = Instant.parse("2027-11-06T12:00:00Z");
        assertThat(Schedule.parse("30 2 * * *", zone).next(forward)).contains(Instant.parse("2027-03-14T07:00:00Z"));
        assertThat(Schedule.parse("30 1 * * *", zone).next(back, 2))
                .containsExactly(Instant.parse("2027-11-07T05:30:00Z"), Instant.parse("2027-11-08T06:30:00Z"));

        assertThat(quartz("0 30 2 * * ?", zone, forward)).isEqualTo("2027-03-15T06:30:00Z");
        assertThat(quartz("0 30 1 * * ?", zone, back)).isEqualTo("2027-11-07T06:30:00Z");
        assertThat(new CronExpression("30 2 * * *").next(forward, forward, zone))
                .isEqualTo("2027-03-14T07:30:00Z");
        assertThat(new CronExpression("30 1 * * *").next(back, back, zone)).isEqualTo("2027-11-07T05:30:00Z");
        assertThat(dbScheduler("0 30 2 * * *", zone, forward)).isEqualTo("2027-03-15T06:30:00Z");
        assertThat(dbScheduler("0 30 1 * * *", zone, back)).isEqualTo("2027-11-07T05:30:00Z");
    }

    private static Instant quartz(String expression, ZoneId zone, Instant after) throws ParseException {
        org.quartz.CronExpression cron = new org.quartz.CronExpression(expression);
        cron.setTimeZone(TimeZone.getTimeZone(zone));
        return cron.getNextValidTimeAfter(Date.from(after)).toInstant();
    }

    private static Instant dbScheduler(String expression, ZoneId zone, Instant after) {
        return Schedules.cron(expression, zone).getNextExecutionTime(ExecutionComplete.simulatedSuccess(after));
    }
}
