package dev.muster.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Keys with values, in the order given; as text, {@code key=value} separated by commas. */
record LabelsType() implements ValueType<Map<String, String>> {
    private static final Pattern KEY = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_./-]{0,126}");

    @Override
    public Map<String, String> parse(Object raw) throws BadValue {
        Map<String, String> labels = new LinkedHashMap<>();
        if (raw instanceof Map<?, ?> map) {
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                put(labels, String.valueOf(entry.getKey()), value(entry.getKey(), entry.getValue()));
            }
        } else if (raw instanceof String text) {
            for (String pair : text.isBlank() ? new String[0] : text.split(",", -1)) {
                int equals = pair.indexOf('=');
                if (equals < 0) {
                    throw new BadValue("has '" + pair.strip() + "', which is not key=value");
                }
                put(
                        labels,
                        pair.substring(0, equals).strip(),
                        pair.substring(equals + 1).strip());
            }
        } else {
            throw new BadValue("is not a map");
        }
        return Collections.unmodifiableMap(labels);
    }

    private static String value(Object key, Object value) throws BadValue {
        if (value instanceof String || value instanceof Number || value instanceof Boolean) {
            return value.toString();
        }
        throw new BadValue("has a value for '" + key + "' that is not text");
    }

    private static void put(Map<String, String> labels, String key, String value) throws BadValue {
        if (!KEY.matcher(key).matches()) {
            throw new BadValue("has the key '" + key
                    + "'; a key starts with a letter or digit and holds only letters, digits, '_', '.', '/' and '-',"
                    + " 127 characters at most");
        }
        if (labels.put(key, value) != null) {
            throw new BadValue("has the key '" + key + "' twice");
        }
    }

    @Override
    public String show(Map<String, String> value) {
        return value.entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .collect(Collectors.joining(","));
    }

    @Override
    public String allowed() {
        return "a map, such as { zone = \"eu\" }, or zone=eu,disk=ssd as text";
    }
}
