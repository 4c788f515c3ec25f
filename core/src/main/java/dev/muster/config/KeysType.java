package dev.muster.config;

import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * AES-256 keys in base64 by id; as text, {@code id=key} separated by commas. Error messages name the id or, because a key may
 * have been written in place of an id, the number of the entry; they never contain a value.
 */
record KeysType() implements ValueType<Map<String, String>> {
    private static final int BYTES = 32;

    // An id is shorter than 32 bytes in base64, so that a key without an id is never mistaken for one.
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,31}");

    @Override
    public Map<String, String> parse(Object raw) throws BadValue {
        Map<String, String> keys = new LinkedHashMap<>();
        if (raw instanceof Map<?, ?> map) {
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                put(keys, String.valueOf(entry.getKey()), entry.getValue());
            }
        } else if (raw instanceof String text) {
            for (String pair : text.isBlank() ? new String[0] : text.split(",", -1)) {
                int equals = pair.indexOf('=');
                if (equals < 0) {
                    throw new BadValue("has an entry, number " + (keys.size() + 1) + ", that is not id=key");
                }
                put(keys, pair.substring(0, equals).strip(), pair.substring(equals + 1));
            }
        } else {
            throw new BadValue("is not a map");
        }
        return Collections.unmodifiableMap(keys);
    }

    private static void put(Map<String, String> keys, String id, Object key) throws BadValue {
        if (!ID.matcher(id).matches()) {
            throw new BadValue(
                    "has an entry, number " + (keys.size() + 1) + ", without a proper id; an id starts with a"
                            + " letter or digit and holds only letters, digits, '_', '.' and '-', 32 characters at most");
        }
        if (!(key instanceof String text)) {
            throw new BadValue("has a key '" + id + "' that is not text; write it in quotes");
        }
        int bytes;
        try {
            bytes = Base64.getDecoder().decode(text.strip()).length;
        } catch (IllegalArgumentException e) {
            throw new BadValue("has a key '" + id + "' that is not base64");
        }
        if (bytes != BYTES) {
            throw new BadValue("has a key '" + id + "' of " + bytes + " bytes; " + BYTES + " are needed");
        }
        if (keys.put(id, text.strip()) != null) {
            throw new BadValue("has the key '" + id + "' twice");
        }
    }

    @Override
    public String show(Map<String, String> value) {
        return value.keySet().stream().map(id -> id + "=" + Secrets.MASK).collect(Collectors.joining(","));
    }

    @Override
    public String allowed() {
        return "a map of ids to " + BYTES + " random bytes in base64 (openssl rand -base64 " + BYTES
                + "), such as { k1 = \"…\" }, or k1=…,k2=… as text";
    }
}
