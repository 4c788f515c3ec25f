package dev.muster.internal.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.graph.GraphId;
import dev.muster.graph.GraphInfo;
import dev.muster.graph.GraphStatus;
import dev.muster.graph.GraphTree;
import dev.muster.graph.TaskInfo;
import dev.muster.graph.TaskRequest.Dependency;
import dev.muster.graph.TaskStatus;
import dev.muster.graph.Trigger;
import dev.muster.job.JobId;
import dev.muster.job.Jobs;
import dev.muster.job.Priority;
import dev.muster.testing.Allocated;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WaitingReasonsTest {
    private static final int TASKS = 4_000;

    private static TaskInfo task(int number, TaskStatus status) {
        return TaskInfo.builder(
                        "t" + number,
                        "work",
                        status,
                        JobId.next(),
                        Trigger.ALL_SUCCESS,
                        "default",
                        "",
                        Priority.NORMAL,
                        "null")
                .dependsOn(number == 0 ? List.of() : List.of(new Dependency("t0", true)))
                .build();
    }

    private static Jobs asksNothing() {
        return (Jobs) Proxy.newProxyInstance(
                Jobs.class.getClassLoader(), new Class<?>[] {Jobs.class}, (proxy, method, arguments) -> {
                    throw new AssertionError(method);
                });
    }

    @Test
    void whyTasksWaitIsFoundOutForAllOfThemTogether() {
        GraphInfo graph = GraphInfo.builder(GraphId.next(), GraphStatus.RUNNING, TASKS, 0, Instant.EPOCH)
                .build();
        GraphTree tree = new GraphTree(
                graph,
                IntStream.range(0, TASKS)
                        .mapToObj(i -> task(i, i == 0 ? TaskStatus.RUNNING : TaskStatus.WAITING))
                        .toList());

        long bytes = Allocated.by(() -> {
            Map<String, String> reasons = WaitingReasons.of(asksNothing(), tree);
            assertThat(reasons).hasSize(TASKS - 1).containsEntry("t7", "waits for t0 (running)");
        });

        assertThat(bytes).isLessThan(64 << 20);
    }
}
