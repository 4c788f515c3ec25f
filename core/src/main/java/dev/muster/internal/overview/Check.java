package dev.muster.internal.overview;

import dev.muster.overview.Finding.Severity;
import java.time.Duration;
import java.util.List;

/** One question about the health of a cluster. Stateless. */
public interface Check {

    /** The kind of its findings, such as {@code no_worker}. */
    String name();

    /** What it asks, such as "Does a node run jobs?" */
    String question();

    /** For how long something may be wrong before it is a finding; zero if it is one at once. */
    default Duration threshold() {
        return Duration.ZERO;
    }

    Severity severity();

    /** What to do about its findings, in words that follow a colon: "start a node with the role worker". */
    String advice();

    /** Where people see more of it, if a finding names no page of its own. */
    String page();

    /** What is wrong, with the worst first; empty if nothing is. */
    List<Problem> look(ClusterReading cluster);

    /**
     * What a check has seen.
     *
     * @param what what is wrong and since when, without the advice
     * @param page where people see more of it
     */
    record Problem(String what, String page) {}
}
