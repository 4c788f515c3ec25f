package dev.muster.testing.verify;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What {@code ./verify} says at its end. */
final class Summary {
    private static final int SLOWEST = 10;
    private static final int LINE = 220;

    private final StringBuilder text = new StringBuilder();
    private final boolean green;

    /**
     * @param missing what could not be installed, each with what is skipped for it
     * @param passedAlone names of the failures that passed when they ran again alone
     */
    Summary(Results results, List<String> missing, Set<Results.Failure> passedAlone, long nanos) {
        text.append("%n%-28s %7s %7s %8s %7s%n".formatted("module", "passed", "failed", "skipped", "time"));
        results.counts()
                .forEach((module, count) -> text.append("%-28s %7d %7d %8d %7s%n"
                        .formatted(
                                module, count.passed, count.failed, count.skipped, clock(count.millis * 1_000_000))));
        text.append('\n');
        slowest(results.durations());
        skipped(results.skips());
        missing.forEach(component -> add("MISSING", component));
        results.notRun().forEach(type -> add("NOT RUN", type));
        results.faults().forEach(fault -> add("BROKEN", fault));
        for (Results.Failure failure : results.failures()) {
            add(
                    passedAlone.contains(failure) ? "FLAKY" : "FAILED",
                    failure.module() + " " + failure.name()
                            + (failure.round().isEmpty() ? "" : " (" + failure.round() + ")") + ": "
                            + failure.message());
            add("", failure.log());
        }
        if (!passedAlone.isEmpty()) {
            add("", "FLAKY: failed, then passed alone. That is a failure: either the test or the program has a race.");
        }
        int unseen = results.notRun().size() + results.faults().size();
        green = results.failed() + unseen == 0;
        text.append("%n%s in %s: %d modules, %d classes%n"
                .formatted(
                        green ? (missing.isEmpty() ? "Green" : "Green, but not complete: see MISSING") : "RED",
                        clock(nanos),
                        results.counts().size(),
                        results.classesDone()));
        text.append("%d passed, %d failed, %d skipped%n"
                .formatted(results.passed(), results.failed() + unseen, results.skipped()));
    }

    boolean green() {
        return green;
    }

    private void slowest(List<Results.Duration> durations) {
        durations.stream()
                .sorted(Comparator.comparingLong(Results.Duration::millis).reversed())
                .limit(SLOWEST)
                .forEach(duration -> add(
                        "SLOWEST",
                        "%4d s  %s %s"
                                .formatted(
                                        duration.millis() / 1000, duration.module(), Results.simple(duration.type()))));
    }

    /** One line for each reason in a class. */
    private void skipped(List<Results.Skip> skips) {
        Map<String, Long> reasons = skips.stream()
                .collect(Collectors.groupingBy(
                        skip -> skip.module() + " " + Results.simple(skip.type()) + ": " + firstLine(skip.reason()),
                        java.util.TreeMap::new,
                        Collectors.counting()));
        reasons.forEach((reason, number) -> add("SKIPPED", number + " × " + reason));
    }

    private static String firstLine(String reason) {
        return reason.lines().findFirst().orElse("");
    }

    private void add(String label, String rest) {
        text.append(line(label, rest)).append('\n');
    }

    static String line(String label, String rest) {
        return "%-8s %s".formatted(label, rest.length() > LINE ? rest.substring(0, LINE) + "…" : rest);
    }

    /** Minutes and seconds. */
    static String clock(long nanos) {
        long seconds = nanos / 1_000_000_000;
        return "%d:%02d".formatted(seconds / 60, seconds % 60);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
