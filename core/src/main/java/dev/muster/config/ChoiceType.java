package dev.muster.config;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** One constant of an enum, written in lower case. */
record ChoiceType<E extends Enum<E>>(Class<E> type) implements ValueType<E> {

    @Override
    public E parse(Object raw) throws BadValue {
        for (E choice : type.getEnumConstants()) {
            if (raw instanceof String text && show(choice).equals(text.strip())) {
                return choice;
            }
        }
        throw new BadValue("is not one of the choices");
    }

    @Override
    public String show(E value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String allowed() {
        List<String> words =
                Arrays.stream(type.getEnumConstants()).map(this::show).toList();
        int last = words.size() - 1;
        return last == 0
                ? "only " + words.get(0)
                : String.join(", ", words.subList(0, last)) + " or " + words.get(last);
    }
}
