package dev.muster.config;

import dev.muster.runtime.Names;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What values a setting takes. Every type reads plain text, as the environment, {@code ${VAR}} and the
 * builder give it, and beside it the natural TOML value.
 */
interface ValueType<T> {

    /** Reads a String, Number, Boolean, List or Map. */
    T parse(Object raw) throws BadValue;

    /** Writes the value as text. */
    String show(T value);

    /** What is allowed, to follow "allowed: ". */
    String allowed();

    static ValueType<Integer> integer(int min, int max) {
        return new IntegerType(min, max);
    }

    static ValueType<Boolean> trueOrFalse() {
        return new SwitchType();
    }

    static ValueType<Duration> duration(String min, String max) {
        return new DurationType(DurationText.parse(min), DurationText.parse(max));
    }

    static <E extends Enum<E>> ValueType<E> choice(Class<E> type) {
        return new ChoiceType<>(type);
    }

    /** Some of the choices; leaving the key out says what an empty list would. */
    static <E extends Enum<E>> ValueType<List<E>> choices(Class<E> type, String whenLeftOut) {
        return new ChoicesType<>(new ChoiceType<>(type), whenLeftOut);
    }

    /** One line of text that says something. */
    static ValueType<String> text() {
        return TextType.line();
    }

    /** Text taken as it is, blanks included. */
    static ValueType<String> verbatim() {
        return TextType.verbatim();
    }

    static ValueType<String> nodeId() {
        return TextType.named(
                "one line of text, 200 characters at most",
                id -> id.isEmpty() ? id : Names.requireNodeId("a node's id", id));
    }

    static ValueType<String> schema() {
        return TextType.named("the name of a PostgreSQL schema, such as public", Names::requireSchema);
    }

    /** A list of names that may be empty. */
    static ValueType<List<String>> names(String what) {
        return new NamesType(what, false, "");
    }

    /** A list of names in which neither "*" nor an empty list can say "all": leaving the key out does. */
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
