package dev.muster.config;

import dev.muster.internal.config.DurationText;
import dev.muster.internal.config.DurationText.InvalidDuration;
import dev.muster.runtime.InvalidName;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The types that settings of several sections have. {@link ValueType} makes them; a type of one section alone is a class of its own. */
final class ValueTypes {
    private ValueTypes() {}

    /** True or false. */
    record SwitchType() implements ValueType<Boolean> {

        @Override
        public Boolean parse(Object raw) throws BadValue {
            String text = String.valueOf(raw).strip();
            if (text.equals("true") || text.equals("false")) {
                return Boolean.valueOf(text);
            }
            throw new BadValue("is neither true nor false");
        }

        @Override
        public String show(Boolean value) {
            return value.toString();
        }

        @Override
        public String allowed() {
            return "true or false";
        }
    }

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

    /** A duration within bounds, both inclusive. */
    record DurationType(Duration min, Duration max) implements ValueType<Duration> {

        @Override
        public Duration parse(Object raw) throws BadValue {
            if (raw instanceof Number) {
                throw new BadValue("has no unit; write \"" + raw + "s\" for seconds, in quotes");
            }
            if (!(raw instanceof String text)) {
                throw new BadValue("is not a duration");
            }
            Duration duration;
            try {
                duration = DurationText.parse(text);
            } catch (InvalidDuration invalid) {
                throw new BadValue(invalid.reason());
            }
            if (duration.compareTo(min) < 0) {
                throw new BadValue(duration.isZero() ? "is zero" : "is too short");
            }
            if (duration.compareTo(max) > 0) {
                throw new BadValue("is too long");
            }
            return duration;
        }

        @Override
        public String show(Duration value) {
            return DurationText.format(value);
        }

        @Override
        public String allowed() {
            return "a duration from " + DurationText.format(min) + " to " + DurationText.format(max);
        }
    }

    /** An amount of memory in bytes, within bounds, both inclusive; written as a whole number and k, m or g. */
    record MemoryType(long min, long max) implements ValueType<Long> {
        private static final Pattern AMOUNT = Pattern.compile("(\\d{1,18})([kmg]?)");
        private static final String UNITS = "kmg";

        @Override
        public Long parse(Object raw) throws BadValue {
            if (!(raw instanceof String) && !(raw instanceof Number)) {
                throw new BadValue("is not an amount of memory");
            }
            Matcher amount = AMOUNT.matcher(raw.toString().strip().toLowerCase(Locale.ROOT));
            if (!amount.matches()) {
                throw new BadValue("is not an amount of memory");
            }
            if (amount.group(2).isEmpty()) {
                throw new BadValue("has no unit; write \"" + amount.group(1) + "m\" for megabytes, in quotes");
            }
            long count = Long.parseLong(amount.group(1));
            long unit = unit(UNITS.indexOf(amount.group(2)));
            if (count > max / unit) {
                throw new BadValue("is too large");
            }
            if (count * unit < min) {
                throw new BadValue("is too small");
            }
            return count * unit;
        }

        private static long unit(int index) {
            return 1L << (10 * (index + 1));
        }

        @Override
        public String show(Long value) {
            int index = UNITS.length() - 1;
            while (index > 0 && value % unit(index) != 0) {
                index--;
            }
            return value / unit(index) + UNITS.substring(index, index + 1);
        }

        @Override
        public String allowed() {
            return "an amount of memory from " + show(min) + " to " + show(max) + ", such as 512m or 2g";
        }
    }

    /** Text with a check, which throws {@link InvalidName} or returns the text to keep. */
    record TextType(String allowed, UnaryOperator<String> check) implements ValueType<String> {

        static TextType named(String allowed, UnaryOperator<String> check) {
            return new TextType(allowed, text -> check.apply(text.strip()));
        }

        static TextType line() {
            return new TextType("one line of text", String::strip);
        }

        static TextType verbatim() {
            return new TextType("text", text -> text);
        }

        @Override
        public String parse(Object raw) throws BadValue {
            if (!(raw instanceof String text)) {
                throw new BadValue("is not text; write it in quotes");
            }
            String kept;
            try {
                kept = check.apply(text);
            } catch (InvalidName invalid) {
                throw new BadValue("is refused: " + invalid.getMessage());
            }
            if (kept.isEmpty()) {
                throw new BadValue("is empty; give a value or leave it out");
            }
            if (kept.chars().anyMatch(Character::isISOControl)) {
                throw new BadValue("holds a line break or another control character");
            }
            return kept;
        }

        @Override
        public String show(String value) {
            return value;
        }
    }

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

    /**
     * A value that may be absent.
     *
     * @param word the text that means absent, such as "auto"; null if only leaving the key out means that
     */
    record OptionalType<T>(ValueType<T> type, @Nullable String word) implements ValueType<Optional<T>> {

        @Override
        public Optional<T> parse(Object raw) throws BadValue {
            if (raw instanceof String text && text.equals(word)) {
                return Optional.empty();
            }
            return Optional.of(type.parse(raw));
        }

        @Override
        public String show(Optional<T> value) {
            return value.map(type::show).orElse(word == null ? "" : word);
        }

        @Override
        public String allowed() {
            return word == null || word.isEmpty() ? type.allowed() : word + ", or " + type.allowed();
        }
    }
}
