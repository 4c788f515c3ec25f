package dev.muster.config;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A list of one or more constants of an enum, each at most once; as text, separated by commas.
 *
 * @param whenLeftOut what leaving the key out means; shown to people who wrote an empty list
 */
record ChoicesType<E extends Enum<E>>(ChoiceType<E> choice, String whenLeftOut) implements ValueType<List<E>> {

    @Override
    public List<E> parse(Object raw) throws BadValue {
        Set<E> chosen = new LinkedHashSet<>();
        for (Object item : items(raw)) {
            E value;
            try {
                value = choice.parse(item);
            } catch (BadValue bad) {
                throw new BadValue("lists '" + item + "', which is not one of the choices");
            }
            if (!chosen.add(value)) {
                throw new BadValue("lists '" + choice.show(value) + "' twice");
            }
        }
        if (chosen.isEmpty()) {
            throw new BadValue("is an empty list; leave it out " + whenLeftOut);
        }
        return List.copyOf(chosen);
    }

    private static List<?> items(Object raw) throws BadValue {
        if (raw instanceof List<?> list) {
            return list;
        }
        if (raw instanceof String text) {
            List<String> items = new ArrayList<>();
            for (String item : text.isBlank() ? new String[0] : text.split(",", -1)) {
                items.add(item.strip());
            }
            return items;
        }
        throw new BadValue("is not a list");
    }

    @Override
    public String show(List<E> value) {
        return String.join(",", value.stream().map(choice::show).toList());
    }

    @Override
    public String allowed() {
        return "a list of " + choice.allowed().replace(" or ", " and ");
    }
}
