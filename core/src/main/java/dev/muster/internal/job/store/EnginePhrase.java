package dev.muster.internal.job.store;

import java.util.Locale;

/**
 * Phrases in the errors and reasons that the engine itself writes, by which others recognise them later. Each has its text here and nowhere
 * else: Java uses the constant, and SQL files name it in braces, such as <code>{phrase:put_back}</code>.
 */
public enum EnginePhrase {
    /** How the error of a job begins that a node could not run and gave back. The node's name follows. */
    PUT_BACK("put back in the queue by node "),
    /** How the error of a job begins that was cancelled because a job on which it depends did not complete. That job's id follows. */
    LOST_PARENT("cancelled: it depends on job "),
    /** How the error of a job begins that was asked to cancel, and that was taken back from its node. */
    CANCELLED_WITH_NODE("cancelled while its node "),
    /** How the error of a job begins that called {@code System.exit}. The node's name follows. */
    EXITED("it called System.exit on node "),
    /** What comes after the name of a node that died while the job ran. */
    DIED(" died running it"),
    /** What comes after the name of a node that left while the job ran. */
    STOPPED(" stopped while it ran"),
    /** What comes after the name of a node that died before anybody knew whether the job ran. */
    LOST(" was lost, and it is not known whether it had begun to run it"),
    /** How the reason of a run begins that the leader has marked as blocked, unlike a reason that a node has found. What is missing follows. */
    NO_LIVE_NODE("no live node has ");

    private final String text;

    EnginePhrase(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }

    public boolean begins(String error) {
        return error.startsWith(text);
    }

    /** The phrase that a SQL file names like this. */
    public static EnginePhrase named(String inSql) {
        return valueOf(inSql.toUpperCase(Locale.ROOT));
    }
}
