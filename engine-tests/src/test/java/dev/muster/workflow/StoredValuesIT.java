package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.JobId;
import dev.muster.job.TypeRef;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The code of a run sees the same values in its first execution and in every replay, down to their order. */
class StoredValuesIT extends WorkflowCluster {

    public static final class Shipping {
        final List<String> shipped = new CopyOnWriteArrayList<>();
        final List<String> seen = new CopyOnWriteArrayList<>();

        /** In an order that jsonb does not keep: it has shorter names first. */
        static Map<String, Integer> items() {
            Map<String, Integer> items = new LinkedHashMap<>();
            items.put("banana", 2);
            items.put("kiwi", 1);
            items.put("apple", 3);
            items.put("fig", 4);
            return items;
        }

        @Workflow(name = "ship", version = "v1")
        int ship(WorkflowContext wf) {
            Map<String, Integer> items =
                    wf.step("items", new TypeRef<Map<String, Integer>>() {}).run(step -> items());
            for (Map.Entry<String, Integer> item : items.entrySet()) {
                wf.step("ship", () -> shipped.add(item.getKey()));
                wf.sleep(Duration.ofHours(1));
            }
            return items.size();
        }

        @Workflow(name = "look", version = "v1")
        void look(WorkflowContext wf) {
            Object value = wf.step("value", Object.class)
                    .run(step -> Map.of(
                            "double", 1.0,
                            "large", 1e10,
                            "small", 1e-10,
                            "digits", new java.math.BigInteger("12345678901234567890"),
                            "list", List.of(1e2, "é", Map.of("b", 1, "aa", 2))));
            seen.add(described(value));
            wf.sleep(Duration.ofHours(1));
            seen.add(described(value));
        }

        /** With the classes of numbers, and maps in their order. */
        private static String described(Object value) {
            if (value instanceof Map<?, ?> map) {
                List<String> members = new ArrayList<>();
                map.forEach((name, member) -> members.add(name + "=" + described(member)));
                return members.toString();
            }
            if (value instanceof List<?> list) {
                return list.stream().map(Shipping::described).toList().toString();
            }
            return value + ":" + value.getClass().getSimpleName();
        }
    }

    private final Shipping shipping = new Shipping();

    @Test
    void everyItemOfAMapIsShippedOnceAcrossReplays() {
        cluster.node(shipping);
        JobId run = workflows().start("ship", null);
        for (int i = 1; i <= 4; i++) {
            int shipped = i;
            org.awaitility.Awaitility.await().atMost(SOON).until(() -> shipping.shipped.size() >= shipped);
            awaitStatus(run, RunStatus.SLEEPING);
            cluster.clock().advance(Duration.ofHours(1));
        }

        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(shipping.shipped).containsExactlyInAnyOrder("banana", "kiwi", "apple", "fig");
    }

    @Test
    void aReplaySeesNumbersAndOrderOfTheFirstExecution() {
        cluster.node(shipping);
        JobId run = workflows().start("look", null);
        awaitStatus(run, RunStatus.SLEEPING);
        cluster.clock().advance(Duration.ofHours(1));

        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(shipping.seen).hasSize(3);
        assertThat(shipping.seen.get(1)).isEqualTo(shipping.seen.get(0));
        assertThat(shipping.seen.get(2)).isEqualTo(shipping.seen.get(0));
    }
}
