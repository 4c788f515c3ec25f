package dev.muster.schedule;

import com.cronutils.model.definition.CronDefinition;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.field.CronField;
import com.cronutils.model.field.CronFieldName;
import com.cronutils.model.field.expression.FieldExpression;
import com.cronutils.parser.CronParser;
import dev.muster.internal.config.DurationText;
import dev.muster.internal.runtime.Shown;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/** Reads cron expressions. cron-utils reads the fields; {@link FieldSchedule} decides when they tick. */
final class ScheduleParser {
    private static final Map<String, String> MACROS = Map.of(
            "@hourly", "0 * * * *",
            "@daily", "0 0 * * *",
            "@midnight", "0 0 * * *",
            "@weekly", "0 0 * * 0",
            "@monthly", "0 0 1 * *",
            "@yearly", "0 0 1 1 *",
            "@annually", "0 0 1 1 *");
    private static final String EVERY = "@every";
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofDays(366);

    /** A field may list rules for days, and each of them is asked about each day. */
    private static final int MAX_LENGTH = 500;

    private static final CronParser PARSER = new CronParser(definition());

    /** A field of an expression, and the values that are allowed in it. */
    private enum Field {
        SECOND(CronFieldName.SECOND, "0 to 59"),
        MINUTE(CronFieldName.MINUTE, "0 to 59"),
        HOUR(CronFieldName.HOUR, "0 to 23"),
        DAY_OF_MONTH(CronFieldName.DAY_OF_MONTH, "1 to 31, L, L-3, LW and 15W"),
        MONTH(CronFieldName.MONTH, "1 to 12 and JAN to DEC"),
        DAY_OF_WEEK(CronFieldName.DAY_OF_WEEK, "0 to 7 (0 and 7 are Sunday), SUN to SAT, FRIL and MON#2");

        private final CronFieldName name;
        private final String allowed;

        Field(CronFieldName name, String allowed) {
            this.name = name;
            this.allowed = allowed;
        }

        String words() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private ScheduleParser() {}

    private static CronDefinition definition() {
        return CronDefinitionBuilder.defineCron()
                .withSeconds()
                .withValidRange(0, 59)
                .withStrictRange()
                .and()
                .withMinutes()
                .withValidRange(0, 59)
                .withStrictRange()
                .and()
                .withHours()
                .withValidRange(0, 23)
                .withStrictRange()
                .and()
                .withDayOfMonth()
                .withValidRange(1, 31)
                .supportsL()
                .supportsW()
                .supportsLW()
                .supportsQuestionMark()
                .withStrictRange()
                .and()
                .withMonth()
                .withValidRange(1, 12)
                .withStrictRange()
                .and()
                .withDayOfWeek()
                .withValidRange(0, 7)
                .withMondayDoWValue(1)
                .withIntMapping(7, 0)
                .supportsHash()
                .supportsL()
                .supportsQuestionMark()
                .withStrictRange()
                .and()
                .instance();
    }

    static Schedule parse(String expression, ZoneId zone) {
        String text = expression.strip();
        if (text.length() > MAX_LENGTH) {
            throw new InvalidCron(
                    "cron '" + Shown.of(text) + "' has " + text.length() + " characters; it may have " + MAX_LENGTH);
        }
        if (text.startsWith(EVERY + " ") || text.equals(EVERY)) {
            return fixedRate(text);
        }
        if (text.startsWith("@")) {
            return fields(text, macro(text), zone);
        }
        return fields(text, text, zone);
    }

    private static String macro(String text) {
        String fields = MACROS.get(text.toLowerCase(Locale.ROOT));
        if (fields == null) {
            throw new InvalidCron("cron '" + text + "': there is no such macro; allowed are @hourly, @daily, @midnight,"
                    + " @weekly, @monthly, @yearly, @annually and '@every 30s'");
        }
        return fields;
    }

    private static FixedRate fixedRate(String text) {
        Duration period;
        try {
            period = DurationText.parse(text.substring(EVERY.length()).strip());
        } catch (MusterException e) {
            throw new InvalidCron("cron '" + text + "': " + e.getMessage(), e);
        }
        if (period.compareTo(SHORTEST) < 0 || period.compareTo(LONGEST) > 0) {
            throw new InvalidCron("cron '" + text + "': @every takes 1s to 366d");
        }
        return new FixedRate(period);
    }

    private static FieldSchedule fields(String shown, String text, ZoneId zone) {
        String[] parts = text.split("\\s+");
        if (parts.length == 5) {
            parts = ("0 " + text).split("\\s+");
        }
        if (parts.length != 6) {
            throw new InvalidCron("cron '" + shown + "' has " + (text.isEmpty() ? 0 : parts.length)
                    + " fields; it takes 5 (minute hour day-of-month month day-of-week), or 6 with the second first,"
                    + " or a macro such as @hourly");
        }
        // Sunday is 0 at the start of a range and 7 at its end.
        parts[5] = parts[5].replaceAll("(?i)\\bSUN-", "0-");
        Map<CronFieldName, CronField> fields = read(shown, parts);
        BitSet hours = Numbers.of(expression(fields, Field.HOUR), 0, 23);
        return new FieldSchedule(
                Numbers.of(expression(fields, Field.SECOND), 0, 59),
                Numbers.of(expression(fields, Field.MINUTE), 0, 59),
                hours,
                parts[2].startsWith("*") || hours.cardinality() == 24,
                days(fields, parts),
                zone);
    }

    private static FieldExpression expression(Map<CronFieldName, CronField> fields, Field field) {
        return fields.get(field.name).getExpression();
    }

    /** If both day fields are given, a day has to match only one of them, as in the original cron. */
    private static Predicate<LocalDate> days(Map<CronFieldName, CronField> fields, String[] parts) {
        BitSet months = Numbers.of(expression(fields, Field.MONTH), 1, 12);
        Predicate<LocalDate> ofMonth = DayRules.ofMonth(expression(fields, Field.DAY_OF_MONTH));
        Predicate<LocalDate> ofWeek = DayRules.ofWeek(expression(fields, Field.DAY_OF_WEEK));
        boolean anyOfMonth = isAny(parts[3]);
        boolean anyOfWeek = isAny(parts[5]);
        Predicate<LocalDate> day = anyOfMonth || anyOfWeek ? ofMonth.and(ofWeek) : ofMonth.or(ofWeek);
        return date -> months.get(date.getMonthValue()) && day.test(date);
    }

    private static boolean isAny(String part) {
        return part.equals("*") || part.equals("?");
    }

    private static Map<CronFieldName, CronField> read(String shown, String[] parts) {
        try {
            return PARSER.parse(String.join(" ", parts)).retrieveFieldsAsMap();
        } catch (IllegalArgumentException e) {
            throw explained(shown, parts, e);
        }
    }

    /** Reads each field by itself to find the one that is wrong. */
    private static InvalidCron explained(String shown, String[] parts, IllegalArgumentException cause) {
        List<Field> fields = List.of(Field.values());
        for (Field field : fields) {
            String[] alone = {"0", "0", "0", "*", "*", "*"};
            alone[field.ordinal()] = parts[field.ordinal()];
            try {
                PARSER.parse(String.join(" ", alone));
            } catch (IllegalArgumentException e) {
                return new InvalidCron(
                        "cron '" + shown + "': the " + field.words() + " field '" + parts[field.ordinal()]
                                + "' is not allowed; it takes " + field.allowed
                                + ", as lists (1,15), ranges from low to high (1-5), steps (*/15) and *",
                        e);
            }
        }
        return new InvalidCron("cron '" + shown + "' cannot be read " + Arrays.toString(parts), cause);
    }
}
