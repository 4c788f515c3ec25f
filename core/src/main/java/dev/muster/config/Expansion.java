package dev.muster.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Replaces {@code ${VAR}} and {@code ${VAR:-default}} in text, also inside lists and maps. As in a shell, the default is used if
 * the variable is unset or empty, and may contain further variables; {@code $$} becomes {@code $}.
 */
final class Expansion {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    private final Map<String, String> environment;
    private final Set<String> mentioned;

    /** @param mentioned receives the name of every variable found */
    Expansion(Map<String, String> environment, Set<String> mentioned) {
        this.environment = environment;
        this.mentioned = mentioned;
    }

    Object expand(Object raw) throws BadValue {
        if (raw instanceof String text) {
            return new Reader(text).read(false);
        }
        if (raw instanceof List<?> list) {
            List<Object> expanded = new ArrayList<>();
            for (Object item : list) {
                expanded.add(expand(item));
            }
            return expanded;
        }
        if (raw instanceof Map<?, ?> map) {
            Map<Object, Object> expanded = new LinkedHashMap<>();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                expanded.put(entry.getKey(), expand(entry.getValue()));
            }
            return expanded;
        }
        return raw;
    }

    private final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        /** Reads to the end of the text or, within a default, to its closing brace. */
        String read(boolean inDefault) throws BadValue {
            StringBuilder out = new StringBuilder();
            while (at < text.length()) {
                if (inDefault && text.charAt(at) == '}') {
                    return out.toString();
                }
                if (text.startsWith("$$", at)) {
                    out.append('$');
                    at += 2;
                } else if (text.startsWith("${", at)) {
                    at += 2;
                    out.append(variable());
                } else {
                    out.append(text.charAt(at++));
                }
            }
            if (inDefault) {
                throw new BadValue("has a ${ without its }");
            }
            return out.toString();
        }

        private String variable() throws BadValue {
            Matcher matcher = NAME.matcher(text).region(at, text.length());
            if (!matcher.lookingAt()) {
                throw new BadValue("has a ${ without a variable's name; write ${VAR} or ${VAR:-default}, and $$ for $");
            }
            String name = matcher.group();
            mentioned.add(name);
            at = matcher.end();
            String fallback = fallback(name);
            String value = environment.get(name);
            if (fallback != null) {
                return value == null || value.isEmpty() ? fallback : value;
            }
            if (value == null) {
                throw new BadValue("needs the environment variable " + name + ", which is not set; set it or write ${"
                        + name + ":-default}");
            }
            return value;
        }

        private @Nullable String fallback(String name) throws BadValue {
            String fallback = null;
            if (text.startsWith(":-", at)) {
                at += 2;
                fallback = read(true);
            }
            if (at >= text.length()) {
                throw new BadValue("has a ${ without its }");
            }
            if (text.charAt(at) != '}') {
                throw new BadValue("has '" + text.charAt(at) + "' after ${" + name + "; write ${" + name + "} or ${"
                        + name + ":-default}");
            }
            at++;
            return fallback;
        }
    }
}
