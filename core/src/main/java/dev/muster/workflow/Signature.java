package dev.muster.workflow;

import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a version of a workflow promises to the runs that it has: its name and version, the shape of its input and result, and its declared
 * steps. {@link #text} says it in words and {@link #digest} is what is compared. The order in which code calls its steps is not part of it,
 * because it is not known before the code runs; replay finds such changes.
 */
record Signature(String text) {

    static Signature of(String name, String version, Type input, Type result, List<String> steps) {
        return new Signature("workflow " + name + " " + version + "\ninput " + shape(input, new HashSet<>())
                + "\nresult " + shape(result, new HashSet<>()) + "\nsteps " + String.join(", ", steps));
    }

    String digest() {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(sha.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** A type by what its JSON has: the names and types of a record's components or a class's fields, inherited ones too, recursively. */
    private static String shape(Type type, Set<Type> above) {
        if (type instanceof ParameterizedType parameterized) {
            return simpleName(parameterized.getRawType())
                    + Arrays.stream(parameterized.getActualTypeArguments())
                            .map(argument -> shape(argument, above))
                            .collect(Collectors.joining(", ", "<", ">"));
        }
        if (!(type instanceof Class<?> raw)) {
            return type.getTypeName();
        }
        if (raw.isArray()) {
            return shape(raw.getComponentType(), above) + "[]";
        }
        if (raw.isPrimitive() || raw.isEnum() || raw.getName().startsWith("java.") || !above.add(raw)) {
            return raw.isEnum() ? "enum" + Arrays.toString(raw.getEnumConstants()) : raw.getName();
        }
        String members = raw.isRecord() ? components(raw, above) : fields(raw, above);
        above.remove(raw);
        return members;
    }

    private static String simpleName(Type type) {
        return type instanceof Class<?> raw ? raw.getName() : type.getTypeName();
    }

    private static String components(Class<?> type, Set<Type> above) {
        return Arrays.stream(type.getRecordComponents())
                .map((RecordComponent part) -> part.getName() + ": " + shape(part.getGenericType(), above))
                .sorted()
                .collect(Collectors.joining(", ", "{", "}"));
    }

    private static String fields(Class<?> type, Set<Type> above) {
        return Stream.<Class<?>>iterate(type, Objects::nonNull, Class::getSuperclass)
                .takeWhile(one -> !one.getName().startsWith("java."))
                .flatMap(one -> Arrays.stream(one.getDeclaredFields()))
                .filter(field ->
                        !Modifier.isStatic(field.getModifiers()) && !Modifier.isTransient(field.getModifiers()))
                .map(field -> field.getName() + ": " + shape(field.getGenericType(), above))
                .sorted()
                .collect(Collectors.joining(", ", "{", "}"));
    }
}
