package dev.muster.config;

import dev.muster.runtime.NamePattern;
import java.util.List;
import java.util.Optional;

/**
 * The {@code [routing]} section: which executor of this node runs which jobs.
 *
 * @param rules the rules in their order; the first whose pattern matches a job's name decides. Default: none
 * @param defaultExecutor the executor of jobs that no rule matches ({@code routing.default}); if absent, this node neither publishes nor
 *     claims them. Default: default
 */
public record RoutingConfig(List<Rule> rules, Optional<String> defaultExecutor) {
    /** The value of {@code routing.default} that means no executor. */
    static final String NO_EXECUTOR = "none";

    static final Section SECTION = new Section("routing");

    static final Setting<List<Rule>> RULES = SECTION.setting(
            "rules",
            new RulesType(),
            "",
            "which executor runs which jobs; the first rule that matches the job's name decides");
    static final Setting<Optional<String>> DEFAULT = SECTION.setting(
            "default",
            ValueType.optional(new ExecutorNameType(), NO_EXECUTOR),
            ExecutorsConfig.DEFAULT,
            "executor of jobs that no rule matches; with none, this node does not run them");

    public RoutingConfig {
        rules = List.copyOf(rules);
    }

    static RoutingConfig from(Values values) {
        return new RoutingConfig(values.get(RULES), values.get(DEFAULT));
    }

    /**
     * One rule.
     *
     * @param match which names of jobs it is for
     * @param executor the name of the executor that runs them
     */
    public record Rule(NamePattern match, String executor) {

        /** The rule as it is written in text: {@code ml::*=gpu}. */
        @Override
        public String toString() {
            return match + "=" + executor;
        }
    }
}
