package dev.muster.cli.internal.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.cli.internal.demo.Ledger.Order;
import dev.muster.job.JobId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DemoOrdersTest {
    private final DemoOrders orders = new DemoOrders();
    private final List<JobId> ids = Stream.generate(JobId::next).limit(5).toList();
    private final Map<JobId, Order> found = new HashMap<>();

    @BeforeEach
    void everyFifthOrderCannotBeShipped() {
        orders.started(List.of(1, 2, 3, 4, 5), ids);
        ids.subList(0, 4).forEach(id -> found.put(id, Order.SHIPPED));
        found.put(ids.get(4), Order.UNDONE);
    }

    @Test
    void ordersWithAllTheirEffectsAreCounted() {
        assertThat(orders.tally(found, Set.of(ids.get(1), JobId.next())))
                .isEqualTo(new DemoOrders.Tally(5, 4, 1, 1))
                .extracting(DemoOrders.Tally::wrong)
                .isEqualTo(0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "reserve charge",
                "reserve charge charge ship",
                "charge reserve ship",
                "reserve charge ship release",
                "reserve charge refund release"
            })
    void anOrderWithOtherEffectsIsWrong(String effects) {
        found.put(ids.get(0), new Order("completed", effects));
        assertThat(orders.tally(found, Set.of()).wrong()).isEqualTo(1);
    }

    @Test
    void anOrderThatIsGoneOrHasNotEndedIsWrong() {
        found.remove(ids.get(0));
        found.put(ids.get(4), new Order("compensating", Order.UNDONE.effects()));
        assertThat(orders.tally(found, Set.of()).wrong()).isEqualTo(2);
    }
}
