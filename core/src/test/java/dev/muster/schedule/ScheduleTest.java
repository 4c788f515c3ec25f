package dev.muster.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.testing.Seeds;
import dev.muster.testing.Sizes;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ScheduleTest {
    private static final ZoneId UTC = ZoneId.of("UTC");
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final ZoneId NEW_YORK = ZoneId.of("America/New_York");
    private static final ZoneId LORD_HOWE = ZoneId.of("Australia/Lord_Howe");

    private static List<String> ticks(String expression, ZoneId zone, String after, int count) {
        return Schedule.parse(expression, zone).next(Instant.parse(after), count).stream()
                .map(Instant::toString)
                .toList();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            */15 * * * *       | 2026-01-01T00:00:00Z | 2026-01-01T00:15:00Z
            5/10 * * * *       | 2026-01-01T00:00:00Z | 2026-01-01T00:05:00Z
            */10 * * * * *     | 2026-01-01T00:00:05Z | 2026-01-01T00:00:10Z
            59 23 31 12 *      | 2026-01-01T00:00:00Z | 2026-12-31T23:59:00Z
            0 0 1 1 *          | 2026-12-31T23:59:59Z | 2027-01-01T00:00:00Z
            0 12 29 2 *        | 2026-01-01T00:00:00Z | 2028-02-29T12:00:00Z
            0 0 29 2 1#5       | 2026-01-01T00:00:00Z | 2028-02-29T00:00:00Z
            0 0 * * MON-FRI    | 2026-01-02T00:00:00Z | 2026-01-05T00:00:00Z
            0 0 * * SUN-TUE    | 2026-01-06T00:00:00Z | 2026-01-11T00:00:00Z
            0 0 * * 7          | 2026-01-01T00:00:00Z | 2026-01-04T00:00:00Z
            0 0 * * 5-7        | 2026-01-03T00:00:00Z | 2026-01-04T00:00:00Z
            0 0 13 * FRI       | 2026-01-02T00:00:00Z | 2026-01-09T00:00:00Z
            0 0 13 * FRI       | 2026-01-09T00:00:00Z | 2026-01-13T00:00:00Z
            0 0 L * ?          | 2026-02-01T00:00:00Z | 2026-02-28T00:00:00Z
            0 0 L-3 * *        | 2026-01-01T00:00:00Z | 2026-01-28T00:00:00Z
            0 0 LW * *         | 2026-01-01T00:00:00Z | 2026-01-30T00:00:00Z
            0 0 1W * *         | 2026-08-01T00:00:00Z | 2026-08-03T00:00:00Z
            0 0 * * FRIL       | 2026-01-01T00:00:00Z | 2026-01-30T00:00:00Z
            0 0 * * MON#2      | 2026-01-01T00:00:00Z | 2026-01-12T00:00:00Z
            0 0 5,L jan,MAR *  | 2026-01-05T00:00:00Z | 2026-01-31T00:00:00Z
            @hourly            | 2026-01-01T00:00:00Z | 2026-01-01T01:00:00Z
            @midnight          | 2026-01-01T00:00:00Z | 2026-01-02T00:00:00Z
            @weekly            | 2026-01-01T00:00:00Z | 2026-01-04T00:00:00Z
            @yearly            | 2026-01-01T00:00:00Z | 2027-01-01T00:00:00Z
            @every 90s         | 2026-01-01T00:00:00Z | 2026-01-01T00:01:30Z
            """)
    void theNextTick(String expression, String after, String next) {
        assertThat(ticks(expression, UTC, after, 1)).containsExactly(next);
    }

    @Test
    void aTickInTheGapComesAtItsEnd() {
        // 2026-03-08 02:00 EST becomes 03:00 EDT.
        assertThat(ticks("30 2 * * *", NEW_YORK, "2026-03-07T12:00:00Z", 2))
                .containsExactly("2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z");
        assertThat(ticks("*/20 2 * * *", NEW_YORK, "2026-03-08T00:00:00Z", 2))
                .containsExactly("2026-03-08T07:00:00Z", "2026-03-09T06:00:00Z");
        // 2026-10-04 02:00 becomes 02:30.
        assertThat(ticks("15 2 * * *", LORD_HOWE, "2026-10-03T12:00:00Z", 2))
                .containsExactly("2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z");
        assertThat(Schedule.parse("30 2 * * *", NEW_YORK).next(Instant.parse("2026-03-08T06:59:59.999999999Z")))
                .contains(Instant.parse("2026-03-08T07:00:00Z"));
    }

    @Test
    void fixedHoursTickOnceInARepeatedHourAndWildcardsEachTime() {
        // 2026-10-25 03:00 CEST becomes 02:00 CET.
        assertThat(ticks("30 2 * * *", BERLIN, "2026-10-24T12:00:00Z", 2))
                .containsExactly("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
        assertThat(ticks("30 * * * *", BERLIN, "2026-10-25T00:00:00Z", 3))
                .containsExactly("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z");
        assertThat(ticks("0 */2 * * *", BERLIN, "2026-10-24T23:00:00Z", 3))
                .containsExactly("2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z", "2026-10-25T03:00:00Z");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            61 * * * *       | the minute field '61' is not allowed; it takes 0 to 59
            * 24 * * *       | the hour field '24' is not allowed; it takes 0 to 23
            * 22-2 * * *     | the hour field '22-2' is not allowed
            * * 0 * *        | the day-of-month field '0' is not allowed; it takes 1 to 31
            * * * FOO *      | the month field 'FOO' is not allowed; it takes 1 to 12 and JAN to DEC
            * * * * 8        | the day-of-week field '8' is not allowed; it takes 0 to 7
            */0 * * * *      | the minute field '*/0' is not allowed
            1,,2 * * * *     | the minute field '1,,2' is not allowed
            60 * * * * *     | the second field '60' is not allowed
            * * * *          | has 4 fields; it takes 5
            * * * * * * *    | has 7 fields
            @sometimes       | there is no such macro; allowed are @hourly
            @every           | @every
            @every 10ms      | @every takes 1s to 366d
            0 0 30 2 *       | never ticks
            0 0 31 4,6 *     | never ticks
            """)
    void whatMakesNoSenseIsRefusedAndNamed(String expression, String message) {
        assertThatThrownBy(() -> Schedule.parse(expression, UTC))
                .isInstanceOf(InvalidCron.class)
                .hasMessageContaining(message);
    }

    @Test
    void nothingAtAllIsRefused() {
        assertThatThrownBy(() -> Schedule.parse("  ", UTC)).hasMessageContaining("has 0 fields");
    }

    @Test
    void theLastTicksOfALongSpanAreFoundFromItsEnd() {
        Schedule schedule = Schedule.parse("* * * * * *", UTC);
        Instant end = Instant.parse("2026-01-01T00:00:00.5Z");

        assertThat(schedule.last(Instant.parse("1980-01-01T00:00:00Z"), end, 3))
                .containsExactly(
                        Instant.parse("2025-12-31T23:59:58Z"),
                        Instant.parse("2025-12-31T23:59:59Z"),
                        Instant.parse("2026-01-01T00:00:00Z"));
        assertThat(schedule.last(end.minusSeconds(1), end, 3)).hasSize(1);
        Instant tick = Instant.parse("2026-01-01T00:00:00Z");
        assertThat(schedule.last(tick, tick, 3)).containsExactly(tick);
    }

    /** Days around what is difficult: both changes of the clocks, a leap day, the end of the year. */
    static Stream<Arguments> difficultDays() {
        return Stream.of(
                        Stream.of("2026-03-08", "2026-11-01").map(day -> Arguments.of(NEW_YORK, LocalDate.parse(day))),
                        Stream.of("2026-03-29", "2026-10-25").map(day -> Arguments.of(BERLIN, LocalDate.parse(day))),
                        Stream.of("2026-04-05", "2026-10-04").map(day -> Arguments.of(LORD_HOWE, LocalDate.parse(day))),
                        Stream.of(NEW_YORK, BERLIN, LORD_HOWE)
                                .flatMap(zone -> Stream.of("2028-02-29", "2026-12-31")
                                        .map(day -> Arguments.of(zone, LocalDate.parse(day)))))
                .flatMap(days -> days);
    }

    @ParameterizedTest
    @MethodSource("difficultDays")
    void ticksAreThoseOfAWalkOverEveryMinute(ZoneId zone, LocalDate day) {
        long seed = Seeds.next(getClass());
        Random random = new Random(seed);
        Instant from = day.minusDays(2).atStartOfDay(zone).toInstant();
        Instant to = day.plusDays(3).atStartOfDay(zone).toInstant();
        for (int i = 0; i < Sizes.of(15, 150); i++) {
            RandomFields fields = RandomFields.near(day, random);
            Schedule schedule = ScheduleParser.parse(fields.text(), zone);

            assertThat(ticksOf(schedule, from, to))
                    .as("%s in %s, seed %d", fields.text(), zone, seed)
                    .isEqualTo(walk(fields, zone, from, to));
        }
    }

    @ParameterizedTest
    @MethodSource("difficultDays")
    void whereASearchStartsDoesNotChangeWhatItFinds(ZoneId zone, LocalDate day) {
        long seed = Seeds.next(getClass());
        Random random = new Random(seed);
        Instant from = day.minusDays(1).atStartOfDay(zone).toInstant();
        Instant to = day.plusDays(2).atStartOfDay(zone).toInstant();
        for (int i = 0; i < Sizes.of(4, 20); i++) {
            RandomFields fields = RandomFields.near(day, random);
            Schedule schedule = ScheduleParser.parse(fields.text(), zone);
            TreeSet<Instant> walked = new TreeSet<>(walk(fields, zone, from, to));
            for (int j = 0; j < 50; j++) {
                Instant after = from.plusSeconds(random.nextInt(2 * 24 * 3600)).plusNanos(random.nextInt(2));
                Instant expected = walked.higher(after);
                if (expected != null) {
                    assertThat(schedule.next(after))
                            .as("%s in %s after %s, seed %d", fields.text(), zone, after, seed)
                            .contains(expected);
                }
            }
        }
    }

    private static List<Instant> ticksOf(Schedule schedule, Instant from, Instant to) {
        List<Instant> ticks = new ArrayList<>();
        for (Instant tick = schedule.next(from.minusNanos(1)).orElse(to);
                tick.isBefore(to);
                tick = schedule.next(tick).orElse(to)) {
            ticks.add(tick);
        }
        return ticks;
    }

    /** The rule, minute by minute. */
    private static List<Instant> walk(RandomFields fields, ZoneId zone, Instant from, Instant to) {
        ZoneRules rules = zone.getRules();
        List<Instant> ticks = new ArrayList<>();
        for (Instant minute = from; minute.isBefore(to); minute = minute.plusSeconds(60)) {
            LocalDateTime local = LocalDateTime.ofInstant(minute, zone);
            boolean firstTime = rules.getValidOffsets(local).get(0).equals(rules.getOffset(minute));
            boolean matches = fields.match(local) && (firstTime || fields.everyHour());
            if (matches || endsGapWithTick(fields, rules, minute)) {
                ticks.add(minute);
            }
        }
        return ticks;
    }

    private static boolean endsGapWithTick(RandomFields fields, ZoneRules rules, Instant minute) {
        ZoneOffsetTransition change = rules.nextTransition(minute.minusSeconds(1));
        if (change == null || !change.getInstant().equals(minute) || !change.isGap()) {
            return false;
        }
        return Stream.iterate(change.getDateTimeBefore(), skipped -> skipped.plusMinutes(1))
                .takeWhile(skipped -> skipped.isBefore(change.getDateTimeAfter()))
                .anyMatch(fields::match);
    }

    /** Fields made at random, with what they mean kept beside their text. */
    private record RandomFields(
            TreeSet<Integer> minutes,
            TreeSet<Integer> hours,
            String hourText,
            TreeSet<Integer> days,
            TreeSet<Integer> months,
            TreeSet<Integer> weekdays) {

        static RandomFields near(LocalDate day, Random random) {
            TreeSet<Integer> hours = some(random, 0, 23, 1 + random.nextInt(5));
            if (random.nextInt(3) > 0) {
                hours.add(1 + random.nextInt(3));
            }
            String hourText = list(hours);
            int kind = random.nextInt(4);
            if (kind == 0) {
                hours = all(0, 23, 1);
                hourText = random.nextBoolean() ? "*" : "0-23";
            } else if (kind == 1) {
                int step = 1 + random.nextInt(6);
                hours = all(0, 23, step);
                hourText = "*/" + step;
            }
            TreeSet<Integer> days = random.nextInt(3) > 0 ? new TreeSet<>() : some(random, 1, 31, 4);
            if (!days.isEmpty()) {
                days.add(day.getDayOfMonth());
            }
            TreeSet<Integer> months = random.nextInt(4) > 0 ? new TreeSet<>() : some(random, 1, 12, 3);
            if (!months.isEmpty()) {
                months.add(day.getMonthValue());
            }
            TreeSet<Integer> weekdays = random.nextInt(4) > 0 ? new TreeSet<>() : some(random, 0, 6, 3);
            TreeSet<Integer> minutes =
                    random.nextInt(4) > 0 ? some(random, 0, 59, 1 + random.nextInt(4)) : all(0, 59, 1);
            return new RandomFields(minutes, hours, hourText, days, months, weekdays);
        }

        private static TreeSet<Integer> some(Random random, int low, int high, int count) {
            return random.ints(count, low, high + 1).boxed().collect(Collectors.toCollection(TreeSet::new));
        }

        private static TreeSet<Integer> all(int low, int high, int step) {
            return IntStream.iterate(low, i -> i <= high, i -> i + step)
                    .boxed()
                    .collect(Collectors.toCollection(TreeSet::new));
        }

        private static String list(TreeSet<Integer> values) {
            return values.isEmpty() ? "*" : values.stream().map(String::valueOf).collect(Collectors.joining(","));
        }

        String text() {
            return String.join(" ", list(minutes), hourText, list(days), list(months), list(weekdays));
        }

        boolean everyHour() {
            return hourText.startsWith("*") || hours.size() == 24;
        }

        boolean match(LocalDateTime local) {
            boolean dayOfMonth = days.contains(local.getDayOfMonth());
            boolean dayOfWeek = weekdays.contains(local.getDayOfWeek().getValue() % 7);
            boolean day = days.isEmpty()
                    ? weekdays.isEmpty() || dayOfWeek
                    : weekdays.isEmpty() ? dayOfMonth : dayOfMonth || dayOfWeek;
            return day
                    && (months.isEmpty() || months.contains(local.getMonthValue()))
                    && hours.contains(local.getHour())
                    && minutes.contains(local.getMinute());
        }
    }

    @Test
    void anExpressionHasABoundedLength() {
        String rules = "1W,".repeat(400_000) + "1W";

        assertThatThrownBy(() -> Schedule.parse("0 0 " + rules + " * *", UTC))
                .isInstanceOf(InvalidCron.class)
                .message()
                .hasSizeLessThan(300)
                .contains("characters; it may have 500");
    }
}
