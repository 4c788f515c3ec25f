package dev.muster.config;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An amount of memory in bytes, within bounds, both inclusive; written as a whole number and k, m or g. */
record MemoryType(long min, long max) implements ValueType<Long> {
    private static final Pattern AMOUNT = Pattern.compile("(\\d{1,18})([kmg]?)");
    private static final String UNITS = "kmg";

    @Override
    public Long parse(Object raw) throws BadValue {
        if (!(raw instanceof String) && !(raw instanceof Number)) {
            throw new BadValue("is not an amount of memory");
        }
        Matcher amount = AMOUNT.matcher(raw.toString().strip().toLowerCase(Locale.ROOT));
        if (!amount.matches()) {
            throw new BadValue("is not an amount of memory");
        }
        if (amount.group(2).isEmpty()) {
            throw new BadValue("has no unit; write \"" + amount.group(1) + "m\" for megabytes, in quotes");
        }
        long count = Long.parseLong(amount.group(1));
        long unit = unit(UNITS.indexOf(amount.group(2)));
        if (count > max / unit) {
            throw new BadValue("is too large");
        }
        if (count * unit < min) {
            throw new BadValue("is too small");
        }
        return count * unit;
    }

    private static long unit(int index) {
        return 1L << (10 * (index + 1));
    }

    @Override
    public String show(Long value) {
        int index = UNITS.length() - 1;
        while (index > 0 && value % unit(index) != 0) {
            index--;
        }
        return value / unit(index) + UNITS.substring(index, index + 1);
    }

    @Override
    public String allowed() {
        return "an amount of memory from " + show(min) + " to " + show(max) + ", such as 512m or 2g";
    }
}
