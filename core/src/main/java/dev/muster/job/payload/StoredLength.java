package dev.muster.job.payload;

import dev.muster.runtime.JsonCodec.JsonException;
import java.math.BigDecimal;

/**
 * How long JSON is when it comes back from the database. PostgreSQL stores 1e300 in a few bytes and prints all of its 301 digits: a value that
 * is small when it is stored could be more than anybody has memory for when it is read.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class StoredLength {
    /** As many as Jackson reads. */
    private static final int MAX_DIGITS = 1_000;

    private StoredLength() {}

    /**
     * The number of characters of a JSON text whose numbers are written out.
     *
     * @throws JsonException if a number in it has an exponent and needs more than 1,000 digits without it
     */
    public static long of(String json) {
        long length = json.length();
        boolean text = false;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (c == '"') {
                text = !text;
            } else if (text && c == '\\') {
                i++;
            } else if (!text && (c == 'e' || c == 'E') && i > 0 && isDigit(json.charAt(i - 1))) {
                int from = i;
                while (from > 0 && isPart(json.charAt(from - 1))) {
                    from--;
                }
                int to = i + 1;
                while (to < json.length() && isPart(json.charAt(to))) {
                    to++;
                }
                length += digits(json.substring(from, to)) - (to - from);
                i = to - 1;
            }
        }
        return length;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isPart(char c) {
        return isDigit(c) || c == '+' || c == '-' || c == '.';
    }

    /** How many characters the number has without an exponent. */
    private static long digits(String number) {
        try {
            BigDecimal value = new BigDecimal(number);
            long whole = value.signum() == 0 ? 1 : Math.max(1, value.precision() - (long) value.scale());
            int fraction = Math.max(0, value.scale());
            long length = (value.signum() < 0 ? 1 : 0) + whole + (fraction > 0 ? 1 : 0) + fraction;
            if (length <= MAX_DIGITS) {
                return length;
            }
        } catch (NumberFormatException e) {
            // Its exponent has more than ten digits.
        }
        throw new JsonException("a number has more than " + MAX_DIGITS + " digits when it is written out", null);
    }
}
