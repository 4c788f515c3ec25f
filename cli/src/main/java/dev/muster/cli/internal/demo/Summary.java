package dev.muster.cli.internal.demo;

import dev.muster.cli.internal.demo.Ledger.Account;
import dev.muster.cli.internal.demo.Ledger.Ending;
import dev.muster.cli.internal.demo.Ledger.Leader;
import dev.muster.cli.internal.demo.Show.Casualty;
import dev.muster.cli.internal.demo.Show.Failover;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.job.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The result of the demo.
 *
 * @param lost how many acknowledged jobs did not end
 * @param duplicates how many outcomes or effects were accepted more than once
 * @param recovered how many jobs of killed nodes were completed by another node
 * @param throughput jobs per second from the first enqueue to the last outcome, without the jobs of killed nodes, which wait
 *     until their node is declared dead
 * @param recoveryMs the longest time from a kill until the last of that node's jobs was seen running or done elsewhere
 * @param failoverMs the time from the kill of the leader until another node led
 * @param orders what became of the orders
 */
record Summary(
        int jobs,
        int completed,
        int lost,
        int duplicates,
        int recovered,
        double throughput,
        OptionalLong recoveryMs,
        OptionalLong failoverMs,
        List<String> killed,
        DemoOrders.Tally orders) {

    private static final String COMPLETED = "completed";

    static Summary of(
            List<JobId> acknowledged,
            Account account,
            List<Casualty> casualties,
            @Nullable Failover failover,
            DemoOrders.Tally orders) {
        Set<JobId> held = new HashSet<>();
        casualties.forEach(casualty -> held.addAll(casualty.held()));
        List<Ending> ofOthers = account.endings().entrySet().stream()
                .filter(entry -> !held.contains(entry.getKey()))
                .map(entry -> entry.getValue())
                .toList();
        Set<JobId> lost = new HashSet<>(acknowledged);
        lost.removeAll(account.endings().keySet());
        return new Summary(
                acknowledged.size(),
                completed(acknowledged.stream()
                        .flatMap(id -> Optional.ofNullable(account.endings().get(id)).stream())
                        .toList()),
                lost.size(),
                account.duplicates(),
                casualties.stream()
                        .mapToInt(casualty -> completed(takenOver(casualty, account)))
                        .sum(),
                throughput(ofOthers),
                casualties.stream()
                        .flatMapToLong(casualty -> recovery(casualty, account).stream())
                        .max(),
                failoverMs(failover),
                casualties.stream().map(Casualty::node).toList(),
                orders);
    }

    private static List<Ending> takenOver(Casualty casualty, Account account) {
        return casualty.held().stream()
                .flatMap(id -> Optional.ofNullable(account.endings().get(id)).stream())
                .filter(ending -> !casualty.node().equals(ending.node()))
                .toList();
    }

    private static OptionalLong failoverMs(@Nullable Failover failover) {
        Leader next = failover == null ? null : failover.next();
        return next == null
                ? OptionalLong.empty()
                : OptionalLong.of(Math.max(
                        0, Duration.between(failover.killedAt(), next.since()).toMillis()));
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

    private static OptionalLong recovery(Casualty casualty, Account account) {
        return takenOver(casualty, account).stream()
                .map(ending -> ending.started() == null ? ending.finished() : ending.started())
                .mapToLong(time -> Duration.between(casualty.killedAt(), time).toMillis())
                .max();
    }

    boolean good() {
        return lost == 0 && duplicates == 0 && orders.wrong() == 0;
    }

    Map<String, @Nullable Object> json() {
        return new JsonObjectWriter()
                .put("jobs", jobs)
                .put(COMPLETED, completed)
                .put("lost", lost)
                .put("duplicates", duplicates)
                .put("recovered", recovered)
                .put("throughput", Math.round(throughput * 10) / 10.0)
                .put("recovery_ms", millis(recoveryMs))
                .put("leader_failover_ms", millis(failoverMs))
                .put("orders", orders.orders())
                .put("shipped", orders.shipped())
                .put("undone", orders.undone())
                .put("wrong_orders", orders.wrong())
                .put("orders_taken_over", orders.takenOver())
                .done();
    }

    private static @Nullable Long millis(OptionalLong millis) {
        return millis.isPresent() ? millis.getAsLong() : null;
    }

    String text() {
        StringBuilder text = new StringBuilder("\n");
        line(text, "jobs", String.valueOf(jobs), "enqueued and acknowledged");
        line(text, COMPLETED, String.valueOf(completed), "");
        line(text, "lost", String.valueOf(lost), "acknowledged, but never ended");
        line(text, "duplicates", String.valueOf(duplicates), "outcomes or effects accepted twice");
        if (!killed.isEmpty()) {
            line(
                    text,
                    "recovered",
                    String.valueOf(recovered),
                    "held by " + String.join(" and ", killed) + " when killed, completed by other nodes");
            line(text, "recovery", seconds(recoveryMs), "from a kill until the last of those jobs ran elsewhere");
            line(text, "failover", seconds(failoverMs), "from the leader's death until another node led");
        }
        line(text, "throughput", "%.0f/s".formatted(throughput), "jobs per second, without the recovered ones");
        text.append('\n');
        line(text, "orders", String.valueOf(orders.orders()), "workflows that reserve, charge and ship");
        line(text, "shipped", String.valueOf(orders.shipped()), "reserved, charged and shipped once each");
        line(text, "undone", String.valueOf(orders.undone()), "could not be shipped: refunded and released once each");
        line(text, "wrong", String.valueOf(orders.wrong()), "an effect is missing, or is there twice");
        if (!killed.isEmpty()) {
            line(
                    text,
                    "taken over",
                    String.valueOf(orders.takenOver()),
                    "other nodes continued with them after a kill");
        }
        return text.append(
                        good()
                                ? "\nNothing was lost, nothing was done twice, and every order has each of its effects exactly once."
                                : "\nTHIS IS A BUG: see above.")
                .toString();
    }

    private static String seconds(OptionalLong millis) {
        return millis.isPresent() ? "%.1f s".formatted(millis.getAsLong() / 1e3) : "-";
    }

    private static void line(StringBuilder text, String name, String value, String meaning) {
        text.append("  %-10s %8s  %s".formatted(name, value, meaning).stripTrailing())
                .append('\n');
    }
}
