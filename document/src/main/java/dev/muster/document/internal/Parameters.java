package dev.muster.document.internal;

import dev.muster.internal.runtime.Shown;
import dev.muster.internal.runtime.StorableText;
import dev.muster.runtime.MusterException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Reads and writes the parameters of a query. Every refusal begins with the name of the parameter. */
final class Parameters {
    private static final int MOST = 1_000;

    /** How many values a parameter may have: each of them becomes part of a statement. */
    private static final int MOST_VALUES = 1_000;

    private final Map<String, List<String>> values;

    Parameters(Map<String, List<String>> values) {
        this.values = values;
        values.forEach(Parameters::require);
    }

    private static void require(String name, List<String> all) {
        refuseAbove(name, all.size());
        all.forEach(value -> requireStorable(name, value));
    }

    private static void refuseAbove(String name, long count) {
        if (count > MOST_VALUES) {
            throw new InvalidDocument(
                    Shown.of(name), "may have " + MOST_VALUES + " values at most, and was given " + count);
        }
    }

    private static void requireStorable(String name, String value) {
        if (!StorableText.isStorable(name) || !StorableText.isStorable(value)) {
            throw new InvalidDocument(
                    StorableText.of(name),
                    "must not contain the character NUL or half a surrogate pair, which the database cannot store");
        }
    }

    /** Refuses every parameter but these, and those that begin with the prefix. */
    void refuseOthers(String prefix, List<String> known) {
        for (String name : values.keySet()) {
            if (!known.contains(name) && (prefix.isEmpty() || !name.startsWith(prefix))) {
                throw new InvalidDocument(Shown.of(name), JsonObjectReader.noSuchField("parameter", name, known));
            }
        }
    }

    static void put(Map<String, List<String>> parameters, String name, Optional<?> value) {
        value.ifPresent(one -> parameters.put(name, List.of(one.toString())));
    }

    static <T> void put(
            Map<String, List<String>> parameters, String name, Collection<T> values, Function<T, String> text) {
        if (!values.isEmpty()) {
            parameters.put(name, values.stream().map(text).sorted().toList());
        }
    }

    /** The limit of a page. */
    int limit(int usual) {
        int limit = number("limit").orElse(usual);
        if (limit < 1 || limit > MOST) {
            throw new InvalidDocument("limit", "must be 1 to " + MOST + ", not " + limit);
        }
        return limit;
    }

    Optional<String> one(String name) {
        List<String> all = values.getOrDefault(name, List.of());
        if (all.size() > 1) {
            throw new InvalidDocument(name, "may be given once only");
        }
        return all.stream().findFirst();
    }

    <T> Optional<T> one(String name, Function<String, T> parser) {
        return one(name).map(text -> placed(name, text, parser));
    }

    Optional<Integer> number(String name) {
        return one(name).map(text -> {
            try {
                return Integer.valueOf(text);
            } catch (NumberFormatException e) {
                throw new InvalidDocument(name, "must be a whole number, not \"" + Shown.of(text) + "\"", e);
            }
        });
    }

    List<String> all(String name) {
        return values.getOrDefault(name, List.of());
    }

    /** Several values: each as a parameter of its own, or with commas between them. */
    <T> List<T> several(String name, Function<String, T> parser) {
        refuseAbove(
                name,
                all(name).stream()
                                .flatMapToInt(String::chars)
                                .filter(c -> c == ',')
                                .count()
                        + all(name).size());
        List<T> read = new ArrayList<>();
        for (String value : all(name)) {
            for (String text : value.split(",", -1)) {
                read.add(placed(name, text, parser));
            }
        }
        return read;
    }

    /** Several of these values by their texts. */
    <T> List<T> choices(String name, T[] choices, Function<T, String> text) {
        return several(
                name,
                given -> Arrays.stream(choices)
                        .filter(choice -> text.apply(choice).equals(given))
                        .findFirst()
                        .orElseThrow(() -> new InvalidDocument(
                                name,
                                "must be one of "
                                        + Arrays.stream(choices).map(text).collect(Collectors.joining(", "))
                                        + ", not \""
                                        + Shown.of(given) + "\"")));
    }

    /** The parameters whose names begin with the prefix, without it. */
    Map<String, String> beginningWith(String prefix) {
        Map<String, String> found = new LinkedHashMap<>();
        values.keySet().stream()
                .filter(name -> name.startsWith(prefix))
                .forEach(name -> one(name).ifPresent(value -> found.put(name.substring(prefix.length()), value)));
        return found;
    }

    static <V, T> T placed(String name, V value, Function<V, T> then) {
        try {
            return then.apply(value);
        } catch (InvalidDocument e) {
            throw e;
        } catch (MusterException e) {
            throw new InvalidDocument(name, String.valueOf(e.getMessage()), e);
        }
    }
}
