package dev.muster.spring.internal;

import dev.muster.runtime.MusterException;

/** Why Muster did not start, in the words of a Spring application. */
public final class StartProblem {
    private StartProblem() {}

    /** The exception's message, in which settings have the names of Spring's properties: {@code muster.database.migrate}. */
    public static String describe(MusterException problem) {
        return "Muster cannot start: " + SpringSettings.withPropertyNames(String.valueOf(problem.getMessage()));
    }
}
