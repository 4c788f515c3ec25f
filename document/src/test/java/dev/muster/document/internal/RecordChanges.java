package dev.muster.document.internal;

import dev.muster.runtime.NamePatterns;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;

/**
 * Copies of a record, or of a class with a constructor that takes all of its fields, in each of which one component is different. Components
 * that are such things themselves, and the last of a list of them, are changed in each of their parts.
 */
final class RecordChanges {
    private RecordChanges() {}

    /** The changed copies, by the path of the component that was changed. */
    static Map<String, Object> of(Object thing) {
        Map<String, Object> changes = new LinkedHashMap<>();
        List<Field> components = components(thing);
        for (int i = 0; i < components.size(); i++) {
            Object value = value(thing, components.get(i));
            int changed = i;
            String name = components.get(i).getName();
            changedValues(value, components.get(i).getGenericType())
                    .forEach((path, other) -> changes.put(name + path, copy(thing, changed, other)));
        }
        return changes;
    }

    private static List<Field> components(Object thing) {
        return Arrays.stream(thing.getClass().getDeclaredFields())
                .filter(field -> !Modifier.isStatic(field.getModifiers()))
                .toList();
    }

    private static Object value(Object thing, Field component) {
        try {
            component.setAccessible(true);
            return component.get(thing);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static Constructor<?> constructor(Object thing) throws NoSuchMethodException {
        return thing.getClass()
                .getDeclaredConstructor(
                        components(thing).stream().map(Field::getType).toArray(Class<?>[]::new));
    }

    private static boolean isComposed(Object value) {
        if (value instanceof Record) {
            return true;
        }
        try {
            return value.getClass().getName().startsWith("dev.muster.")
                    && !(value instanceof Enum)
                    && constructor(value).getParameterCount() > 1;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    private static Object copy(Object thing, int changed, Object other) {
        Object[] values =
                components(thing).stream().map(field -> value(thing, field)).toArray();
        values[changed] = other;
        try {
            Constructor<?> constructor = constructor(thing);
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("changing component " + changed + " of " + thing, e);
        }
    }

    private static Map<String, Object> changedValues(Object value, Type type) {
        if (value instanceof Optional<?> optional) {
            Map<String, Object> changes = new LinkedHashMap<>();
            changes.put("", Optional.empty());
            Object inside = optional.orElseThrow(() -> new AssertionError("the full instance lacks a " + type));
            if (isComposed(inside)) {
                changedValues(inside, inside.getClass())
                        .forEach((path, other) -> changes.put(path, Optional.of(other)));
            }
            return changes;
        }
        if (value instanceof List<?> list) {
            Map<String, Object> changes = new LinkedHashMap<>();
            changes.put("", List.of());
            List<Object> items = new ArrayList<>(list);
            int last = items.size() - 1;
            if (last >= 0 && isComposed(items.get(last))) {
                changedValues(items.get(last), items.get(last).getClass()).forEach((path, other) -> {
                    List<Object> changed = new ArrayList<>(items);
                    changed.set(last, other);
                    changes.put("[" + last + "]" + path, changed);
                });
            }
            return changes;
        }
        if (isComposed(value)
                && !(value instanceof Comparable)
                && components(value).size() > 1) {
            Map<String, Object> changes = new LinkedHashMap<>();
            of(value).forEach((path, other) -> changes.put("." + path, other));
            return changes;
        }
        return Map.of("", other(value));
    }

    private static Object other(Object value) {
        if (value instanceof String text) {
            return text.startsWith("{") || text.startsWith("[") ? "{\"other\": 1}" : otherText(text);
        } else if (value instanceof Integer number) {
            return number + 1;
        } else if (value instanceof Long number) {
            return number + 1;
        } else if (value instanceof Double number) {
            return number / 2;
        } else if (value instanceof Boolean flag) {
            return !flag;
        } else if (value instanceof Instant time) {
            return time.plusSeconds(86_400);
        } else if (value instanceof Duration duration) {
            return duration.plusMillis(1);
        } else if (value instanceof Enum<?> choice) {
            Object[] all = choice.getDeclaringClass().getEnumConstants();
            return all[(choice.ordinal() + 1) % all.length];
        } else if (value instanceof OptionalInt) {
            return OptionalInt.empty();
        } else if (value instanceof UUID id) {
            return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits() + 1);
        } else if (value instanceof NamePatterns) {
            return NamePatterns.of("other");
        } else if (value instanceof Map<?, ?> map && map.keySet().iterator().next() instanceof Enum<?> first) {
            Map<Object, Object> fewer = new LinkedHashMap<>(map);
            fewer.remove(first);
            return fewer;
        } else if (value instanceof Map) {
            return Map.of("other", "1");
        } else if (value instanceof Set<?> set) {
            Set<Object> fewer = new LinkedHashSet<>(set);
            fewer.remove(fewer.iterator().next());
            return fewer;
        } else if (value instanceof Record id) {
            return of(id).values().iterator().next();
        }
        throw new AssertionError("how does one change " + value + "?");
    }

    /** Another text that the checks of names and cron expressions accept. */
    private static String otherText(String text) {
        return text.equals("0 6 * * MON") ? "0 7 * * MON" : text.equals("Europe/Berlin") ? "Europe/Paris" : text + "x";
    }
}
