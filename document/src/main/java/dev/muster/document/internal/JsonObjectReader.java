package dev.muster.document.internal;

import dev.muster.internal.config.DurationText;
import dev.muster.internal.config.Nearest;
import dev.muster.internal.runtime.JsonReader.JsonObject;
import dev.muster.internal.runtime.Jsonb.Digits;
import dev.muster.internal.runtime.StorableText;
import dev.muster.job.Priority;
import dev.muster.job.RawJson;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of an object. Every refusal begins with where it is, such as {@code jobs[3].priority}. A field that is null counts as
 * missing.
 *
 * <p>Internal to Muster; it may change or go at any time.
 *
 * @hidden
 */
public final class JsonObjectReader {
    private static final int MAX_SHOWN = 100;

    private final String where;
    private final Map<?, ?> object;

    private JsonObjectReader(String where, Map<?, ?> object) {
        this.where = where;
        this.object = object;
    }

    /**
     * The fields of a document.
     *
     * @param value what {@link Json#read} returned, or a document that was written
     * @throws InvalidDocument if it is not an object
     */
    public static JsonObjectReader of(@Nullable Object value) {
        return at("", value);
    }

    /** @throws InvalidDocument if the text is not a JSON object */
    public static JsonObjectReader read(String text) {
        return of(Json.read(text));
    }

    /**
     * The fields of a part of a document.
     *
     * @param where where the part is, such as {@code jobs[3]}
     * @throws InvalidDocument if it is not an object
     */
    public static JsonObjectReader at(String where, @Nullable Object value) {
        if (!(value instanceof Map<?, ?> object)) {
            throw new InvalidDocument(
                    where, (where.isEmpty() ? "the document " : "") + "must be an object, not " + kind(value));
        }
        return new JsonObjectReader(where, object);
    }

    /** The fields of each object in a list. */
    public static List<JsonObjectReader> all(String where, @Nullable Object value) {
        if (!(value instanceof Collection<?> items)) {
            throw new InvalidDocument(
                    where, (where.isEmpty() ? "the document " : "") + "must be a list of objects, not " + kind(value));
        }
        List<JsonObjectReader> all = new ArrayList<>(items.size());
        for (Object item : items) {
            all.add(at(where + "[" + all.size() + "]", item));
        }
        return all;
    }

    /** Where the field of this name is in the document. */
    public String whereIs(String name) {
        return where.isEmpty() ? name : where + "." + name;
    }

    /** Where this object is in the document; empty for the document itself. */
    public String where() {
        return where;
    }

    /** A refusal of the field of this name. */
    public InvalidDocument refusal(String name, String problem) {
        return new InvalidDocument(whereIs(name), problem);
    }

    /** Whether the field is there and not null. */
    public boolean has(String name) {
        return object.get(name) != null;
    }

    /** The names of the fields that are there, with those that are null. */
    public Set<String> names() {
        Set<String> names = new LinkedHashSet<>();
        object.keySet().forEach(name -> names.add(String.valueOf(name)));
        return names;
    }

    /** Refuses every field but these. */
    public void refuseOthers(String... known) {
        refuseOthers(List.of(known));
    }

    /** Refuses every field but these. */
    public void refuseOthers(Collection<String> known) {
        for (String name : names()) {
            if (!known.contains(name)) {
                throw refusal(StorableText.of(shortened(name)), noSuchField("field", name, known));
            }
        }
    }

    static String noSuchField(String kind, String name, Collection<String> known) {
        String hint = Nearest.suggestion(name, known);
        return "is no " + kind + " here" + (hint.isEmpty() ? "." : hint) + " There are " + String.join(", ", known);
    }

    public String text(String name) {
        return required(name, optionalText(name));
    }

    public Optional<String> optionalText(String name) {
        Object value = object.get(name);
        return value == null ? Optional.empty() : Optional.of(textAt(whereIs(name), value));
    }

    /** The text, read by a parser; what it throws about the text gets that in front. */
    public <T> T parsed(String name, Function<String, T> parser) {
        return required(name, optionalParsed(name, parser));
    }

    public <T> Optional<T> optionalParsed(String name, Function<String, T> parser) {
        return optionalText(name).map(text -> placed(name, text, parser));
    }

    /** The one of these values whose text it is. */
    public <T> T choice(String name, T[] values, Function<T, String> text) {
        return required(name, optionalChoice(name, values, text));
    }

    public <T> Optional<T> optionalChoice(String name, T[] values, Function<T, String> text) {
        return optionalText(name).map(given -> chosen(name, given, values, text));
    }

    /** A list of texts, each of one of these values; empty if it is missing. */
    public <T> List<T> choices(String name, T[] values, Function<T, String> text) {
        List<String> given = texts(name);
        List<T> chosen = new ArrayList<>(given.size());
        for (String one : given) {
            chosen.add(chosen(name + "[" + chosen.size() + "]", one, values, text));
        }
        return chosen;
    }

    private <T> T chosen(String name, String given, T[] values, Function<T, String> text) {
        for (T value : values) {
            if (text.apply(value).equals(given)) {
                return value;
            }
        }
        throw refusal(
                name,
                "must be one of " + Arrays.stream(values).map(text).collect(Collectors.joining(", ")) + ", not \""
                        + shortened(given) + "\"");
    }

    /** A priority by its name, or by its level as a number. */
    public Optional<Priority> optionalPriority(String name) {
        return object.get(name) instanceof Digits level
                ? Optional.of(placed(name, level.text(), Priority::parse))
                : optionalParsed(name, Priority::parse);
    }

    /** Passes a value on; what is thrown about it gets that in front. */
    public <V, T> T placed(String name, V value, Function<V, T> then) {
        try {
            return then.apply(value);
        } catch (InvalidDocument e) {
            throw e;
        } catch (MusterException e) {
            throw new InvalidDocument(whereIs(name), String.valueOf(e.getMessage()), e);
        }
    }

    public int integer(String name) {
        return required(name, optionalInteger(name));
    }

    public Optional<Integer> optionalInteger(String name) {
        return number(name, "a whole number from " + Integer.MIN_VALUE + " to " + Integer.MAX_VALUE, Integer::valueOf);
    }

    public long longNumber(String name) {
        return required(name, optionalLong(name));
    }

    public Optional<Long> optionalLong(String name) {
        return number(name, "a whole number from " + Long.MIN_VALUE + " to " + Long.MAX_VALUE, Long::valueOf);
    }

    public double decimal(String name) {
        return required(name, optionalDecimal(name));
    }

    public Optional<Double> optionalDecimal(String name) {
        return number(name, "a number from -1.7e308 to 1.7e308", text -> {
            double read = Double.parseDouble(text);
            if (Double.isInfinite(read)) {
                throw new NumberFormatException("too large");
            }
            return read;
        });
    }

    private <N> Optional<N> number(String name, String wanted, Function<String, N> reader) {
        Object value = object.get(name);
        if (value == null) {
            return Optional.empty();
        }
        if (!(value instanceof Digits) && !(value instanceof Number)) {
            throw refusal(name, "must be a number, not " + kind(value));
        }
        String text = value instanceof Digits digits ? digits.text() : String.valueOf(value);
        try {
            return Optional.of(reader.apply(text));
        } catch (NumberFormatException e) {
            throw new InvalidDocument(whereIs(name), "must be " + wanted + ", not " + shortened(text), e);
        }
    }

    public boolean flag(String name) {
        return required(name, optionalFlag(name));
    }

    public Optional<Boolean> optionalFlag(String name) {
        Object value = object.get(name);
        if (value != null && !(value instanceof Boolean)) {
            throw refusal(name, "must be true or false, not " + kind(value));
        }
        return Optional.ofNullable((Boolean) value);
    }

    public Instant instant(String name) {
        return required(name, optionalInstant(name));
    }

    public Optional<Instant> optionalInstant(String name) {
        return optionalText(name).map(text -> {
            try {
                return Instant.parse(text);
            } catch (DateTimeParseException e) {
                throw new InvalidDocument(
                        whereIs(name),
                        "must be an instant such as 2026-03-01T12:00:00Z, not \"" + shortened(text) + "\"",
                        e);
            }
        });
    }

    /** A duration as people write it: {@code 1h30m}. */
    public Optional<Duration> optionalDuration(String name) {
        return optionalParsed(name, DurationText::parse);
    }

    /** A duration as a number of milliseconds. */
    public Optional<Duration> optionalMillis(String name) {
        return optionalLong(name).map(Duration::ofMillis);
    }

    /** A list of texts; empty if it is missing. */
    public List<String> texts(String name) {
        Object value = object.get(name);
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof Collection<?> items)) {
            throw refusal(name, "must be a list of texts, not " + kind(value));
        }
        List<String> texts = new ArrayList<>(items.size());
        for (Object item : items) {
            texts.add(textAt(whereIs(name) + "[" + texts.size() + "]", item));
        }
        return List.copyOf(texts);
    }

    /** A list of texts, each read by a parser; what it throws about a text gets that in front. */
    public <T> List<T> parsedTexts(String name, Function<String, T> parser) {
        List<String> texts = texts(name);
        List<T> read = new ArrayList<>(texts.size());
        for (String text : texts) {
            read.add(placed(name + "[" + read.size() + "]", text, parser));
        }
        return read;
    }

    /** An object whose values are texts, in its order; empty if it is missing. */
    public Map<String, String> textsByName(String name) {
        Map<String, String> texts = new LinkedHashMap<>();
        optionalObject(name)
                .ifPresent(fields -> fields.names()
                        .forEach(key -> texts.put(textAt(fields.where + " name", key), fields.text(key))));
        return texts;
    }

    public JsonObjectReader object(String name) {
        return required(name, optionalObject(name));
    }

    public Optional<JsonObjectReader> optionalObject(String name) {
        Object value = object.get(name);
        return value == null ? Optional.empty() : Optional.of(at(whereIs(name), value));
    }

    /** How many things the list of this name has, before anything in it is looked at; 0 if there is no list. */
    public int sizeOf(String name) {
        return object.get(name) instanceof Collection<?> items ? items.size() : 0;
    }

    /** The fields of each object in a list; empty if it is missing. */
    public List<JsonObjectReader> list(String name) {
        Object value = object.get(name);
        return value == null ? List.of() : all(whereIs(name), value);
    }

    /** The JSON text of a field's value, exactly as it was written. */
    public String raw(String name) {
        return required(name, optionalRaw(name));
    }

    /** The JSON text of a field's value, exactly as it was written; empty if it is missing or null. */
    public Optional<String> optionalRaw(String name) {
        return has(name) ? rawEvenIfNull(name) : Optional.empty();
    }

    /** The JSON text of a field's value, exactly as it was written: {@code null} if it is null, empty if it is missing. */
    public Optional<String> rawEvenIfNull(String name) {
        if (!object.containsKey(name)) {
            return Optional.empty();
        }
        String text = object instanceof JsonObject read ? read.textOf(name) : null;
        Object value = object.get(name);
        return Optional.of(text != null ? text : value instanceof RawJson raw ? raw.text() : Json.write(value));
    }

    private <T> T required(String name, Optional<T> value) {
        return value.orElseThrow(() -> refusal(name, "is missing"));
    }

    private static String textAt(String where, @Nullable Object value) {
        if (!(value instanceof String text)) {
            throw new InvalidDocument(where, "must be a text, not " + kind(value));
        }
        if (!StorableText.isStorable(text)) {
            throw new InvalidDocument(
                    where,
                    "must not contain the character NUL or half a surrogate pair, which the database cannot store");
        }
        return text;
    }

    static String shortened(String text) {
        return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
    }

    private static String kind(@Nullable Object value) {
        if (value == null || value instanceof Boolean) {
            return String.valueOf(value);
        }
        if (value instanceof Map) {
            return "an object";
        }
        return value instanceof Collection ? "a list" : value instanceof String ? "a text" : "a number";
    }
}
