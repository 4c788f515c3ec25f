package dev.muster.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.engine.ClusterIT;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Jobs run on nodes that fit their placement. */
class PlacedJobsIT extends ClusterIT {

    static final class Handlers {
        @Job("where")
        String where(JobContext ctx) {
            return ctx.nodeId();
        }

        @Job(value = "placed", capability = "zone=eu&gpu!spot")
        String placed(JobContext ctx) {
            return ctx.nodeId();
        }
    }

    private final Handlers handlers = new Handlers();

    private void node(String id, String capabilities, String labels) {
        cluster.node(Map.of("node.id", id, "node.capabilities", capabilities, "node.labels", labels), handlers);
    }

    private String ranOn(JobRequest request) {
        return cluster.awaitEnded(cluster.jobs().enqueue(request), PATIENCE)
                .node()
                .orElseThrow();
    }

    @Test
    void jobsRunWhereTheyMay() {
        node("eu-spot", "gpu,spot", "zone=eu");
        node("eu", "gpu", "zone=eu");
        node("us", "gpu", "zone=us");

        for (int i = 0; i < 5; i++) {
            assertThat(ranOn(JobRequest.of("placed"))).isEqualTo("eu");
            assertThat(ranOn(JobRequest.of("placed").require("gpu", "zone=us"))).isEqualTo("us");
            assertThat(ranOn(JobRequest.of("where").require("spot"))).isEqualTo("eu-spot");
            assertThat(ranOn(JobRequest.of("where").onNodes("us", "gone"))).isEqualTo("us");
            assertThat(ranOn(JobRequest.of("where").notOnNodes("us", "eu"))).isEqualTo("eu-spot");
            assertThat(ranOn(JobRequest.of("where").delay(Duration.ofMillis(20)).onNodes("eu")))
                    .isEqualTo("eu");
        }
    }

    /** Nodes that are alike in all but their names take turns, and the one that is named has to come all the same. */
    @Test
    void theNamedNodeOfManyAlikeComes() {
        List<String> ids = IntStream.range(0, 6).mapToObj(i -> "n" + i).toList();
        ids.forEach(id -> node(id, "general", ""));

        for (String id : ids) {
            assertThat(ranOn(JobRequest.of("where").onNodes(id))).isEqualTo(id);
        }
    }

    @Test
    void aJobThatNobodyFitsSaysWhatEachNodeLacks() {
        node("a", "gpu", "zone=us");
        JobId id = cluster.jobs().enqueue(JobRequest.of("placed"));

        assertThat(cluster.jobs().find(id).orElseThrow().waitingReason())
                .contains("no live node with a handler fits 'gpu&zone=eu!spot': a lacks zone=eu");
    }

    @Test
    void theTestsThreadTakesJobsWithAnyPlacement() {
        cluster.register(handlers);
        cluster.jobs().enqueue(JobRequest.of("placed").onNodes("somewhere"));
        cluster.jobs().enqueue(JobRequest.of("where").notOnNodes("elsewhere"));

        assertThat(cluster.drain())
                .extracting(JobInfo::status)
                .containsOnly(JobStatus.COMPLETED)
                .hasSize(2);
    }
}
