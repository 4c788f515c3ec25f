package dev.muster.graph;

import dev.muster.job.payload.Jsonb;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The places in a task's inputs that results of its parents take: objects of the form {@code {"from": "extract", "path": "/rows"}}, where
 * the path is a JSON pointer and may be left out. {@code {"$literal": …}} stands for its value as it is, in which nothing is replaced.
 */
final class InputMapping {
    private static final String FROM = "from";
    private static final String PATH = "path";
    private static final String LITERAL = "$literal";
    private static final Set<String> MEMBERS = Set.of(FROM, PATH);
    private static final Pattern INDEX = Pattern.compile("0|[1-9]\\d{0,8}");

    private InputMapping() {}

    /** A place that a result takes. */
    record Reference(String place, String parent, String path) {}

    /** All references in these inputs. */
    static List<Reference> references(String json) {
        List<Reference> found = new ArrayList<>();
        collect("", Jsonb.read(json), found);
        return found;
    }

    private static void collect(String place, @Nullable Object value, List<Reference> found) {
        if (value instanceof List<?> items) {
            for (int i = 0; i < items.size(); i++) {
                collect(place + "[" + i + "]", items.get(i), found);
            }
        } else if (value instanceof Map<?, ?> object && !isLiteral(object)) {
            reference(place, object)
                    .ifPresentOrElse(
                            found::add,
                            () -> object.forEach((name, member) -> collect(place + "." + name, member, found)));
        }
    }

    private static boolean isLiteral(Map<?, ?> object) {
        return object.size() == 1 && object.containsKey(LITERAL);
    }

    private static Optional<Reference> reference(String place, Map<?, ?> object) {
        if (!(object.get(FROM) instanceof String parent) || !MEMBERS.containsAll(object.keySet())) {
            return Optional.empty();
        }
        Object path = object.get(PATH);
        return path == null || path instanceof String
                ? Optional.of(new Reference(place, parent, path == null ? "" : (String) path))
                : Optional.empty();
    }

    /**
     * The inputs with results in their places.
     *
     * @param results the result of a parent as JSON; empty if it has none, which becomes null
     * @throws MissingResult if a path finds nothing in a result
     */
    static String assemble(String json, Function<String, Optional<String>> results) {
        return assemble(json, results, json.length());
    }

    /** @param length about as long as the text will be */
    static String assemble(String json, Function<String, Optional<String>> results, int length) {
        return Jsonb.write(filled(Jsonb.read(json), results), length);
    }

    private static @Nullable Object filled(@Nullable Object value, Function<String, Optional<String>> results) {
        if (value instanceof List<?> items) {
            List<@Nullable Object> filled = new ArrayList<>(items.size());
            items.forEach(item -> filled.add(filled(item, results)));
            return filled;
        }
        if (!(value instanceof Map<?, ?> object)) {
            return value;
        }
        if (isLiteral(object)) {
            return object.get(LITERAL);
        }
        Optional<Reference> reference = reference("", object);
        if (reference.isPresent()) {
            // Read when it is written: ten thousand results take much more room as values than as texts.
            return (Supplier<@Nullable Object>) () -> value(reference.get(), results);
        }
        Map<String, @Nullable Object> filled = new LinkedHashMap<>();
        object.forEach((name, member) -> filled.put(String.valueOf(name), filled(member, results)));
        return filled;
    }

    private static @Nullable Object value(Reference reference, Function<String, Optional<String>> results) {
        String parent = reference.parent();
        return results.apply(parent)
                .map(result -> at(parent, reference.path(), Jsonb.read(result)))
                .orElse(null);
    }

    private static @Nullable Object at(String parent, String path, @Nullable Object result) {
        Object found = result;
        int end = 0;
        while (end < path.length()) {
            int next = path.indexOf('/', end + 1);
            next = next < 0 ? path.length() : next;
            String name = path.substring(end + 1, next).replace("~1", "/").replace("~0", "~");
            if (found instanceof Map<?, ?> object && object.containsKey(name)) {
                found = object.get(name);
            } else if (found instanceof List<?> items
                    && INDEX.matcher(name).matches()
                    && Integer.parseInt(name) < items.size()) {
                found = items.get(Integer.parseInt(name));
            } else {
                throw new MissingResult("the result of its parent '" + parent + "' has nothing at " + path
                        + ", which no retry can change: it ends before " + path.substring(0, next));
            }
            end = next;
        }
        return found;
    }
}
