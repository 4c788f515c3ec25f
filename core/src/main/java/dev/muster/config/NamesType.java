package dev.muster.config;

import dev.muster.internal.runtime.Names;
import dev.muster.runtime.InvalidName;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A list of names; as text, separated by commas.
 *
 * @param what what messages call one of them: "queue"
 * @param some whether at least one is needed
 * @param whenLeftOut what leaving the key out means; shown to people who wrote "*" or an empty list
 */
record NamesType(String what, boolean some, String whenLeftOut) implements ValueType<List<String>> {

    @Override
    public List<String> parse(Object raw) throws BadValue {
        List<?> items = items(raw);
        if (items.isEmpty() && some) {
            throw new BadValue("is an empty list; leave it out " + whenLeftOut);
        }
        Set<String> names = new LinkedHashSet<>();
        for (Object item : items) {
            if (!names.add(name(item))) {
                throw new BadValue("lists '" + item + "' twice");
            }
        }
        return List.copyOf(names);
    }

    static List<?> items(Object raw) throws BadValue {
        if (raw instanceof List<?> list) {
            return list;
        }
        if (raw instanceof String text) {
            return text.isBlank() ? List.of() : List.of(text.split(",", -1));
        }
        throw new BadValue("is not a list");
    }

    private String name(Object item) throws BadValue {
        if (!(item instanceof String text)) {
            throw new BadValue("lists " + item + ", which is not text");
        }
        String name = text.strip();
        if (name.isEmpty()) {
            throw new BadValue("lists an empty " + what);
        }
        if (name.equals("*") && some) {
            throw new BadValue("lists '*', which is no " + what + "; leave it out " + whenLeftOut);
        }
        try {
            return Names.require(what, name);
        } catch (InvalidName invalid) {
            throw new BadValue("is refused: " + invalid.getMessage());
        }
    }

    @Override
    public String show(List<String> value) {
        return String.join(",", value);
    }

    @Override
    public String allowed() {
        return "a list of " + what + " names, such as [\"a\", \"b\"], or a,b as text";
    }
}
