package dev.muster.schedule;

import com.cronutils.model.field.expression.Always;
import com.cronutils.model.field.expression.And;
import com.cronutils.model.field.expression.Between;
import com.cronutils.model.field.expression.Every;
import com.cronutils.model.field.expression.FieldExpression;
import com.cronutils.model.field.expression.On;
import com.cronutils.model.field.expression.QuestionMark;
import java.util.BitSet;

/** Reads the set of numbers in a field. */
final class Numbers {
    private Numbers() {}

    static BitSet of(FieldExpression expression, int low, int high) {
        BitSet numbers = new BitSet(high + 1);
        add(numbers, expression, low, high);
        return numbers;
    }

    private static void add(BitSet numbers, FieldExpression expression, int low, int high) {
        if (expression instanceof Always || expression instanceof QuestionMark) {
            numbers.set(low, high + 1);
        } else if (expression instanceof And and) {
            and.getExpressions().forEach(part -> add(numbers, part, low, high));
        } else if (expression instanceof Between between) {
            numbers.set(
                    number(between.getFrom().getValue()), number(between.getTo().getValue()) + 1);
        } else if (expression instanceof On on) {
            numbers.set(on.getTime().getValue());
        } else if (expression instanceof Every every) {
            addSteps(numbers, every, low, high);
        } else {
            throw new InvalidCron("'" + expression.asString() + "' is not supported in a cron");
        }
    }

    /** A step counts from the start of its range; after a single number it runs to the end of the field. */
    private static void addSteps(BitSet numbers, Every every, int low, int high) {
        int from = low;
        int to = high;
        if (every.getExpression() instanceof Between between) {
            from = number(between.getFrom().getValue());
            to = number(between.getTo().getValue());
        } else if (every.getExpression() instanceof On on) {
            from = on.getTime().getValue();
        }
        for (int i = from; i <= to; i += every.getPeriod().getValue()) {
            numbers.set(i);
        }
    }

    private static int number(Object value) {
        if (value instanceof Integer number) {
            return number;
        }
        throw new InvalidCron("'" + value + "' cannot be part of a range in a cron");
    }
}
