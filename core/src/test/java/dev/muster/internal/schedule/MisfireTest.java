package dev.muster.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.schedule.DueTicks.Tick;
import dev.muster.job.JobOptions;
import dev.muster.schedule.CronDefinition;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.CronInfo.Source;
import dev.muster.schedule.Misfire;
import dev.muster.schedule.Overlap;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which of several due ticks fire. */
class MisfireTest {
    private static final Instant FIRST = Instant.parse("2026-05-01T00:00:00Z");
    private static final Instant TENTH = FIRST.plus(Duration.ofMinutes(9));

    private static List<Tick> wanted(Misfire misfire, Instant now) {
        CronDefinition definition = definition("* * * * *", misfire);
        return DueTicks.wanted(cron(definition), definition.schedule(), now, Scheduler.MISSED_AFTER);
    }

    private static CronDefinition definition(String expression, Misfire misfire) {
        return new CronDefinition(
                "a", expression, "UTC", misfire, 3, Overlap.ALLOW, Duration.ZERO, "a", "null", JobOptions.NONE);
    }

    private static CronInfo cron(CronDefinition definition) {
        return new CronInfo(
                definition,
                Source.STATIC,
                Optional.empty(),
                Optional.empty(),
                Optional.of(FIRST),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                FIRST);
    }

    private static Tick inTime(Instant tick) {
        return new Tick(tick, false);
    }

    private static Tick late(Instant tick) {
        return new Tick(tick, true);
    }

    @Test
    void oneTickInTimeFiresWhateverThePolicy() {
        for (Misfire misfire : Misfire.known()) {
            assertThat(wanted(misfire, FIRST.plusMillis(10))).containsExactly(inTime(FIRST));
            assertThat(wanted(misfire, FIRST.plusSeconds(30))).containsExactly(inTime(FIRST));
        }
    }

    @Test
    void tenMissedTicks() {
        Instant now = TENTH.plusSeconds(45);

        assertThat(wanted(Misfire.SKIP, now)).isEmpty();
        assertThat(wanted(Misfire.FIRE_ONCE, now)).containsExactly(late(TENTH));
        assertThat(wanted(Misfire.CATCH_UP, now))
                .containsExactly(late(TENTH.minusSeconds(120)), late(TENTH.minusSeconds(60)), late(TENTH));
    }

    @Test
    void nineMissedTicksAndOneInTime() {
        Instant now = TENTH.plusSeconds(5);

        assertThat(wanted(Misfire.SKIP, now)).containsExactly(inTime(TENTH));
        assertThat(wanted(Misfire.FIRE_ONCE, now)).containsExactly(late(TENTH));
        assertThat(wanted(Misfire.CATCH_UP, now))
                .containsExactly(late(TENTH.minusSeconds(120)), late(TENTH.minusSeconds(60)), inTime(TENTH));
    }

    @Test
    void fewerMissedThanTheLimit() {
        assertThat(wanted(Misfire.CATCH_UP, FIRST.plusSeconds(105)))
                .containsExactly(late(FIRST), late(FIRST.plusSeconds(60)));
    }

    private static List<Tick> everySecond(Misfire misfire, Duration late, Duration allowance) {
        CronDefinition definition = definition("@every 1s", misfire);
        return DueTicks.wanted(cron(definition), definition.schedule(), FIRST.plus(late), allowance);
    }

    @Test
    void ticksThatAreLateTogetherFireOneByOne() {
        for (Misfire misfire : Misfire.known()) {
            assertThat(everySecond(misfire, Duration.ofMillis(4_500), Scheduler.MISSED_AFTER))
                    .containsExactly(
                            inTime(FIRST),
                            inTime(FIRST.plusSeconds(1)),
                            inTime(FIRST.plusSeconds(2)),
                            inTime(FIRST.plusSeconds(3)),
                            inTime(FIRST.plusSeconds(4)));
        }
    }

    @Test
    void timeBehindOthersIsNotLateness() {
        assertThat(everySecond(Misfire.SKIP, Duration.ofSeconds(60), Duration.ofSeconds(90)))
                .hasSize(61)
                .allMatch(tick -> !tick.isCatchUp());
        assertThat(everySecond(Misfire.SKIP, Duration.ofSeconds(60), Scheduler.MISSED_AFTER))
                .hasSize(31);
    }

    @Test
    void aTickOfTheScheduleBeforeAChangeCountsToo() {
        for (Misfire misfire : Misfire.known()) {
            CronDefinition yearly = definition("0 0 31 12 *", misfire);
            assertThat(DueTicks.wanted(cron(yearly), yearly.schedule(), FIRST.plusSeconds(5), Scheduler.MISSED_AFTER))
                    .containsExactly(inTime(FIRST));
        }
        CronDefinition yearly = definition("0 0 31 12 *", Misfire.FIRE_ONCE);
        assertThat(DueTicks.wanted(cron(yearly), yearly.schedule(), FIRST.plusSeconds(300), Scheduler.MISSED_AFTER))
                .containsExactly(late(FIRST));
    }
}
