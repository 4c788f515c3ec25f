package dev.muster.cli.internal.demo;

import dev.muster.cli.internal.demo.Ledger.Order;
import dev.muster.job.JobId;
import dev.muster.job.Priority;
import dev.muster.job.RawJson;
import dev.muster.workflow.RunRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The orders of the demo: runs of the example's workflow checkout, which reserves, charges and ships. Every fifth cannot be shipped, so its
 * charge and its reservation are undone. Every second holds its transactions open, so that a node that is killed is in the middle of some.
 */
final class DemoOrders {
    static final String WORKFLOW = "checkout";
    private static final int JOBS_PER_ORDER = 20;
    private static final int FEWEST = 5;
    private static final int BAD_PERIOD = 5;
    private static final int SLOW_PERIOD = 2;
    private static final int HOLD_MS = 250;

    private final Map<JobId, Integer> started = new LinkedHashMap<>();

    static int countFor(int jobs) {
        return Math.max(FEWEST, jobs / JOBS_PER_ORDER);
    }

    /** Requests for the orders with these numbers, counted from 1. */
    static List<RunRequest> requests(List<Integer> numbers) {
        return numbers.stream().map(DemoOrders::request).toList();
    }

    private static RunRequest request(int number) {
        // The example cannot ship an order whose number is negative.
        return RunRequest.of(
                        WORKFLOW,
                        new RawJson("{\"order\":%d,\"holdMs\":%d}"
                                .formatted(isBad(number) ? -number : number, number % SLOW_PERIOD == 0 ? HOLD_MS : 0)))
                .priority(Priority.HIGH);
    }

    private static boolean isBad(int number) {
        return number % BAD_PERIOD == 0;
    }

    /** Notes acknowledged orders. */
    void started(List<Integer> numbers, List<JobId> ids) {
        IntStream.range(0, ids.size()).forEach(i -> started.put(ids.get(i), numbers.get(i)));
    }

    Set<JobId> ids() {
        return started.keySet();
    }

    /**
     * What became of the orders.
     *
     * @param shipped how many were reserved, charged and shipped, each exactly once and in this order
     * @param undone how many were reserved and charged, could not be shipped, and were refunded and released, each exactly once
     * @param takenOver how many of those were in the hands of a node when it was killed
     */
    record Tally(int orders, int shipped, int undone, int takenOver) {
        /** How many orders lack an effect, or have one twice, or one that is none of theirs. */
        int wrong() {
            return orders - shipped - undone;
        }
    }

    /** @param held what killed nodes had claimed */
    Tally tally(Map<JobId, Order> found, Set<JobId> held) {
        int shipped = 0;
        int undone = 0;
        int takenOver = 0;
        for (Map.Entry<JobId, Integer> order : started.entrySet()) {
            boolean bad = isBad(order.getValue());
            if (!(bad ? Order.UNDONE : Order.SHIPPED).equals(found.get(order.getKey()))) {
                continue;
            }
            shipped += bad ? 0 : 1;
            undone += bad ? 1 : 0;
            takenOver += held.contains(order.getKey()) ? 1 : 0;
        }
        return new Tally(started.size(), shipped, undone, takenOver);
    }
}
