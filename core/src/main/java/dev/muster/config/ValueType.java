package dev.muster.config;

import dev.muster.internal.config.DurationText;
import dev.muster.internal.runtime.Names;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The type of a setting's value. Every type reads plain text, as it comes from the environment, {@code ${VAR}} and the builder,
 * and the natural TOML value.
 */
interface ValueType<T> {

    /** Reads a String, Number, Boolean, List or Map. */
    T parse(Object raw) throws BadValue;

    /** Writes the value as text. */
    String show(T value);

    /** The allowed values, in words that follow "allowed: ". */
    String allowed();

    static ValueType<Integer> integer(int min, int max) {
        return new ValueTypes.IntegerType(min, max);
    }

    static ValueType<Boolean> trueOrFalse() {
        return new ValueTypes.SwitchType();
    }

    static ValueType<Duration> duration(String min, String max) {
        return new ValueTypes.DurationType(DurationText.parse(min), DurationText.parse(max));
    }

    /** An amount of memory in bytes; written as a whole number and k, m or g. */
    static ValueType<Long> memory(long min, long max) {
        return new ValueTypes.MemoryType(min, max);
    }

    /**
     * A value that may be absent.
     *
     * @param word the text that means absent, such as "auto"; null if only leaving the key out means that
     */
    static <T> ValueType<Optional<T>> optional(ValueType<T> type, @Nullable String word) {
        return new ValueTypes.OptionalType<>(type, word);
    }

    static <E extends Enum<E>> ValueType<E> choice(Class<E> type) {
        return new ValueTypes.ChoiceType<>(type);
    }

    /** One or more of the choices; instead of an empty list, the key is left out. */
    static <E extends Enum<E>> ValueType<List<E>> choices(Class<E> type, String whenLeftOut) {
        return new ValueTypes.ChoicesType<>(new ValueTypes.ChoiceType<>(type), whenLeftOut);
    }

    /** One line of text that is not empty. */
    static ValueType<String> text() {
        return ValueTypes.TextType.line();
    }

    /** Text taken as it is, blanks included. */
    static ValueType<String> verbatim() {
        return ValueTypes.TextType.verbatim();
    }

    static ValueType<String> nodeId() {
        return ValueTypes.TextType.named(
                "one line of text, 200 characters at most",
                id -> id.isEmpty() ? id : Names.requireNodeId("a node's id", id));
    }

    static ValueType<String> schema() {
        return ValueTypes.TextType.named("the name of a PostgreSQL schema, such as public", Names::requireSchema);
    }

    /** A list of names that may be empty. */
    static ValueType<List<String>> names(String what) {
        return new NamesType(what, false, "");
    }

    /** A list of one or more names; for "all", the key is left out, and "*" or an empty list is refused. */
    static ValueType<List<String>> someNames(String what, String whenLeftOut) {
        return new NamesType(what, true, whenLeftOut);
    }

    static ValueType<Map<String, String>> labels() {
        return new LabelsType();
    }

    /** Encryption keys in base64, by id. */
    static ValueType<Map<String, String>> keys() {
        return new KeysType();
    }
}
