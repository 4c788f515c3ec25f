package dev.muster.internal.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The known name that is most similar to an unknown one, by edit distance; letter case and separators are ignored. A name with
 * only its section missing or wrong, or cut short, counts as one step away. If a second name is nearly as similar, as node.mode
 * and node.roles are to node.role, both are shown.
 *
 * <p>Measuring takes a step for each pair of characters, and callers choose the unknown text. So nothing is suggested for one that is longer than
 * 100 characters, or among more than 1,000 names.
 *
 * <p>Internal to Muster and its command line; it may change or go at any time.
 *
 * @hidden
 */
public record Nearest(String name, int steps, boolean close, Optional<String> other) {
    private static final int MAX_STEPS_OF_OTHER = 2;
    private static final int MAX_LENGTH = 100;
    private static final int MAX_CANDIDATES = 1_000;

    // of two equally similar names the longer one says more: max_poll_interval, not poll_interval
    private static final Comparator<Nearest> NEAREST_FIRST = Comparator.comparingInt(Nearest::steps)
            .thenComparing(nearest -> nearest.name().length(), Comparator.reverseOrder());

    /** For names in settings, which are few, and are written by the operator. */
    public static Nearest to(String unknown, List<String> known) {
        return among(known, unknown.substring(0, Math.min(MAX_LENGTH, unknown.length())))
                .orElseThrow();
    }

    private static Optional<Nearest> among(Collection<String> known, String unknown) {
        String plain = plain(unknown);
        List<Nearest> nearest = known.stream()
                .map(candidate -> measure(plain, candidate))
                .sorted(NEAREST_FIRST)
                .limit(2)
                .toList();
        return nearest.size() > 1 && nearest.get(1).isNearlyAsNearAs(nearest.get(0))
                ? Optional.of(nearest.get(0).or(nearest.get(1).name))
                : nearest.stream().findFirst();
    }

    private boolean isNearlyAsNearAs(Nearest first) {
        return close && steps <= MAX_STEPS_OF_OTHER && steps == first.steps + 1;
    }

    private Nearest or(String another) {
        return new Nearest(name, steps, close, Optional.of(another));
    }

    /** The end of a message about an unknown name: "; did you mean 'mail'?", or nothing if no known name is similar. */
    public static String suggestion(String unknown, Collection<String> known) {
        if (unknown.length() > MAX_LENGTH || known.size() > MAX_CANDIDATES) {
            return "";
        }
        List<String> candidates =
                known.stream().filter(name -> name.length() <= 2 * MAX_LENGTH).toList();
        return among(candidates, unknown)
                .filter(nearest -> nearest.close() && 2 * nearest.steps() <= unknown.length())
                .map(nearest -> "; did you mean '" + nearest.name() + "'?")
                .orElse("");
    }

    private static Nearest measure(String unknown, String candidate) {
        int steps = distance(unknown, candidate);
        return new Nearest(candidate, steps, steps <= Math.max(2, unknown.length() / 4), Optional.empty());
    }

    /** The end of a message about the unknown name. */
    public String hint(UnaryOperator<String> shown) {
        return close
                ? "did you mean " + shown.apply(name)
                        + other.map(also -> " or " + shown.apply(also)).orElse("") + "?"
                : "the nearest known one is " + shown.apply(name);
    }

    private static int distance(String unknown, String candidate) {
        String whole = plain(candidate);
        int edits = edits(unknown, whole);
        int dot = candidate.indexOf('.');
        String section = plain(candidate.substring(0, Math.max(dot, 0)));
        String tail = plain(candidate.substring(dot + 1));
        boolean otherSection = tail.length() > 2 && unknown.endsWith(tail);
        boolean cutShort = whole.startsWith(unknown) && unknown.length() > section.length() + 2;
        return otherSection || cutShort ? Math.min(edits, 1) : edits;
    }

    private static String plain(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[._-]", "");
    }

    /** How many insertions, deletions, replacements and swaps of neighbours turn one text into the other. */
    public static int edits(String from, String to) {
        int[] beforeLast = new int[to.length() + 1];
        int[] last = new int[to.length() + 1];
        int[] row = new int[to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                if (i == 0 || j == 0) {
                    row[j] = i + j;
                    continue;
                }
                boolean same = from.charAt(i - 1) == to.charAt(j - 1);
                int best = Math.min(last[j], row[j - 1]) + 1;
                best = Math.min(best, last[j - 1] + (same ? 0 : 1));
                if (i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1)) {
                    best = Math.min(best, beforeLast[j - 2] + 1);
                }
                row[j] = best;
            }
            int[] oldest = beforeLast;
            beforeLast = last;
            last = row;
            row = oldest;
        }
        return last[to.length()];
    }
}
