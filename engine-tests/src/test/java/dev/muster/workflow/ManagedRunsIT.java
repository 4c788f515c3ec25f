package dev.muster.workflow;

import static dev.muster.workflow.Shop.CHECKOUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.internal.node.NodeContext;
import dev.muster.internal.workflow.WorkflowStore;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.RawJson;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.Leadership;
import dev.muster.runtime.MusterException;
import dev.muster.testkit.Node;
import dev.muster.workflow.Shop.Cart;
import dev.muster.workflow.Shop.Receipt;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What people do with runs: start, list, cancel, pause and forget them. */
class ManagedRunsIT extends WorkflowCluster {
    private static final Duration WEEK = Duration.ofDays(7);
    private final Shop shop = new Shop();

    @Test
    void oldRunsAreDeletedAndLiveOnesKeepTheirSteps() {
        Node node = cluster.node(shop);
        JobId done = workflows().start(CHECKOUT, new Cart(8, "map"));
        ended(done);
        JobId napping = workflows().start(RunRequest.of("long_nap", null));
        awaitStatus(napping, RunStatus.SLEEPING);
        assertThat(cluster.client().admin().knownNames().jobs())
                .as("drivers are nothing that somebody could mean")
                .noneMatch(name -> name.startsWith("workflow:"));

        for (int day = 0; day < 12; day++) {
            cluster.clock().advance(Duration.ofDays(1));
        }

        WorkflowStore store = cluster.client().api(NodeContext.class).port(WorkflowStore.class);
        Leadership cleaner = node.leadership(LeaderRole.LOG_COMPACTOR);
        await().atMost(SOON).until(cleaner::isLeader);
        while (cleaner.<Boolean>fenced(tx -> store.forgetRuns(tx, WEEK))) {}
        while (cleaner.<Boolean>fenced(tx -> store.dropStepsDay(tx, WEEK))) {}

        assertThat(workflows().find(done)).isEmpty();
        assertThat(database.number("SELECT count(*) FROM muster_workflow_steps WHERE run_id = '" + done + "'"))
                .isZero();
        assertThat(workflows().steps(napping)).hasSize(2);
        cluster.clock().advance(Duration.ofDays(20));
        assertThat(ended(napping).status()).isEqualTo(RunStatus.COMPLETED);
    }

    @Test
    void aPausedWorkflowWaitsUntilItIsResumedOrCancelled() {
        cluster.node(shop);
        workflows().pause("nap");
        JobId resumed = workflows().start("nap", null);
        JobId cancelled = workflows().start("nap", null);
        await().atMost(SOON)
                .until(() -> workflows().find(resumed).orElseThrow().reason().isPresent());
        assertThat(shop.effects).isEmpty();

        workflows().cancel(cancelled, "not needed");
        assertThat(ended(cancelled).status()).isEqualTo(RunStatus.CANCELLED_BY_OPERATOR);
        workflows().resume("nap");

        awaitStatus(resumed, RunStatus.SLEEPING);
        assertThat(shop.effects).containsExactly("before");
    }

    @Test
    void aCancelledRunCompensates() throws InterruptedException {
        shop.mayCharge = new CountDownLatch(1);
        cluster.node(shop);
        JobId run = workflows().start(CHECKOUT, new Cart(7, "book"));
        assertThat(shop.charging.await(90, TimeUnit.SECONDS)).isTrue();

        assertThat(workflows().cancel(run, "customer called")).isTrue();
        shop.mayCharge.countDown();

        RunInfo info = ended(run);
        assertThat(info.status()).isEqualTo(RunStatus.CANCELLED_BY_OPERATOR);
        assertThat(shop.effects)
                .containsExactly("reserve book", "charge 7 attempt 1", "refund 7 attempt 1", "release book");
        assertThat(workflows().cancel(run, "again")).isFalse();
    }

    @Test
    void aKeyStartsOneRun() {
        cluster.node(shop);
        JobId one = workflows().start(RunRequest.of(CHECKOUT, new Cart(1, "a")).key("order-1"));
        JobId two = workflows().start(RunRequest.of(CHECKOUT, new Cart(1, "a")).key("order-1"));

        assertThat(two).isEqualTo(one);
        ended(one);
        assertThat(shop.effects).containsExactly("reserve a", "charge 1 attempt 1", "ship 1");
    }

    @Test
    void aRunStartedInATransactionThatRollsBackLeavesNothing() throws SQLException {
        cluster.node(shop);
        RunRequest request = RunRequest.of(CHECKOUT, new Cart(1, "a")).key("order-1");
        JobId run;
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            run = workflows().in(connection).start(request);
            connection.rollback();
        }
        assertThat(workflows().find(run)).isEmpty();
        assertThat(workflows().list(Workflows.RunQuery.all())).isEmpty();
        assertThat(cluster.jobs().find(run)).as("its driver").isEmpty();
        assertThat(database.number("SELECT count(*) FROM muster_jobs")).isZero();

        JobId again = workflows().start(request);
        assertThat(again).as("the key is free").isNotEqualTo(run);
        assertThat(ended(again).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(shop.effects).containsExactly("reserve a", "charge 1 attempt 1", "ship 1");
    }

    @Test
    void whatChangesJobsLeavesDriversAlone() {
        cluster.node(shop);
        JobId run = workflows().start("approval", null);
        awaitStatus(run, RunStatus.WAITING);

        assertThatThrownBy(() -> cluster.jobs().cancel(run)).hasMessageContaining("muster workflows");
        assertThatThrownBy(() -> cluster.jobs().retry(run)).hasMessageContaining("muster workflows");
        assertThatThrownBy(() -> cluster.jobs().reschedule(run, Duration.ZERO))
                .hasMessageContaining("muster workflows");
        assertThatThrownBy(() -> cluster.jobs().enqueue("workflow:approval:v1:12345678", null))
                .hasMessageContaining("muster workflows start");
        assertThat(cluster.jobs().cancelAll(JobQuery.all().queue("default")).cancelled())
                .isZero();

        assertThat(workflows().find(run).orElseThrow().status()).isEqualTo(RunStatus.WAITING);
    }

    @Test
    void aListGoesByTheStatusThatItShows() throws InterruptedException {
        shop.mayCharge = new CountDownLatch(1);
        cluster.node(shop);
        JobId run = workflows().start(CHECKOUT, new Cart(7, "book"));
        assertThat(shop.charging.await(90, TimeUnit.SECONDS)).isTrue();

        assertThat(withStatus(RunStatus.RUNNING)).containsExactly(run);
        assertThat(withStatus(RunStatus.PENDING)).as("a node executes it").isEmpty();

        shop.mayCharge.countDown();
        ended(run);
        assertThat(withStatus(RunStatus.COMPLETED)).containsExactly(run);
        assertThat(withStatus(RunStatus.RUNNING)).isEmpty();
    }

    private List<JobId> withStatus(RunStatus status) {
        return workflows().list(Workflows.RunQuery.all().status(status)).stream()
                .map(RunInfo::id)
                .toList();
    }

    @Test
    void inputsAndPayloadsMayBeJsonText() {
        cluster.node(shop);
        JobId checkout = workflows().start("checkout", new RawJson("{\"order\": 7, \"item\": \"book\"}"));
        assertThat(workflows().result(CHECKOUT, ended(checkout))).isEqualTo(new Receipt(7, "r-7", 42));
        JobId approval = workflows().start("approval", null);
        assertThatThrownBy(() -> workflows().signal(approval, "approved", "x".repeat(1 << 20)))
                .hasMessageContaining("the payload of event 'approved' has");
        assertThatThrownBy(() -> workflows().signal(approval, "approved", new RawJson("{")))
                .isInstanceOf(MusterException.class);

        workflows().signal(approval, "approved", new RawJson("\"Ann\""));

        assertThat(ended(approval).result()).contains("\"Ann\"");
    }

    @Test
    void anUnknownWorkflowIsRefusedByName() {
        cluster.node(shop);
        assertThatThrownBy(() -> workflows().start("chekout", null))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("no live node serves an active version of workflow 'chekout'")
                .hasMessageContaining("checkout v1");
    }

    /** The first version, of which there are runs when the second comes. */
    public static final class FirstBuild {
        @Workflow(name = "letter", version = "v1")
        String first(WorkflowContext wf) {
            return "v1 " + wf.awaitEvent("go", String.class);
        }
    }

    public static final class SecondBuild {
        @Workflow(name = "letter", version = "v1", lifecycle = Workflow.Lifecycle.DEPRECATED)
        String first(WorkflowContext wf) {
            return "v1 " + wf.awaitEvent("go", String.class);
        }

        @Workflow(name = "letter", version = "v2")
        String second(WorkflowContext wf) {
            return "v2";
        }
    }

    public static final class ThirdBuild {
        @Workflow(name = "letter", version = "v2")
        String second(WorkflowContext wf) {
            return "v2";
        }
    }

    @Test
    void aVersionIsDeprecatedDrainedAndRemovedWhileOlderNodesAreUp() {
        Node old = cluster.node(new FirstBuild());
        JobId early = workflows().start("letter", null);
        awaitStatus(early, RunStatus.WAITING);

        // Deprecated. A node with the old code comes after the new one and calls its version active.
        Node current = cluster.node(new SecondBuild());
        Node late = cluster.node(new FirstBuild());
        JobId next = workflows().start("letter", null);
        assertThat(ended(next).result()).contains("\"v2\"");
        assertThatThrownBy(() -> workflows().start(RunRequest.of("letter", null).version("v1")))
                .hasMessageContaining("letter v1 is deprecated");

        // Drained, by whichever node has the code.
        assertThat(workflows().countLive("letter", "v1")).isEqualTo(1);
        workflows().signal(early, "go", "on");
        assertThat(ended(early).result()).contains("\"v1 on\"");
        assertThat(workflows().countLive("letter", "v1")).isZero();

        // Removed.
        Node last = cluster.node(new ThirdBuild());
        old.close();
        late.close();
        current.close();
        assertThat(ended(workflows().start("letter", null)).result()).contains("\"v2\"");
        assertThat(last.health().ok()).isTrue();
        assertThatThrownBy(() -> workflows().start(RunRequest.of("letter", null).version("v1")))
                .hasMessageContaining("no live node serves workflow 'letter' v1");
    }
}
