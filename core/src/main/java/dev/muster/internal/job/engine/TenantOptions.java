package dev.muster.internal.job.engine;

import dev.muster.config.TenantsConfig.Allowance;
import dev.muster.config.TenantsConfig.Option;
import dev.muster.internal.config.DurationText;
import dev.muster.job.JobNotAllowed;
import dev.muster.job.JobOptions;
import dev.muster.job.JobRequest;
import dev.muster.job.Placement;
import dev.muster.job.Priority;
import dev.muster.job.RetryPolicy;
import dev.muster.runtime.NamePattern;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which options a caller of a tenant may set in a request. Those by which a job gets in the way of others are the handler's: a request may
 * ask for as much as the handler does, or for less, and for more only as far as the settings allow it.
 */
public final class TenantOptions {
    private final List<Allowance> allowances;
    private final Duration usualTimeout;

    /**
     * @param allowances what the settings allow
     * @param usualTimeout of handlers that declare none
     */
    public TenantOptions(List<Allowance> allowances, Duration usualTimeout) {
        this.allowances = List.copyOf(allowances);
        this.usualTimeout = usualTimeout;
    }

    /** Without an allowance. */
    static TenantOptions strict() {
        return new TenantOptions(List.of(), Duration.ZERO);
    }

    /**
     * @param handler what the handler says
     * @throws JobNotAllowed if the request asks for more
     */
    void check(JobRequest request, JobOptions handler) {
        JobOptions declared = handler.orElse(JobOptions.DEFAULTS);
        JobOptions asked = request.options();
        queue(asked.queue(), declared.queue());
        placement(asked.capability(), declared.capability());
        priority(asked.priority(), declared.priority());
        number(Option.MAX_ATTEMPTS, asked.maxAttempts(), declared.maxAttempts());
        number(Option.MAX_CRASHES, crashes(asked), declared.maxCrashes());
        timeout(asked.timeout(), declared.timeout() == null ? usualTimeout : declared.timeout());
        request.concurrencyKey()
                .ifPresent(key -> require(Option.CONCURRENCY_KEY, "it comes from the args", any -> true));
    }

    private void queue(@Nullable String asked, @Nullable String declared) {
        if (asked != null && !asked.equals(declared)) {
            require(
                    Option.QUEUE,
                    "the queue of these jobs is " + declared,
                    limit -> NamePattern.of(limit).matches(asked));
        }
    }

    private void placement(@Nullable String asked, @Nullable String declared) {
        if (asked != null && !Placement.canonical(asked).equals(Objects.requireNonNullElse(declared, ""))) {
            require(Option.PLACEMENT, "the handler says which nodes run these jobs", any -> true);
        }
    }

    private void priority(@Nullable Priority asked, @Nullable Priority declared) {
        Priority usual = Objects.requireNonNullElse(declared, Priority.NORMAL);
        if (asked != null && asked.level() > usual.level()) {
            require(
                    Option.PRIORITY,
                    "the priority of these jobs is " + usual.name().toLowerCase(Locale.ROOT),
                    limit -> asked.level() <= Priority.parse(limit).level());
        }
    }

    /** The limit of crashes that these options ask for; attempts bring one along. */
    private static @Nullable Integer crashes(JobOptions asked) {
        Integer attempts = asked.maxAttempts();
        return asked.maxCrashes() != null || attempts == null
                ? asked.maxCrashes()
                : Integer.valueOf(RetryPolicy.defaultMaxCrashes(attempts));
    }

    private void number(Option option, @Nullable Integer asked, @Nullable Integer declared) {
        if (asked != null && (declared == null || asked > declared)) {
            require(
                    option,
                    declared == null ? "the handler says how many" : "the handler has " + declared,
                    limit -> asked <= Integer.parseInt(limit));
        }
    }

    private void timeout(@Nullable Duration asked, Duration declared) {
        if (asked != null && asked.compareTo(declared) > 0) {
            require(
                    Option.TIMEOUT,
                    declared.isZero()
                            ? "the handler says how long"
                            : "these jobs have " + DurationText.format(declared),
                    limit -> asked.compareTo(DurationText.parse(limit)) <= 0);
        }
    }

    /** @param within whether the request stays within a limit of the settings */
    private void require(Option option, String why, Predicate<String> within) {
        boolean allowed = allowances.stream()
                .filter(allowance -> allowance.option() == option)
                .anyMatch(allowance -> allowance.limit().isEmpty()
                        || within.test(allowance.limit().get()));
        if (!allowed) {
            throw new JobNotAllowed(member(option) + ": callers of a tenant may not set this, because " + why
                    + "; the setting tenants.may_set can allow " + option.text());
        }
    }

    private static String member(Option option) {
        return option == Option.PLACEMENT ? "capability, placement" : option.text();
    }
}
