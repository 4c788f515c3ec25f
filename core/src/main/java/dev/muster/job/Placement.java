package dev.muster.job;

import dev.muster.internal.runtime.Names;
import dev.muster.runtime.InvalidName;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Which nodes may run a job. A term is a capability ({@code gpu}) or a label with its value ({@code zone=eu}). A node fits if it has
 * every required term and no forbidden one, is one of {@code nodes} unless that is empty, and is none of {@code notNodes}.
 *
 * <p>The capability of a {@link Lane} is the text of a placement. The text of a single capability is its name, and that of a job that may
 * run anywhere is empty; anything else is an expression with characters that no name has:
 *
 * <pre>
 *   gpu&amp;zone=eu       both terms
 *   gpu!spot!tier=low   gpu, and neither spot nor tier=low
 *   gpu@node-1|node-2   gpu, and one of these nodes
 *   ~node-3             any node but this one
 * </pre>
 *
 * <p>The parts come in this order, each of them sorted, so that equal placements have equal texts and share a lane. The function {@code
 * muster_fits} of the database reads texts in the same way as {@link #fits(String, Collection, Map, String)}.
 */
public record Placement(
        SortedSet<String> required, SortedSet<String> forbidden, SortedSet<String> nodes, SortedSet<String> notNodes) {
    private static final String SIGNS = "&!@|~=";
    private static final int MAX_BYTES = 1_000;
    private static final int MAX_VALUE = 200;
    private static final Pattern LABEL_KEY = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_./-]{0,126}");

    /** Any node. */
    public static final Placement ANYWHERE =
            new Placement(new TreeSet<>(), new TreeSet<>(), new TreeSet<>(), new TreeSet<>());

    /**
     * @throws InvalidJob if a term or a node cannot be part of a placement, if the parts contradict each other, or if the text is too
     *     long
     */
    public Placement {
        required = sorted(required);
        forbidden = sorted(forbidden);
        nodes = sorted(nodes);
        notNodes = sorted(notNodes);
        required.forEach(Placement::checkTerm);
        forbidden.forEach(Placement::checkTerm);
        nodes.forEach(Placement::checkNode);
        notNodes.forEach(Placement::checkNode);
        refuseBoth(required, forbidden, "requires and forbids");
        refuseBoth(nodes, notNodes, "asks for and excludes node");
        String text = text(required, forbidden, nodes, notNodes);
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_BYTES) {
            throw new InvalidJob("a placement has at most " + MAX_BYTES + " bytes as text, and this one has " + bytes
                    + ": " + text.substring(0, 100) + "…; give the nodes a capability or a label in common");
        }
    }

    private static SortedSet<String> sorted(Collection<String> parts) {
        return Collections.unmodifiableSortedSet(new TreeSet<>(parts));
    }

    private static void checkTerm(String term) {
        int equals = term.indexOf('=');
        if (equals < 0) {
            Names.require("capability", term);
        } else if (!LABEL_KEY.matcher(term.substring(0, equals)).matches()) {
            throw new InvalidJob(
                    "label '" + term + "' cannot be part of a placement: its key must start with a letter or digit"
                            + " and hold only letters, digits, '_', '.', '/' and '-', 127 characters at most");
        } else {
            checkPart("the value of label '" + term + "'", term.substring(equals + 1), "&!@~");
        }
    }

    private static void checkNode(String node) {
        checkPart("node '" + node + "'", node, "|~");
    }

    private static void checkPart(String what, String text, String signs) {
        boolean sign = text.chars().anyMatch(c -> signs.indexOf(c) >= 0 || Character.isISOControl(c));
        if (sign || text.isEmpty() || !text.equals(text.strip()) || text.length() > MAX_VALUE) {
            throw new InvalidJob(what + " cannot be part of a placement: it must be one line of 1 to " + MAX_VALUE
                    + " characters, without " + String.join(" ", signs.split(""))
                    + ", that neither begins nor ends with a blank");
        }
    }

    private static void refuseBoth(Set<String> some, Set<String> others, String what) {
        for (String part : some) {
            if (others.contains(part)) {
                throw new InvalidJob("a placement " + what + " '" + part + "': no node could run the job");
            }
        }
    }

    /**
     * Reads a placement; its parts need not be sorted.
     *
     * @throws InvalidJob if the text is not a placement
     */
    public static Placement parse(String text) {
        if (text.isEmpty()) {
            return ANYWHERE;
        }
        Parts parts = Parts.of(text);
        if (parts.terms().endsWith("!") || parts.hasNodes() && parts.nodes().isEmpty() || text.endsWith("~")) {
            throw new InvalidJob("placement '" + text + "' ends, or has a part, with nothing after '!', '@' or '~'");
        }
        try {
            return new Placement(
                    new TreeSet<>(parts.required()),
                    new TreeSet<>(parts.forbidden()),
                    new TreeSet<>(parts.nodes()),
                    new TreeSet<>(parts.notNodes()));
        } catch (InvalidName e) {
            throw new InvalidJob(
                    "placement '" + text + "' is not allowed: " + e.getMessage()
                            + ". It is written as gpu&zone=eu!spot@node-1|node-2 or ~node-3: what a node needs, joined by '&';"
                            + " each thing it must not have after a '!'; nodes after '@' or, if they are excluded, '~', separated by '|'",
                    e);
        }
    }

    /**
     * Rewrites the text of a placement in the way {@link #text} writes it, so that equal placements have equal texts.
     *
     * @throws InvalidJob if the text is a wrong expression
     * @throws InvalidName if it is a wrong name of a capability
     */
    public static String canonical(String text) {
        if (text.isEmpty()) {
            return text;
        }
        return isExpression(text) ? parse(text).text() : Names.require("capability", text);
    }

    /** Whether the text is neither empty nor the name of a capability. */
    public static boolean isExpression(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (SIGNS.indexOf(text.charAt(i)) >= 0) {
                return true;
            }
        }
        return false;
    }

    /** Whether of two nodes with the same capabilities one may fit and the other not, because the text names a label or a node. */
    public static boolean tellsNodesApart(String text) {
        return text.indexOf('=') >= 0 || text.indexOf('@') >= 0 || text.indexOf('~') >= 0;
    }

    /**
     * Whether a node fits the text of a placement. No node fits an expression that {@link #parse} refuses, except for a few that are
     * almost valid. The database decides in the same way, about those too.
     */
    public static boolean fits(String text, Collection<String> capabilities, Map<String, String> labels, String node) {
        if (text.isEmpty() || capabilities.contains(text)) {
            return true;
        }
        if (!isExpression(text)) {
            return false;
        }
        Parts parts = Parts.of(text);
        return parts.required().stream().allMatch(term -> has(term, capabilities, labels))
                && parts.forbidden().stream().noneMatch(term -> has(term, capabilities, labels))
                && (!parts.hasNodes() || parts.nodes().contains(node))
                && !parts.notNodes().contains(node);
    }

    private static boolean has(String term, Collection<String> capabilities, Map<String, String> labels) {
        int equals = term.indexOf('=');
        return equals < 0
                ? capabilities.contains(term)
                : term.substring(equals + 1).equals(labels.get(term.substring(0, equals)));
    }

    /** Whether this node fits. */
    public boolean fits(Collection<String> capabilities, Map<String, String> labels, String node) {
        return fits(text(), capabilities, labels, node);
    }

    /** A placement that also requires these capabilities and labels. */
    public Placement require(String... terms) {
        return new Placement(more(required, terms), forbidden, nodes, notNodes);
    }

    /** A placement that also forbids nodes with any of these capabilities and labels. */
    public Placement forbid(String... terms) {
        return new Placement(required, more(forbidden, terms), nodes, notNodes);
    }

    /** A placement that allows only the nodes it names, and also names these. */
    public Placement onNodes(String... nodes) {
        return new Placement(required, forbidden, more(this.nodes, nodes), notNodes);
    }

    /** A placement that also excludes these nodes. */
    public Placement notOnNodes(String... nodes) {
        return new Placement(required, forbidden, this.nodes, more(notNodes, nodes));
    }

    private static SortedSet<String> more(Set<String> known, String... parts) {
        SortedSet<String> all = new TreeSet<>(known);
        all.addAll(List.of(parts));
        return all;
    }

    /** This placement, with each of its empty parts taken from the other one. */
    public Placement orElse(Placement other) {
        return new Placement(
                required.isEmpty() ? other.required : required,
                forbidden.isEmpty() ? other.forbidden : forbidden,
                nodes.isEmpty() ? other.nodes : nodes,
                notNodes.isEmpty() ? other.notNodes : notNodes);
    }

    /** The same with texts. It parses only where it has to, because most texts are names of capabilities, or empty. */
    static String orElse(String text, String other) {
        return isExpression(text) || !text.isEmpty() && isExpression(other)
                ? parse(text).orElse(parse(other)).text()
                : text;
    }

    /** The text of this placement, the same for equal ones. */
    public String text() {
        return text(required, forbidden, nodes, notNodes);
    }

    private static String text(Set<String> required, Set<String> forbidden, Set<String> nodes, Set<String> notNodes) {
        StringBuilder text = new StringBuilder(String.join("&", required));
        forbidden.forEach(term -> text.append('!').append(term));
        if (!nodes.isEmpty()) {
            text.append('@').append(String.join("|", nodes));
        }
        if (!notNodes.isEmpty()) {
            text.append('~').append(String.join("|", notNodes));
        }
        return text.toString();
    }

    @Override
    public String toString() {
        return text();
    }

    /**
     * The parts of a text, which need not be a valid placement.
     *
     * @param terms what comes before the nodes
     */
    private record Parts(
            String terms,
            List<String> required,
            List<String> forbidden,
            boolean hasNodes,
            List<String> nodes,
            List<String> notNodes) {

        static Parts of(String text) {
            int at = text.indexOf('@');
            int not = text.indexOf('~');
            boolean hasNodes = at >= 0 && (not < 0 || at < not);
            int end = hasNodes ? at : not < 0 ? text.length() : not;
            String terms = text.substring(0, end);
            int first = terms.indexOf('!');
            return new Parts(
                    terms,
                    split(first < 0 ? terms : terms.substring(0, first), "&"),
                    first < 0 ? List.of() : split(terms.substring(first + 1), "!"),
                    hasNodes,
                    hasNodes ? split(text.substring(at + 1, not < 0 ? text.length() : not), "\\|") : List.of(),
                    not < 0 ? List.of() : split(text.substring(not + 1), "\\|"));
        }

        private static List<String> split(String text, String separator) {
            return text.isEmpty() ? List.of() : List.of(text.split(separator, -1));
        }
    }
}
