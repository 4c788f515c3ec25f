package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.job.JobId;
import dev.muster.runtime.MusterException;
import dev.muster.testkit.Node;
import dev.muster.workflow.Shop.Cart;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Runs that sleep, wait for events, branch, have children and continue as new runs. */
class WaitingRunsIT extends WorkflowCluster {
    private final Shop shop = new Shop();

    @Test
    void aSleepingRunHoldsNoThreadAndWakesInTime() {
        cluster.node(shop);
        JobId run = workflows().start("nap", null);
        awaitStatus(run, RunStatus.SLEEPING);
        assertThat(shop.effects).containsExactly("before");

        cluster.clock().advance(Duration.ofHours(1));

        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(shop.effects).containsExactly("before", "after");
    }

    @Test
    void anEventEndsTheWaitAndIsTakenOnce() {
        cluster.node(shop);
        JobId run = workflows().start("approval", null);
        awaitStatus(run, RunStatus.WAITING);

        assertThat(workflows().signal(run, "approved", "Ann", "mail-1")).isTrue();

        assertThat(ended(run).result()).contains("\"Ann\"");
        assertThatThrownBy(() -> workflows().signal(run, "approved", "Bob", "mail-2"))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("has ended");
    }

    @Test
    void anEventMayComeBeforeTheRunWaitsAndARepeatedOneIsTheSame() {
        JobId run = startedWithoutNodes("approval");
        assertThat(workflows().signal(run, "approved", "Ann", "mail-1")).isTrue();
        assertThat(workflows().signal(run, "approved", "Ann", "mail-1")).isFalse();

        cluster.node(shop);

        assertThat(ended(run).result()).contains("\"Ann\"");
    }

    /** Starts a run that no node executes yet. */
    private JobId startedWithoutNodes(String workflow) {
        try (Node node = cluster.node(Map.of("node.queues", "other"), shop)) {
            assertThat(node.health().ok()).isTrue();
            return workflows().start(workflow, null);
        }
    }

    /** A child's end is an event with such an id: whoever sends one first would keep the child from starting, or its parent from hearing of it. */
    @Test
    void anIdOfMustersOwnEventsIsRefused() {
        JobId run = startedWithoutNodes("approval");

        assertThatThrownBy(() -> workflows().signal(run, "approved", "Ann", "muster:child:1"))
                .hasMessage("an event's id must not begin with 'muster:', as 'muster:child:1' does");
    }

    @Test
    void aWaitForAnEventTimesOut() {
        cluster.node(shop);
        JobId run = workflows().start("approval", null);
        awaitStatus(run, RunStatus.WAITING);

        cluster.clock().advance(Duration.ofHours(1));

        assertThat(ended(run).result()).contains("\"nobody\"");
    }

    public static final class Pings {
        @Workflow(name = "pings", version = "v1")
        String ping(WorkflowContext wf) {
            return wf.receiveEvent("ping", String.class, Duration.ofHours(1))
                    .map(ping -> "a ping with " + ping.payload().orElse("nothing"))
                    .orElse("no ping");
        }
    }

    @Test
    void anEventWithoutAPayloadIsToldFromNone() {
        cluster.node(new Pings());
        JobId none = workflows().start("pings", null);
        JobId empty = workflows().start("pings", null);
        JobId filled = workflows().start("pings", null);
        awaitStatus(none, RunStatus.WAITING);

        workflows().signal(empty, "ping", null);
        workflows().signal(filled, "ping", "news");
        assertThat(ended(empty).result()).contains("\"a ping with nothing\"");
        assertThat(ended(filled).result()).contains("\"a ping with news\"");
        cluster.clock().advance(Duration.ofHours(1));

        assertThat(ended(none).result()).contains("\"no ping\"");
    }

    @Test
    void branchesRunAndSleepAtTheSameTime() {
        cluster.node(shop);
        JobId run = workflows().start("fan", 5);
        awaitStatus(run, RunStatus.SLEEPING);
        assertThat(shop.effects).hasSize(5).allMatch(effect -> effect.startsWith("double"));

        cluster.clock().advance(Duration.ofMinutes(11));

        assertThat(ended(run).result().orElseThrow()).isEqualTo("[1, 3, 5, 7, 9]");
        assertThat(shop.effects).hasSize(10);
    }

    @Test
    void aParentWaitsForItsChild() {
        cluster.node(shop);
        JobId run = workflows().start("parent", new Cart(9, "pen"));

        assertThat(ended(run).result()).contains("\"child paid 42\"");
        assertThat(shop.effects).containsExactly("reserve pen", "charge 9 attempt 1", "ship 9");
    }

    @Test
    void aRunContinuesAsANewOne() {
        cluster.node(shop);
        workflows().start("countdown", 3);

        await().atMost(SOON).until(() -> shop.effects.contains("count 0"));

        assertThat(shop.effects).containsExactly("count 3", "count 2", "count 1", "count 0");
        await().atMost(SOON)
                .until(() -> workflows().list(Workflows.RunQuery.all()).stream()
                        .allMatch(run -> run.status() == RunStatus.COMPLETED));
        assertThat(workflows().list(Workflows.RunQuery.all())).hasSize(4);
    }

    @Test
    void aChildMayContinueAsANewRun() {
        cluster.node(shop);
        JobId run = workflows().start("counting", 2);

        assertThat(ended(run).result()).contains("\"counted to 0\"");
        assertThat(shop.effects).containsExactly("count 2", "count 1", "count 0");
    }
}
