package dev.muster.config;

import dev.muster.runtime.MusterException;
import java.util.List;
import java.util.stream.Collectors;

/** The settings are not valid. The message lists every problem, one per line. */
public final class ConfigException extends MusterException {
    private static final long serialVersionUID = 1L;

    private final transient List<ConfigProblem> problems;

    public ConfigException(List<ConfigProblem> problems) {
        super(message(problems));
        this.problems = List.copyOf(problems);
    }

    /** All problems, in the order of the sources; never empty. */
    public List<ConfigProblem> problems() {
        return problems;
    }

    private static String message(List<ConfigProblem> problems) {
        String head =
                problems.size() == 1 ? "1 problem in the settings:" : problems.size() + " problems in the settings:";
        return problems.stream().map(problem -> "\n  " + problem.message()).collect(Collectors.joining("", head, ""));
    }
}
