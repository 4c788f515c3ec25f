package dev.muster.json.internal;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where in a value a problem is, as in {@code items[2].price}. */
public final class Path {
    private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{N}_$-]+");
    // The path of a cycle is as long as the depth limit.
    private static final int MAX_LENGTH = 120;

    private final StringBuilder text = new StringBuilder();

    public void add(@Nullable String property, int index) {
        if (property == null) {
            if (index >= 0) {
                text.append('[').append(index).append(']');
            }
        } else if (PLAIN.matcher(property).matches()) {
            text.append(text.isEmpty() ? "" : ".").append(property);
        } else {
            text.append("[\"").append(property).append("\"]");
        }
    }

    public boolean isRoot() {
        return text.isEmpty();
    }

    public String subject() {
        return isRoot() ? "the value" : toString();
    }

    public String prefix() {
        return isRoot() ? "" : this + ": ";
    }

    public String inBrackets() {
        return isRoot() ? "" : " (at " + this + ")";
    }

    @Override
    public String toString() {
        return text.length() <= MAX_LENGTH ? text.toString() : text.substring(0, MAX_LENGTH) + "…";
    }
}
