package dev.muster.internal.runtime;

import dev.muster.runtime.InvalidName;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The rules for names of jobs, queues, capabilities, roles and locks, for schema names and for node ids. */
public final class Names {
    private static final int MAX_LENGTH = 127;
    private static final int MAX_NODE_ID = 200;
    private static final Pattern SCHEMA = Pattern.compile("[a-z_][a-z0-9_]{0,47}");

    private Names() {}

    /**
     * Returns {@code name} if it is well formed.
     *
     * @param what what the error message calls the name: "job name", "queue"
     * @throws InvalidName if it is not
     */
    public static String require(String what, String name) {
        if (name == null || !isName(name)) {
            throw new InvalidName(what + " " + quote(name)
                    + " is not allowed: it must start with a-z and hold only a-z, 0-9, '_', '.', ':' and '-',"
                    + " 127 characters at most");
        }
        return name;
    }

    /**
     * Returns {@code version} if it is well formed. Versions are names that may start with a digit: {@code 2}, {@code 1.4.0},
     * {@code 2026-11}.
     *
     * @throws InvalidName if it is not
     */
    public static String requireVersion(String what, String version) {
        if (version == null
                || version.isEmpty()
                || !isLetterOrDigit(version.charAt(0))
                || !hasOnlyNameCharacters(version)
                || version.contains(":")) {
            throw new InvalidName(what + " " + quote(version)
                    + " is not allowed: it must start with a-z or 0-9 and hold only a-z, 0-9, '_', '.' and '-',"
                    + " 127 characters at most");
        }
        return version;
    }

    private static boolean isName(String name) {
        return !name.isEmpty() && isLetter(name.charAt(0)) && hasOnlyNameCharacters(name);
    }

    /** Written without a regular expression for speed: enqueuing a job checks several names. */
    private static boolean hasOnlyNameCharacters(String name) {
        if (name.length() > MAX_LENGTH) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            if (!isNameCharacter(name.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    public static boolean isNameCharacter(char c) {
        return isLetterOrDigit(c) || "_.:-".indexOf(c) >= 0;
    }

    private static boolean isLetterOrDigit(char c) {
        return isLetter(c) || c >= '0' && c <= '9';
    }

    private static boolean isLetter(char c) {
        return c >= 'a' && c <= 'z';
    }

    /** Returns {@code schema} if it can name a PostgreSQL schema without quoting. */
    public static String requireSchema(String schema) {
        if (schema == null || !SCHEMA.matcher(schema).matches()) {
            throw new InvalidName(
                    "schema " + quote(schema)
                            + " is not allowed: it must start with a-z or '_' and hold only a-z, 0-9 and '_', 48 characters at most");
        }
        return schema;
    }

    /**
     * Returns {@code id} if it is allowed as a node id.
     *
     * @param what what the error message calls the id: "node.id"
     * @throws InvalidName if it is not
     */
    public static String requireNodeId(String what, @Nullable String id) {
        if (id == null
                || id.isBlank()
                || !id.equals(id.strip())
                || id.length() > MAX_NODE_ID
                || hasControlCharacter(id)) {
            throw new InvalidName(what + " " + quote(id) + " is not allowed: it must be one line of 1 to " + MAX_NODE_ID
                    + " characters that neither begins nor ends with a blank");
        }
        return id;
    }

    private static boolean hasControlCharacter(String text) {
        return text.chars().anyMatch(Character::isISOControl);
    }

    private static String quote(@Nullable String text) {
        if (text == null) {
            return "null";
        }
        return "'" + (text.length() > 140 ? text.substring(0, 140) + "…" : text) + "'";
    }
}
