package dev.muster.internal.job.payload;

import dev.muster.runtime.MusterException;

/** What stands for a value that was left out of a list or a tree, because there was no room for it. */
public final class LeftOut {
    /** As it is stored, no value of a user looks like this: see {@link Payloads}. */
    public static final String TEXT =
            "{\"$muster\": \"left out: there are more than 16 MB of values here; ask for this one alone\"}";

    private LeftOut() {}

    /** Whether this stands for a value that was left out, however its JSON is spaced. */
    public static boolean is(String text) {
        return text.contains("$muster")
                && text.length() < 2 * TEXT.length()
                && withoutSpace(text).equals(withoutSpace(TEXT));
    }

    private static String withoutSpace(String text) {
        return text.replaceAll("\\s+", "");
    }

    /**
     * The result of a task, to be read as a value.
     *
     * @throws MusterException if it was left out of a tree
     */
    public static String requireResult(String task, String result) {
        if (is(result)) {
            throw new MusterException("the result of task '" + task
                    + "' was left out of its tree, which has more than 16 MB of them; read it with task(graph, id)");
        }
        return result;
    }
}
