package dev.muster.internal.workflow;

import dev.muster.internal.workflow.WorkflowStore.Definition;
import java.math.BigInteger;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The order of versions that a cluster sees for the first time together: numbers in them count by their value, so v10 comes after v9. */
final class VersionOrder implements Comparator<String> {
    static final Comparator<Definition> OF_DEFINITIONS = Comparator.comparing(Definition::version, new VersionOrder());

    private static final Pattern PART = Pattern.compile("[0-9]+|[^0-9]+");

    private VersionOrder() {}

    @Override
    public int compare(String one, String other) {
        Iterator<String> ones = parts(one).iterator();
        Iterator<String> others = parts(other).iterator();
        while (ones.hasNext() && others.hasNext()) {
            int order = comparePart(ones.next(), others.next());
            if (order != 0) {
                return order;
            }
        }
        return Boolean.compare(ones.hasNext(), others.hasNext());
    }

    private static List<String> parts(String version) {
        return PART.matcher(version).results().map(MatchResult::group).toList();
    }

    private static int comparePart(String one, String other) {
        return isNumber(one) && isNumber(other)
                ? new BigInteger(one).compareTo(new BigInteger(other))
                : one.compareTo(other);
    }

    private static boolean isNumber(String part) {
        return part.charAt(0) >= '0' && part.charAt(0) <= '9';
    }
}
