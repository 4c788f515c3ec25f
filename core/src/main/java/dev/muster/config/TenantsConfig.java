package dev.muster.config;

import dev.muster.runtime.NamePatterns;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The {@code [tenants]} section: what callers that belong to a tenant may ask for.
 *
 * @param jobs handlers of this node that are open to tenants, as if each had {@code @Job(tenants = true)}. Default: none
 * @param maySet which options of a job tenants may set beyond what its handler says. Default: none
 * @param fairness whether the jobs that callers of a tenant ask for take turns with those of other tenants. Default: true
 */
public record TenantsConfig(NamePatterns jobs, List<Allowance> maySet, boolean fairness) {

    static final Section SECTION = new Section("tenants");

    static final Setting<NamePatterns> JOBS = SECTION.setting(
            "jobs", new PatternsType(), "", "handlers of this node that tenants may start, beside those that say so");
    static final Setting<List<Allowance>> MAY_SET = SECTION.setting(
            "may_set",
            new AllowancesType(),
            "",
            "options of a job that tenants may set beyond what its handler says; none when left out");

    static final Setting<Boolean> FAIRNESS = SECTION.setting(
            "fairness",
            ValueType.trueOrFalse(),
            "true",
            "whether the jobs that a tenant asks for take turns, as one, with those of other tenants");

    public TenantsConfig {
        maySet = List.copyOf(maySet);
    }

    static TenantsConfig from(Values values) {
        return new TenantsConfig(values.get(JOBS), values.get(MAY_SET), values.get(FAIRNESS));
    }

    /** An option of a job by which it may get in the way of others. */
    public enum Option {
        /** A queue other than the handler's; limited to those that a pattern matches. */
        QUEUE,
        /** Which nodes may run it, instead of those that the handler says: {@code capability} and {@code placement}. */
        PLACEMENT,
        /** A priority above the handler's; limited to this one and those below. */
        PRIORITY,
        /** More attempts than the handler's. */
        MAX_ATTEMPTS,
        /** More crashes than the handler's. */
        MAX_CRASHES,
        /** A timeout above the handler's. */
        TIMEOUT,
        /** The key for which the handler's limits hold, instead of the one in the args. */
        CONCURRENCY_KEY;

        /** The name in settings and JSON. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * One option that tenants may set.
     *
     * @param limit how far, in the words of the option; empty: as anybody may
     */
    public record Allowance(Option option, Optional<String> limit) {

        /** As it is written in the settings: {@code queue:mail_*}. */
        @Override
        public String toString() {
            return option.text() + limit.map(text -> ":" + text).orElse("");
        }
    }

    /** The options as they are written in the settings. */
    static String show(List<Allowance> allowances) {
        return allowances.stream().map(Allowance::toString).collect(Collectors.joining(","));
    }
}
