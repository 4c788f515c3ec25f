package dev.muster.document;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
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
 * Copies of a record, in each of which one component is different. Components that are records, and the last of a
 * list of them, are changed in each of their parts.
 */
final class RecordChanges {
    private RecordChanges() {}

    /** The changed records, by the path of the component that was changed. */
    static Map<String, Record> of(Record record) {
        Map<String, Record> changes = new LinkedHashMap<>();
        RecordComponent[] components = record.getClass().getRecordComponents();
        for (int i = 0; i < components.length; i++) {
            Object value = value(record, components[i]);
            int changed = i;
            String name = components[i].getName();
            changedValues(value, components[i].getGenericType())
                    .forEach((path, other) -> changes.put(name + path, copy(record, changed, other)));
        }
        return changes;
    }

    private static Object value(Record record, RecordComponent component) {
        try {
            component.getAccessor().setAccessible(true);
            return component.getAccessor().invoke(record);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static Record copy(Record record, int changed, Object other) {
        RecordComponent[] components = record.getClass().getRecordComponents();
        Object[] values = Arrays.stream(components).map(c -> value(record, c)).toArray();
        values[changed] = other;
        try {
            Constructor<? extends Record> constructor = record.getClass()
                    .getDeclaredConstructor(Arrays.stream(components)
                            .map(RecordComponent::getType)
                            .toArray(Class<?>[]::new));
            constructor.setAccessible(true);
            return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("changing " + components[changed] + " of " + record, e);
        }
    }

    private static Map<String, Object> changedValues(Object value, Type type) {
        if (value instanceof Optional<?> optional) {
            Map<String, Object> changes = new LinkedHashMap<>();
            changes.put("", Optional.empty());
            Object inside = optional.orElseThrow(() -> new AssertionError("the full instance lacks a " + type));
            if (inside instanceof Record) {
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
            if (last >= 0 && items.get(last) instanceof Record record) {
                changedValues(record, record.getClass()).forEach((path, other) -> {
                    List<Object> changed = new ArrayList<>(items);
                    changed.set(last, other);
                    changes.put("[" + last + "]" + path, changed);
                });
            }
            return changes;
        }
        if (value instanceof Record record && !(value instanceof Comparable) && hasSeveralParts(record)) {
            Map<String, Object> changes = new LinkedHashMap<>();
            of(record).forEach((path, other) -> changes.put("." + path, other));
            return changes;
        }
        return Map.of("", other(value));
    }

    private static boolean hasSeveralParts(Record record) {
        return record.getClass().getRecordComponents().length > 1;
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
