package dev.muster.config;

import java.math.BigDecimal;

/** A whole number within bounds, both inclusive. */
record IntegerType(int min, int max) implements ValueType<Integer> {

    @Override
    public Integer parse(Object raw) throws BadValue {
        if (!(raw instanceof Number) && !(raw instanceof String)) {
            throw new BadValue("is not a number");
        }
        BigDecimal number;
        try {
            number = new BigDecimal(raw.toString().strip());
        } catch (NumberFormatException notANumber) {
            throw new BadValue("is not a number");
        }
        if (number.compareTo(BigDecimal.valueOf(min)) < 0) {
            throw new BadValue("is too small");
        }
        if (number.compareTo(BigDecimal.valueOf(max)) > 0) {
            throw new BadValue("is too large");
        }
        try {
            return number.intValueExact();
        } catch (ArithmeticException fraction) {
            throw new BadValue("is not a whole number");
        }
    }

    @Override
    public String show(Integer value) {
        return value.toString();
    }

    @Override
    public String allowed() {
        return "a whole number from " + min + " to " + max;
    }
}
