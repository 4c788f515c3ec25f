package dev.muster.internal.graph;

import dev.muster.internal.attempt.BadArgs;
import dev.muster.internal.graph.GraphStore.TaskSource;
import dev.muster.internal.runtime.Jsonb;
import dev.muster.internal.runtime.Jsonb.Digits;
import dev.muster.internal.runtime.Shown;
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
 * The positions in a task's inputs that results of its parents take: objects of the form {@code {"from": "extract", "path": "/rows"}}, where
 * the path is a JSON pointer and may be left out. {@code {"$literal": …}} stands for its value as it is, in which nothing is replaced.
 */
final class InputMapping {
    private static final String FROM = "from";
    private static final String PATH = "path";
    private static final String LITERAL = "$literal";
    private static final Set<String> MEMBERS = Set.of(FROM, PATH);

    /** How many characters of results are read for one task, however often its inputs name each of them. */
    private static final long MOST_READ = 4 * TaskSource.MAX_RESULT_BYTES;

    private static final Pattern INDEX = Pattern.compile("0|[1-9]\\d{0,8}");

    private InputMapping() {}

    /**
     * Where a value is in the inputs: in the value that is there, under this name or at this index. It becomes a text only when somebody has to
     * be told, because the names that callers choose would be copied for each value below them.
     */
    record Position(@Nullable Position outer, String step) {
        private static final int MAX_STEPS = 10;

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder();
            Position at = this;
            for (int i = 0; at != null && i < MAX_STEPS; i++) {
                text.insert(0, Shown.of(at.step));
                at = at.outer;
            }
            return at == null ? text.toString() : "…" + text;
        }
    }

    /** A position that a result takes. */
    record Reference(@Nullable Position at, String parent, String path) {
        /** Such as {@code .rows[0]}; empty for the inputs as a whole. */
        String where() {
            return at == null ? "" : at.toString();
        }
    }

    /** All references in these inputs. */
    static List<Reference> references(String json) {
        List<Reference> found = new ArrayList<>();
        collect(null, Jsonb.read(json), found);
        return found;
    }

    private static void collect(@Nullable Position position, @Nullable Object value, List<Reference> found) {
        if (value instanceof List<?> items) {
            for (int i = 0; i < items.size(); i++) {
                if (items.get(i) instanceof List || items.get(i) instanceof Map) {
                    collect(new Position(position, "[" + i + "]"), items.get(i), found);
                }
            }
        } else if (value instanceof Map<?, ?> object && !isLiteral(object)) {
            reference(position, object)
                    .ifPresentOrElse(
                            found::add,
                            () -> object.forEach((name, member) -> {
                                if (member instanceof List || member instanceof Map) {
                                    collect(new Position(position, "." + name), member, found);
                                }
                            }));
        }
    }

    private static boolean isLiteral(Map<?, ?> object) {
        return object.size() == 1 && object.containsKey(LITERAL);
    }

    private static Optional<Reference> reference(@Nullable Position position, Map<?, ?> object) {
        if (!(object.get(FROM) instanceof String parent) || !MEMBERS.containsAll(object.keySet())) {
            return Optional.empty();
        }
        Object path = object.get(PATH);
        return path == null || path instanceof String
                ? Optional.of(new Reference(position, parent, path == null ? "" : (String) path))
                : Optional.empty();
    }

    /**
     * The inputs with the results in them.
     *
     * @param results the result of a parent as JSON; empty if it has none, which becomes null
     * @throws MissingResult if a path finds nothing in a result
     * @throws BadArgs if the results are too large, each counted as often as it is taken
     */
    static String assemble(String json, Function<String, Optional<String>> results) {
        return assemble(json, results, json.length());
    }

    /** @param length about as long as the text will be */
    static String assemble(String json, Function<String, Optional<String>> results, int length) {
        return Jsonb.write(filled(Jsonb.read(json), new Results(results)), length);
    }

    private static @Nullable Object filled(@Nullable Object value, Results results) {
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
        Optional<Reference> reference = reference(null, object);
        if (reference.isPresent()) {
            // Read when it is written: ten thousand results take much more room as values than as texts.
            return (Supplier<@Nullable Object>) () -> results.take(reference.get());
        }
        Map<String, @Nullable Object> filled = new LinkedHashMap<>();
        object.forEach((name, member) -> filled.put(String.valueOf(name), filled(member, results)));
        return filled;
    }

    /**
     * The results of parents, as references take them. Inputs may name the same result again and again, so what is taken counts each time: a
     * hundred kilobytes of inputs would otherwise become gigabytes of args.
     */
    private static final class Results {
        private final Function<String, Optional<String>> texts;
        private @Nullable String lastParent;
        private @Nullable Object last;
        private long read;
        private long taken;

        Results(Function<String, Optional<String>> texts) {
            this.texts = texts;
        }

        @Nullable
        Object take(Reference reference) {
            String parent = reference.parent();
            if (!parent.equals(lastParent)) {
                String text = texts.apply(parent).orElse(null);
                if (text == null) {
                    return null;
                }
                read += text.length();
                refuseAbove(MOST_READ, read, "would have to be read, because they name many of them in turns");
                last = Jsonb.read(text);
                lastParent = parent;
            }
            Object found = at(parent, reference.path(), last);
            taken += length(found);
            refuseAbove(TaskSource.MAX_RESULT_BYTES, taken, "are taken, those that are named twice counted twice");
            return found;
        }

        private static void refuseAbove(long most, long characters, String what) {
            if (characters > most) {
                throw new BadArgs(
                        "more than " + most + " characters of the results that its inputs name " + what
                                + ": store them elsewhere and return references",
                        null);
            }
        }
    }

    /** About how long the text of a value is. */
    private static long length(@Nullable Object value) {
        if (value instanceof List<?> items) {
            return items.stream().mapToLong(item -> length(item) + 2).sum() + 2;
        }
        if (value instanceof Map<?, ?> object) {
            return object.entrySet().stream()
                            .mapToLong(
                                    member -> String.valueOf(member.getKey()).length() + length(member.getValue()) + 6)
                            .sum()
                    + 2;
        }
        if (value instanceof Digits digits) {
            return digits.text().length();
        }
        return value instanceof String text
                ? text.length() + 2
                : String.valueOf(value).length();
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
