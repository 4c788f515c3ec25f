package dev.muster.cli.demo;

import dev.muster.cli.console.Json;
import dev.muster.cli.demo.Ledger.Account;
import dev.muster.cli.demo.Ledger.Ending;
import dev.muster.cli.demo.Show.Casualty;
import dev.muster.job.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * What came out of it.
 *
 * @param lost acknowledged jobs that did not end
 * @param duplicates outcomes or effects that were accepted more than once
 * @param recovered jobs that the killed node held and another one completed
 * @param throughput jobs per second from the first enqueue to the last ending, the killed node's jobs left aside: they
 *     wait for a lease to run out
 * @param recoveryMs from the kill until the last of the killed node's jobs was seen running or done elsewhere
 */
record Summary(
        int jobs,
        int completed,
        int lost,
        int duplicates,
        int recovered,
        double throughput,
        OptionalLong recoveryMs,
        Optional<String> killed) {

    private static final String COMPLETED = "completed";

    static Summary of(List<JobId> acknowledged, Account account, @Nullable Casualty casualty) {
        Set<JobId> held = casualty == null ? Set.of() : casualty.held();
        List<Ending> ofOthers = account.endings().entrySet().stream()
                .filter(entry -> !held.contains(entry.getKey()))
                .map(entry -> entry.getValue())
                .toList();
        List<Ending> takenOver = held.stream()
                .flatMap(id -> Optional.ofNullable(account.endings().get(id)).stream())
                .filter(ending -> casualty != null && !casualty.node().equals(ending.node()))
                .toList();
        Set<JobId> lost = new HashSet<>(acknowledged);
        lost.removeAll(account.endings().keySet());
        return new Summary(
                acknowledged.size(),
                completed(account.endings().values().stream().toList()),
                lost.size(),
                account.duplicates(),
                completed(takenOver),
                throughput(ofOthers),
                casualty == null ? OptionalLong.empty() : recovery(casualty.killedAt(), takenOver),
                Optional.ofNullable(casualty).map(Casualty::node));
    }

    private static int completed(List<Ending> endings) {
        return (int) endings.stream().filter(e -> e.status().equals(COMPLETED)).count();
    }

    private static double throughput(List<Ending> endings) {
        if (endings.isEmpty()) {
            return 0;
        }
        Instant first = endings.stream()
                .map(Ending::created)
                .min(Comparator.naturalOrder())
                .orElseThrow();
        Instant last = endings.stream()
                .map(Ending::finished)
                .max(Comparator.naturalOrder())
                .orElseThrow();
        return endings.size() * 1e9 / Math.max(1, Duration.between(first, last).toNanos());
    }

    private static OptionalLong recovery(Instant killedAt, List<Ending> takenOver) {
        return takenOver.stream()
                .map(ending -> ending.started() == null ? ending.finished() : ending.started())
                .mapToLong(time -> Duration.between(killedAt, time).toMillis())
                .max();
    }

    boolean good() {
        return lost == 0 && duplicates == 0;
    }

    ObjectNode json() {
        ObjectNode node = Json.object()
                .put("jobs", jobs)
                .put(COMPLETED, completed)
                .put("lost", lost)
                .put("duplicates", duplicates)
                .put("recovered", recovered)
                .put("throughput", Math.round(throughput * 10) / 10.0);
        recoveryMs.ifPresentOrElse(ms -> node.put("recovery_ms", ms), () -> node.putNull("recovery_ms"));
        return node.putNull("leader_failover_ms");
    }

    String text() {
        StringBuilder text = new StringBuilder("\n");
        line(text, "jobs", String.valueOf(jobs), "enqueued and acknowledged");
        line(text, COMPLETED, String.valueOf(completed), "");
        line(text, "lost", String.valueOf(lost), "acknowledged, but did not end");
        line(text, "duplicates", String.valueOf(duplicates), "outcomes or effects accepted twice");
        killed.ifPresent(node -> {
            line(
                    text,
                    "recovered",
                    String.valueOf(recovered),
                    "held by " + node + " when it was killed, done by others");
            String seconds = recoveryMs.isPresent() ? "%.1f s".formatted(recoveryMs.getAsLong() / 1e3) : "-";
            line(text, "recovery", seconds, "from the kill until the last of those ran elsewhere");
        });
        line(text, "throughput", "%.0f/s".formatted(throughput), "jobs per second, the recovered ones left aside");
        return text.append(good() ? "\nNothing was lost, nothing was done twice." : "\nTHIS IS A BUG: see above.")
                .toString();
    }

    private static void line(StringBuilder text, String name, String value, String meaning) {
        text.append("  %-10s %8s  %s".formatted(name, value, meaning).stripTrailing())
                .append('\n');
    }
}
