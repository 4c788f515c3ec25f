package dev.muster.gateway.internal;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the parameters behind a path. What is not well-formed is refused, not guessed: it could select something else. */
final class QueryString {
    private QueryString() {}

    /**
     * @param raw null if there are none
     * @throws IllegalArgumentException if they are not well-formed
     */
    static Map<String, List<String>> parse(@Nullable String raw) {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        if (raw == null || raw.isEmpty()) {
            return parameters;
        }
        for (String pair : raw.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("a parameter is written name=value");
            }
            parameters
                    .computeIfAbsent(decode(pair.substring(0, equals)), name -> new ArrayList<>())
                    .add(decode(pair.substring(equals + 1)));
        }
        return parameters;
    }

    private static String decode(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%') {
                bytes.write(hex(text, i + 1) << 4 | hex(text, i + 2));
                i += 2;
            } else if (c == '+') {
                bytes.write(' ');
            } else if (c < 0x80) {
                bytes.write(c);
            } else {
                throw new IllegalArgumentException("a character is not percent-encoded");
            }
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("a parameter is not valid UTF-8", e);
        }
    }

    private static int hex(String text, int at) {
        int digit = at < text.length() ? Character.digit(text.charAt(at), 16) : -1;
        if (digit < 0) {
            throw new IllegalArgumentException("% is followed by two hexadecimal digits");
        }
        return digit;
    }
}
