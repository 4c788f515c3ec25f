package dev.muster.schedule;

import com.cronutils.model.field.expression.And;
import com.cronutils.model.field.expression.FieldExpression;
import com.cronutils.model.field.expression.On;
import com.cronutils.model.field.value.SpecialChar;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.BitSet;
import java.util.function.Function;
import java.util.function.Predicate;

/** Reads the two fields for days: day of month and day of week. */
final class DayRules {
    private DayRules() {}

    static Predicate<LocalDate> ofMonth(FieldExpression expression) {
        if (expression instanceof And and) {
            return any(and, DayRules::ofMonth);
        }
        if (expression instanceof On on && on.getSpecialChar().getValue() != SpecialChar.NONE) {
            int back = Math.max(0, on.getNth().getValue());
            return switch (on.getSpecialChar().getValue()) {
                case L -> date -> date.getDayOfMonth() == date.lengthOfMonth() - back;
                case LW -> date -> date.getDayOfMonth() == nearestWeekday(date, date.lengthOfMonth());
                case W ->
                    date -> on.getTime().getValue() <= date.lengthOfMonth()
                            && date.getDayOfMonth()
                                    == nearestWeekday(date, on.getTime().getValue());
                default -> throw unsupported(on);
            };
        }
        BitSet days = Numbers.of(expression, 1, 31);
        return date -> days.get(date.getDayOfMonth());
    }

    /** The working day in the same month that is nearest to this day. */
    private static int nearestWeekday(LocalDate month, int day) {
        LocalDate date = month.withDayOfMonth(day);
        if (date.getDayOfWeek() == DayOfWeek.SATURDAY) {
            return day == 1 ? 3 : day - 1;
        }
        if (date.getDayOfWeek() == DayOfWeek.SUNDAY) {
            return day == month.lengthOfMonth() ? day - 2 : day + 1;
        }
        return day;
    }

    static Predicate<LocalDate> ofWeek(FieldExpression expression) {
        if (expression instanceof And and) {
            return any(and, DayRules::ofWeek);
        }
        if (expression instanceof On on && on.getSpecialChar().getValue() != SpecialChar.NONE) {
            int weekday = on.getTime().getValue();
            int nth = on.getNth().getValue();
            return switch (on.getSpecialChar().getValue()) {
                case L ->
                    date -> number(date) == (weekday < 0 ? 6 : weekday % 7)
                            && (weekday < 0 || date.getDayOfMonth() > date.lengthOfMonth() - 7);
                case HASH -> date -> number(date) == weekday % 7 && (date.getDayOfMonth() - 1) / 7 + 1 == nth;
                default -> throw unsupported(on);
            };
        }
        BitSet days = Numbers.of(expression, 0, 7);
        if (days.get(7)) {
            days.set(0);
        }
        return date -> days.get(number(date));
    }

    /** Sunday is 0. */
    private static int number(LocalDate date) {
        return date.getDayOfWeek().getValue() % 7;
    }

    private static Predicate<LocalDate> any(And and, Function<FieldExpression, Predicate<LocalDate>> rule) {
        return and.getExpressions().stream().map(rule).reduce(date -> false, Predicate::or);
    }

    private static InvalidCron unsupported(On on) {
        return new InvalidCron("'" + on.asString() + "' is not supported in a cron");
    }
}
