package dev.muster.json.internal;

import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Builds the messages. It parses Jackson's own texts where there is no other way to tell problems apart. */
public final class Wording {
    private static final int MAX_VALUE = 60;
    private static final int MAX_NAMES = 20;

    private static final Map<Class<?>, String> EXPECTED = Map.ofEntries(
            Map.entry(boolean.class, "true or false"),
            Map.entry(Boolean.class, "true or false"),
            Map.entry(byte.class, whole(Byte.MIN_VALUE, Byte.MAX_VALUE)),
            Map.entry(Byte.class, whole(Byte.MIN_VALUE, Byte.MAX_VALUE)),
            Map.entry(short.class, whole(Short.MIN_VALUE, Short.MAX_VALUE)),
            Map.entry(Short.class, whole(Short.MIN_VALUE, Short.MAX_VALUE)),
            Map.entry(int.class, "a whole number"),
            Map.entry(Integer.class, "a whole number"),
            Map.entry(long.class, "a whole number"),
            Map.entry(Long.class, "a whole number"),
            Map.entry(BigInteger.class, "a whole number"),
            Map.entry(float.class, "a number"),
            Map.entry(Float.class, "a number"),
            Map.entry(double.class, "a number"),
            Map.entry(Double.class, "a number"),
            Map.entry(BigDecimal.class, "a number"),
            Map.entry(char.class, "one character"),
            Map.entry(Character.class, "one character"),
            Map.entry(String.class, "text"),
            Map.entry(byte[].class, "base64 text"),
            Map.entry(Instant.class, "a time such as 2026-01-31T12:30:00Z"),
            Map.entry(OffsetDateTime.class, "a time such as 2026-01-31T12:30:00+01:00"),
            Map.entry(ZonedDateTime.class, "a time such as 2026-01-31T12:30:00+01:00[Europe/Paris]"),
            Map.entry(OffsetTime.class, "a time of day such as 12:30:00+01:00"),
            Map.entry(LocalDateTime.class, "a time such as 2026-01-31T12:30:00"),
            Map.entry(LocalDate.class, "a date such as 2026-01-31"),
            Map.entry(LocalTime.class, "a time of day such as 12:30:00"),
            Map.entry(Duration.class, "a duration such as PT1H30M"),
            Map.entry(Period.class, "a period such as P1M"));

    private static final Pattern ENUM_NAMES = Pattern.compile("values accepted for Enum class: \\[(.*)]");
    private static final Pattern TYPE_NAMES = Pattern.compile("known type ids = \\[(.*?)]");
    private static final Pattern TYPE_PROPERTY = Pattern.compile("missing type id property '(.*?)'");
    private static final Pattern DUPLICATE = Pattern.compile("Duplicate (?:field|Object property) ['\"](.*)['\"]");
    private static final Pattern NON_STANDARD = Pattern.compile("Non-standard token '(.*?)'");
    private static final Pattern UNKNOWN_TOKEN = Pattern.compile("Unrecognized token '(.*?)'");
    private static final Pattern DEPTH =
            Pattern.compile("nesting depth \\(\\d+\\) exceeds the maximum allowed \\((\\d+)");

    private static final Pattern DEFINITION = Pattern.compile("^Invalid type definition for type `[^`]*`: ");
    private static final Pattern LOCATION = Pattern.compile("\\s*\\(?(start marker )?at \\[Source.*", Pattern.DOTALL);
    private static final Pattern CHAIN = Pattern.compile("\\s*\\(through reference chain.*", Pattern.DOTALL);
    private static final Pattern CODE = Pattern.compile(" \\(code \\d+[^)]*\\)");
    private static final Pattern HINT = Pattern.compile(
            "\\s*\\((set Deser|but could if|to avoid exception|although at least|not recognized as).*|:\\s*enable `.*|, from `[^`]*`");
    private static final Pattern CLASS_NAME = Pattern.compile("\\b(?:[a-z_][\\w]*\\.)+([A-Z])");

    private Wording() {}

    private static String whole(int min, int max) {
        return "a whole number from " + min + " to " + max;
    }

    /** For a type that cannot be created from any JSON. */
    public static String unmakeable(Class<?> type) {
        return type.getSimpleName()
                + (Modifier.isAbstract(type.getModifiers())
                        ? " is abstract; name its subtypes with @JsonTypeInfo and @JsonSubTypes"
                        : " cannot be made from JSON; make it a record, or annotate a constructor with @JsonCreator");
    }

    public static String mismatch(Path path, Class<?> type, String found) {
        return path.subject() + " must be " + expected(type) + ", but is " + found;
    }

    public static String value(Path path, Class<?> type, @Nullable Object value, String original) {
        if (NonFinite.in(value) != null) {
            return path.subject() + " must be finite, but is " + value;
        }
        Matcher names = ENUM_NAMES.matcher(original);
        String expected = names.find() ? "one of " + names.group(1) : expected(type);
        return path.subject() + " must be " + expected + ", but is " + quoted(value);
    }

    public static String unknownProperty(Path path, @Nullable Collection<Object> known) {
        String message = "unknown property " + path;
        if (known == null || known.isEmpty()) {
            return message + "; there are no properties here";
        }
        String names =
                known.stream().map(String::valueOf).sorted().limit(MAX_NAMES).collect(Collectors.joining(", "));
        return message + "; known are " + names + (known.size() > MAX_NAMES ? ", …" : "");
    }

    public static String typeId(Path path, @Nullable String id, String original) {
        Matcher property = TYPE_PROPERTY.matcher(original);
        Matcher names = TYPE_NAMES.matcher(original);
        String known = names.find() ? "; known are " + names.group(1) : "";
        if (id != null) {
            return path.prefix() + "unknown type " + quoted(id) + known;
        }
        return path.prefix()
                + (property.find()
                        ? "the property " + property.group(1) + ", which names the type, is missing"
                        : "the type is missing")
                + known;
    }

    public static String definition(Path path, @Nullable Class<?> type, String original) {
        if (type != null && original.startsWith("No serializer found")) {
            return path.prefix() + type.getSimpleName()
                    + " has no properties to write; make it a record, or give it public getters";
        }
        if (type != null && original.startsWith("Cannot construct instance")) {
            return path.prefix() + unmakeable(type);
        }
        return path.prefix() + clean(DEFINITION.matcher(original).replaceFirst(""));
    }

    public static String limit(String original) {
        Matcher depth = DEPTH.matcher(original);
        return depth.find() ? "nested deeper than " + depth.group(1) + " levels" : clean(original);
    }

    public static String syntax(String original) {
        Matcher duplicate = DUPLICATE.matcher(original);
        if (duplicate.find()) {
            return "property " + duplicate.group(1) + " occurs twice";
        }
        Matcher token = NON_STANDARD.matcher(original);
        if (token.find()) {
            return token.group(1) + " is not valid in JSON";
        }
        token = UNKNOWN_TOKEN.matcher(original);
        if (token.find()) {
            return "unexpected " + quoted(token.group(1));
        }
        return original.startsWith("Unexpected end-of-input")
                ? "the text ends in the middle of a value"
                : clean(original);
    }

    /** The message of an exception from user code, such as a constructor or a getter. */
    public static String ofThrown(Throwable thrown) {
        String message = thrown.getMessage();
        return message == null || message.isBlank() ? thrown.getClass().getSimpleName() : message;
    }

    public static String clean(String original) {
        String text = LOCATION.matcher(original).replaceFirst("");
        text = CHAIN.matcher(text).replaceFirst("");
        text = HINT.matcher(CODE.matcher(text).replaceAll("")).replaceAll("");
        text = CLASS_NAME
                .matcher(text)
                .replaceAll("$1")
                .replace("`", "")
                .replace("field name", "property name")
                .strip();
        return text.isEmpty() ? text : Character.toLowerCase(text.charAt(0)) + text.substring(1);
    }

    public static String oneLine(String text) {
        return text.replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
    }

    private static String expected(Class<?> type) {
        String known = EXPECTED.get(type);
        if (known != null) {
            return known;
        }
        if (type.isEnum()) {
            return "one of "
                    + Arrays.stream(type.getEnumConstants())
                            .map(each -> ((Enum<?>) each).name())
                            .collect(Collectors.joining(", "));
        }
        if (type.isArray() || Collection.class.isAssignableFrom(type)) {
            return "a list";
        }
        boolean scalar = type.getName().startsWith("java.") && !Map.class.isAssignableFrom(type);
        return scalar ? "a valid " + type.getSimpleName() : "an object";
    }

    private static String quoted(@Nullable Object value) {
        String text = String.valueOf(value);
        String shown = text.length() <= MAX_VALUE ? text : text.substring(0, MAX_VALUE) + "…";
        return value instanceof Number || value instanceof Boolean ? shown : '"' + shown + '"';
    }
}
