package dev.muster.runtime;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Names that are allowed: those that one of some {@linkplain NamePattern patterns} matches. Without any pattern no name is allowed. The
 * pattern {@code **} allows every name, whatever its segments are.
 */
public final class NamePatterns {
    /** How many patterns there may be. */
    public static final int MAX_PATTERNS = 100;

    /** How many characters they may have together: those of a caller travel in the header of a forwarded call. */
    private static final int MAX_LENGTH = 4_000;

    private static final String ANY = "**";

    /** Every name. */
    public static final NamePatterns ALL = of(ANY);

    private final List<NamePattern> patterns;
    private final boolean all;

    private NamePatterns(Collection<NamePattern> patterns, boolean all) {
        this.patterns = List.copyOf(patterns);
        this.all = all;
    }

    /** @throws InvalidName if one is no pattern, or if there are more than 100, or of more than 4,000 characters */
    public static NamePatterns of(String... patterns) {
        return of(Arrays.asList(patterns));
    }

    /** @throws InvalidName if one is no pattern, or if there are more than 100, or of more than 4,000 characters */
    public static NamePatterns of(Collection<String> patterns) {
        if (patterns.size() > MAX_PATTERNS) {
            throw new InvalidName(
                    "there may be " + MAX_PATTERNS + " patterns of names at most, not " + patterns.size());
        }
        Map<String, NamePattern> sorted = new TreeMap<>();
        patterns.forEach(text -> sorted.put(text, NamePattern.of(text)));
        int length = patterns.stream().mapToInt(String::length).sum();
        if (length > MAX_LENGTH) {
            throw new InvalidName("patterns of names may have " + MAX_LENGTH + " characters together, not " + length);
        }
        return new NamePatterns(sorted.values(), sorted.containsKey(ANY));
    }

    public boolean allows(String name) {
        return all || patterns.stream().anyMatch(pattern -> pattern.matches(name));
    }

    public boolean allowsAll() {
        return all;
    }

    /** Whether each of the others is also here, or everything is allowed here: then the others allow no name that these do not. */
    public boolean includes(NamePatterns others) {
        return all || patterns.containsAll(others.patterns);
    }

    /** The patterns as they were written, sorted, each once. */
    public List<String> texts() {
        return patterns.stream().map(NamePattern::toString).toList();
    }

    /** The patterns, separated by commas; "no name" if there are none. */
    @Override
    public String toString() {
        return patterns.isEmpty() ? "no name" : String.join(", ", texts());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof NamePatterns that && patterns.equals(that.patterns);
    }

    @Override
    public int hashCode() {
        return patterns.hashCode();
    }
}
