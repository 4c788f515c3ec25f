package dev.muster.internal.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class KeyUsesTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);
    private final MemoryKeys store = new MemoryKeys(nanos::get);
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final KeyUses uses = new KeyUses(store, nanos::get, tasks::add);

    private void runTasks() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    @Test
    void aUseIsWrittenOnceAMinute() {
        for (int second = 0; second < 125; second++) {
            uses.used("a");
            runTasks();
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        }
        assertThat(store.uses).containsExactly(List.of("a"), List.of("a"), List.of("a"));
    }

    @Test
    void usesThatWaitAreWrittenTogether() {
        uses.used("a");
        uses.used("b");
        uses.used("a");
        assertThat(tasks).hasSize(1);

        runTasks();
        uses.used("c");
        runTasks();

        assertThat(store.uses).hasSize(2);
        assertThat(store.uses.get(0)).containsExactlyInAnyOrder("a", "b");
        assertThat(store.uses.get(1)).containsExactly("c");
    }

    @Test
    void aFailureToWriteHarmsNobody() {
        store.away = true;
        uses.used("a");
        runTasks();
        store.away = false;
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());

        uses.used("a");
        runTasks();

        assertThat(store.uses).hasSize(2);
    }
}
