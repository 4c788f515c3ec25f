package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.graph.GraphId;
import dev.muster.graph.GraphInfo;
import dev.muster.graph.GraphRequest;
import dev.muster.graph.GraphStatus;
import dev.muster.graph.GraphTree;
import dev.muster.graph.TaskInfo;
import dev.muster.graph.TaskRequest;
import dev.muster.graph.TaskStatus;
import dev.muster.testing.Sizes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A graph of many tasks whose nodes are killed while they run and end them: each one in the transaction that would have ended a task. */
class KilledGraphIT extends ChaosIT {
    private static final Duration LONG = Duration.ofMinutes(4);
    private static final int LAYERS = Sizes.of(8, 20);
    private static final int WIDTH = Sizes.of(15, 50);
    private static final int PARENTS = 4;
    private static final int KILLS = Sizes.of(2, 6);

    /** Results are encrypted; the nodes hand them over all the same. */
    private static final Map<String, String> APP = Map.of(
            "app", LayeredTasks.class.getName(), "encryption.keys", "k1=bWF0ZXJpYWwtb25lLW1hdGVyaWFsLW9uZS1tYXQtMTE=");

    private static List<String> parents(int layer, int task) {
        List<String> parents = new ArrayList<>();
        for (int i = 0; i < PARENTS && layer > 0; i++) {
            parents.add((layer - 1) + "." + (task * 7 + i * 11) % WIDTH);
        }
        return parents;
    }

    private static GraphRequest layers() {
        List<TaskRequest> tasks = new ArrayList<>();
        for (int layer = 0; layer < LAYERS; layer++) {
            for (int i = 0; i < WIDTH; i++) {
                String id = layer + "." + i;
                List<String> parents = parents(layer, i);
                tasks.add(TaskRequest.of(
                                id,
                                "layered",
                                Map.of(
                                        "task",
                                        id,
                                        "layer",
                                        layer,
                                        "below",
                                        parents.stream().map(TaskRequest::from).toList()))
                        .dependsOn(parents.toArray(String[]::new)));
            }
        }
        tasks.add(TaskRequest.of("bad", "broken").dependsOn("3.0"));
        tasks.add(TaskRequest.of("doomed", "layered").dependsOn("bad"));
        tasks.add(TaskRequest.of("doomed too", "layered").dependsOn("doomed", "5.0"));
        return GraphRequest.of(tasks);
    }

    @Test
    void eachEffectIsAcceptedOnceAndInOrder() {
        LayeredTasks.prepare(database);
        List<String> stops = IntStream.rangeClosed(1, KILLS)
                .mapToObj(kill -> kill * LAYERS / (KILLS + 1) + ".0")
                .toList();
        stops.forEach(task -> LayeredTasks.stopIn(database, task));
        NodeKiller killer = new NodeKiller(database, getClass(), id -> launch(id, APP));
        killer.start(Sizes.of(1, 2));
        GraphId graph = client.graphs().submit(layers());

        for (int kill = 1; kill <= KILLS; kill++) {
            String task = stops.get(kill - 1);
            String victim = await("a node in task " + task)
                    .atMost(LONG)
                    .until(() -> LayeredTasks.standingIn(database, task), Optional::isPresent)
                    .orElseThrow();
            if (kill == KILLS) {
                startHere("survivor", APP);
            }
            killer.killOnly(victim::equals);
            killer.killOne(this::loses, kill < KILLS);
        }

        GraphInfo ended = client.graphs().await(graph, LONG);
        GraphTree tree = client.graphs().tree(graph).orElseThrow();
        assertThat(ended.status()).as(() -> tree.counts().toString()).isEqualTo(GraphStatus.FAILED);
        assertThat(tree.counts())
                .isEqualTo(Map.of(
                        TaskStatus.COMPLETED, (long) LAYERS * WIDTH, TaskStatus.FAILED, 1L, TaskStatus.SKIPPED, 2L));
        assertThat(tree.task("doomed").flatMap(TaskInfo::reason)).contains("parent bad failed");
        assertThat(tree.task("doomed too").flatMap(TaskInfo::reason)).contains("parent doomed was skipped");
        assertOnceAndInOrder();
        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isZero();
    }

    private void assertOnceAndInOrder() {
        Map<String, Integer> positions = new HashMap<>();
        List<String> order = database.column("SELECT task FROM task_effects ORDER BY id");
        for (int i = 0; i < order.size(); i++) {
            assertThat(positions.put(order.get(i), i))
                    .as("an earlier effect of " + order.get(i))
                    .isNull();
        }
        assertThat(positions).hasSize(LAYERS * WIDTH);
        for (int layer = 1; layer < LAYERS; layer++) {
            for (int i = 0; i < WIDTH; i++) {
                int position = positions.get(layer + "." + i);
                assertThat(parents(layer, i)).allMatch(parent -> positions.get(parent) < position);
            }
        }
    }
}
