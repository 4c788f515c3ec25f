package dev.muster.internal.workflow;

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
 *
 * <p>Of what belongs to somebody else, such as a class for amounts of money from a library, only the name counts: its private fields and the
 * constants of its enums change with any of its versions, and say little about its JSON. Records are the exception, because their components
 * are their API.
 */
public record Signature(String text) {

    static Signature of(Class<?> code, String name, String version, Type input, Type result, List<String> steps) {
        return of(new Shapes(application(code), false), name, version, input, result, steps);
    }

    /**
     * The signature that former builds of Muster gave the same version: of every class all fields, and of enums what their constants say of
     * themselves. Runs that were started with it continue.
     */
    public static Signature former(String name, String version, Type input, Type result, List<String> steps) {
        return of(new Shapes("", true), name, version, input, result, steps);
    }

    private static Signature of(
            Shapes shapes, String name, String version, Type input, Type result, List<String> steps) {
        return new Signature("workflow " + name + " " + version + "\ninput " + shapes.of(input, new HashSet<>())
                + "\nresult " + shapes.of(result, new HashSet<>()) + "\nsteps " + String.join(", ", steps));
    }

    /**
     * The packages whose classes belong to the same application as this one: those that begin with the same two names, such as {@code com.shop}.
     * Not what is in the same jar, because that depends on how the application is built.
     */
    private static String application(Class<?> code) {
        return Arrays.stream(code.getPackageName().split("\\."))
                .limit(2)
                .map(part -> part + ".")
                .collect(Collectors.joining());
    }

    public String digest() {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(sha.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /**
     * Types by what their JSON has.
     *
     * @param application what the packages of the application begin with
     */
    private record Shapes(String application, boolean former) {

        /** The names and types of a record's components or a class's fields, inherited ones too, recursively. */
        String of(Type type, Set<Type> above) {
            if (type instanceof ParameterizedType parameterized) {
                return simpleName(parameterized.getRawType())
                        + Arrays.stream(parameterized.getActualTypeArguments())
                                .map(argument -> of(argument, above))
                                .collect(Collectors.joining(", ", "<", ">"));
            }
            if (!(type instanceof Class<?> raw)) {
                return type.getTypeName();
            }
            if (raw.isArray()) {
                return of(raw.getComponentType(), above) + "[]";
            }
            if (raw.isEnum() && isOpen(raw)) {
                return "enum" + constants(raw);
            }
            if (raw.isPrimitive()
                    || raw.isEnum()
                    || raw.getName().startsWith("java.")
                    || !isOpen(raw)
                    || !above.add(raw)) {
                return raw.getName();
            }
            String members = raw.isRecord() ? components(raw, above) : fields(raw, above);
            above.remove(raw);
            return members;
        }

        private boolean isOpen(Class<?> type) {
            return former || type.isRecord() || (type.getPackageName() + ".").startsWith(application);
        }

        private static String simpleName(Type type) {
            return type instanceof Class<?> raw ? raw.getName() : type.getTypeName();
        }

        private List<String> constants(Class<?> type) {
            return Arrays.stream(type.getEnumConstants())
                    .map(constant -> former ? constant.toString() : ((Enum<?>) constant).name())
                    .toList();
        }

        private String components(Class<?> type, Set<Type> above) {
            return Arrays.stream(type.getRecordComponents())
                    .map((RecordComponent part) -> part.getName() + ": " + of(part.getGenericType(), above))
                    .sorted()
                    .collect(Collectors.joining(", ", "{", "}"));
        }

        private String fields(Class<?> type, Set<Type> above) {
            return Stream.<Class<?>>iterate(type, Objects::nonNull, Class::getSuperclass)
                    .takeWhile(one -> !one.getName().startsWith("java.") && isOpen(one))
                    .flatMap(one -> Arrays.stream(one.getDeclaredFields()))
                    .filter(field ->
                            !Modifier.isStatic(field.getModifiers()) && !Modifier.isTransient(field.getModifiers()))
                    .map(field -> field.getName() + ": " + of(field.getGenericType(), above))
                    .sorted()
                    .collect(Collectors.joining(", ", "{", "}"));
        }
    }
}
