package dev.muster.internal.routing;

import dev.muster.config.ExecutorConfig;
import dev.muster.config.RoutingConfig.Rule;
import java.util.Optional;

/**
 * Which executor runs the jobs of a name, and why.
 *
 * @param name the name of the jobs
 * @param executor the executor; absent if this node does not run them
 * @param reason what decided
 */
public record Route(String name, Optional<ExecutorConfig> executor, Reason reason) {

    /**
     * Whether the executor has a command that does not list the name. Such an executor runs only what its command lists, so a handler of
     * this name cannot run there.
     */
    public boolean missesCommand() {
        return executor.filter(
                        found -> !found.command().isEmpty() && !found.jobs().contains(name))
                .isPresent();
    }

    /** What decided about a route. */
    public sealed interface Reason {

        /** The reason in words that follow "by ": "rule 2, ml::*". */
        String words();
    }

    /**
     * The executor has a command that runs jobs of this name.
     *
     * @param executor the name of the executor
     */
    public record ListedJob(String executor) implements Reason {
        @Override
        public String words() {
            return "executors." + executor + ".jobs, which lists it";
        }
    }

    /**
     * This rule was the first that matched.
     *
     * @param number the position of the rule, counted from 1
     */
    public record MatchedRule(int number, Rule rule) implements Reason {
        @Override
        public String words() {
            return "rule " + number + ", " + rule.match();
        }
    }

    /** No rule matched, so {@code routing.default} decided. */
    public record NoRuleMatched() implements Reason {
        @Override
        public String words() {
            return "routing.default, because no rule matches";
        }
    }
}
