package dev.muster.internal.config;

import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.Locale;

/**
 * Reads and writes durations as people write them: {@code 250ms}, {@code 5s}, {@code 15m}, {@code 1h}, {@code 7d}, and sums
 * from large to small such as {@code 1h30m}. A number without a unit is refused.
 */
public final class DurationText {
    private static final long MAX_MILLIS = Long.MAX_VALUE / 1_000_000;
    private static final String EXAMPLES = "such as 250ms, 5s, 15m, 1h30m or 7d";

    private enum Unit {
        D(86_400_000),
        H(3_600_000),
        M(60_000),
        S(1_000),
        MS(1);

        final long millis;

        Unit(long millis) {
            this.millis = millis;
        }

        String symbol() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private DurationText() {}

    /**
     * Reads a duration. Zero is allowed, negative and fractional numbers are not. The longest duration is about 292 years, so
     * that the result always fits a {@code long} of nanoseconds.
     *
     * @throws InvalidDuration if the text is not a duration
     */
    public static Duration parse(String text) {
        String rest = text.strip();
        if (rest.isEmpty()) {
            throw new InvalidDuration(text, "is empty; write a number and a unit, " + EXAMPLES);
        }
        if (rest.startsWith("-")) {
            throw new InvalidDuration(text, "is negative; write a number and a unit, " + EXAMPLES);
        }
        long millis = 0;
        int lastUnit = -1;
        while (!rest.isEmpty()) {
            String number = prefix(rest, true);
            String symbol = prefix(rest.substring(number.length()), false);
            Unit unit = unit(text, rest, number, symbol);
            if (unit.ordinal() <= lastUnit) {
                throw new InvalidDuration(text, "must name each unit once, from large to small, " + EXAMPLES);
            }
            lastUnit = unit.ordinal();
            millis = add(text, millis, number, unit);
            rest = rest.substring(number.length() + symbol.length());
        }
        return Duration.ofMillis(millis);
    }

    /**
     * Writes a duration so that {@link #parse} can read it: {@code 1m30s}, {@code 24h}, {@code 7d}. Days are used from two days
     * on; fractions of a millisecond are dropped.
     */
    public static String format(Duration duration) {
        if (duration.isNegative()) {
            return "-" + format(duration.negated());
        }
        long millis = duration.toMillis();
        StringBuilder text = new StringBuilder();
        for (Unit unit : Unit.values()) {
            long count = millis / unit.millis;
            if (count == 0 || (unit == Unit.D && count < 2)) {
                continue;
            }
            text.append(count).append(unit.symbol());
            millis -= count * unit.millis;
        }
        return text.isEmpty() ? "0s" : text.toString();
    }

    private static String prefix(String text, boolean digits) {
        int end = 0;
        while (end < text.length() && isDigit(text.charAt(end)) == digits && isWordChar(text.charAt(end))) {
            end++;
        }
        return text.substring(0, end);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isWordChar(char c) {
        return isDigit(c) || Character.isLetter(c);
    }

    private static Unit unit(String text, String rest, String number, String symbol) {
        String after = rest.substring(number.length());
        if (!number.isEmpty() && (after.startsWith(".") || after.startsWith(","))) {
            throw new InvalidDuration(text, "has a fraction; write whole numbers, such as 1500ms for 1.5s");
        }
        if (!number.isEmpty() && after.isEmpty()) {
            throw new InvalidDuration(text, "has no unit after " + number + "; write " + number + "s for seconds");
        }
        if (number.isEmpty() || symbol.isEmpty()) {
            throw new InvalidDuration(text, "is not a duration; write a number and a unit, " + EXAMPLES);
        }
        for (Unit unit : Unit.values()) {
            if (unit.symbol().equals(symbol)) {
                return unit;
            }
        }
        throw new InvalidDuration(text, "has the unknown unit '" + symbol + "'; the units are ms, s, m, h and d");
    }

    private static long add(String text, long millis, String number, Unit unit) {
        try {
            long sum = Math.addExact(millis, Math.multiplyExact(Long.parseLong(number), unit.millis));
            if (sum <= MAX_MILLIS) {
                return sum;
            }
        } catch (ArithmeticException | NumberFormatException tooLarge) {
            // reported below, as every other sum that is too large
        }
        throw new InvalidDuration(text, "is too long; the longest is " + MAX_MILLIS / Unit.D.millis + "d");
    }

    /** A text that is not a duration. */
    public static final class InvalidDuration extends MusterException {
        private static final long serialVersionUID = 1L;

        private final String reason;

        InvalidDuration(String text, String reason) {
            super("duration '" + text + "' " + reason);
            this.reason = reason;
        }

        public String reason() {
            return reason;
        }
    }
}
