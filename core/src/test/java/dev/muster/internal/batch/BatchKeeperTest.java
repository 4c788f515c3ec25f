package dev.muster.internal.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.cluster.ClusterCoordinator;
import dev.muster.internal.batch.BatchStore.Closing;
import dev.muster.internal.cluster.NodeStore.Duty;
import dev.muster.job.BatchId;
import dev.muster.runtime.Clock;
import dev.muster.runtime.MusterException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BatchKeeperTest {
    private final List<BatchId> batches = List.of(BatchId.next(), BatchId.next(), BatchId.next());
    private final List<BatchId> cancelled = new ArrayList<>();

    private static <T> T fake(Class<T> type, Object answer) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> answer));
    }

    /** Cancelling the jobs of a very large batch may take too long, each time. */
    @Test
    void aBatchWhoseJobsCannotBeCancelledKeepsNoOtherFromItsTurn() {
        BatchKeeper keeper = new BatchKeeper(
                fake(BatchStore.class, new Closing(Set.of(), List.of(), batches, Optional.empty())),
                batch -> {
                    if (batch.equals(batches.get(0))) {
                        throw new MusterException("too slow");
                    }
                    cancelled.add(batch);
                },
                fake(ClusterCoordinator.class, null),
                Clock.system());
        keeper.due(Set.of(Duty.CHECK_BATCHES));

        assertThatThrownBy(keeper::step).hasMessage("too slow");

        assertThat(cancelled).containsExactlyElementsOf(batches.subList(1, 3));
    }
}
