package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.RawJson;
import dev.muster.job.RetryPolicy;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.Leadership;
import dev.muster.runtime.MusterException;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.Node;
import dev.muster.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WorkflowIT {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration WEEK = Duration.ofDays(7);

    /** What a shop sells. */
    public record Cart(int order, String item) {}

    /** What a customer gets. */
    public record Receipt(int order, String reservation, int price) {}

    private static final WorkflowType<Cart, Receipt> CHECKOUT = WorkflowType.of("checkout", Cart.class, Receipt.class);

    /** A shop whose effects are recorded. */
    public static final class Shop {
        final List<String> effects = new CopyOnWriteArrayList<>();
        final AtomicInteger chargesToFail = new AtomicInteger();
        final AtomicBoolean shipFails = new AtomicBoolean();
        final CountDownLatch charging = new CountDownLatch(1);
        volatile CountDownLatch mayCharge = new CountDownLatch(0);
        volatile CountDownLatch shipBlocks = new CountDownLatch(0);

        @Workflow(name = "checkout", version = "v1")
        Receipt checkout(WorkflowContext wf, Cart cart) {
            String reservation = wf.step("reserve", String.class)
                    .compensateWith("release", cart.item())
                    .run(step -> effect("reserve " + cart.item(), "r-" + cart.order()));
            Integer price = wf.step("charge", Integer.class)
                    .retry(RetryPolicy.fixed(3, Duration.ofMillis(1)))
                    .compensateWith("refund", cart.order())
                    .run(step -> charge(cart, step.attempt()));
            wf.step("ship", () -> ship(cart));
            return new Receipt(cart.order(), String.valueOf(reservation), price == null ? 0 : price);
        }

        private <T> T effect(String what, T result) {
            effects.add(what);
            return result;
        }

        private int charge(Cart cart, int attempt) throws InterruptedException {
            effects.add("charge " + cart.order() + " attempt " + attempt);
            charging.countDown();
            mayCharge.await();
            if (chargesToFail.getAndDecrement() > 0) {
                throw new IllegalStateException("no money");
            }
            return 42;
        }

        private void ship(Cart cart) throws InterruptedException {
            shipBlocks.await();
            effects.add("ship " + cart.order());
            if (shipFails.get()) {
                throw new IllegalStateException("no truck");
            }
        }

        @Compensation("release")
        void release(String item) {
            effects.add("release " + item);
        }

        @Compensation("refund")
        void refund(StepContext step, int order) {
            effects.add("refund " + order + " attempt " + step.attempt());
        }

        @Workflow(name = "nap", version = "v1")
        String nap(WorkflowContext wf) {
            wf.step("before", () -> effects.add("before"));
            wf.sleep(Duration.ofHours(1));
            wf.step("after", () -> effects.add("after"));
            return "slept";
        }

        @Workflow(name = "long_nap", version = "v1")
        void longNap(WorkflowContext wf) {
            wf.step("before", () -> effects.add("before"));
            wf.sleep(Duration.ofDays(30));
            wf.step("after", () -> effects.add("after"));
        }

        @Workflow(name = "approval", version = "v1")
        String approval(WorkflowContext wf) {
            return wf.awaitEvent("approved", String.class, Duration.ofHours(1)).orElse("nobody");
        }

        @Workflow(name = "fan", version = "v1")
        List<Integer> fan(WorkflowContext wf, int width) {
            return wf.parallel(java.util.stream.IntStream.range(0, width)
                    .<java.util.function.Function<WorkflowContext, Integer>>mapToObj(number -> branch -> {
                        int doubled =
                                branch.step("double", Integer.class, step -> effect("double " + number, 2 * number));
                        branch.sleep(Duration.ofMinutes(10));
                        return branch.step("add", Integer.class, step -> effect("add " + number, doubled + 1));
                    })
                    .toList());
        }

        @Workflow(name = "parent", version = "v1")
        String parent(WorkflowContext wf, Cart cart) {
            Receipt receipt = wf.child(CHECKOUT, cart);
            return "child paid " + (receipt == null ? "nothing" : receipt.price());
        }

        @Workflow(name = "countdown", version = "v1")
        int countdown(WorkflowContext wf, int from) {
            wf.step("count", () -> effects.add("count " + from));
            if (from > 0) {
                throw wf.continueAsNew(from - 1);
            }
            return from;
        }

        @Workflow(name = "counting", version = "v1")
        String counting(WorkflowContext wf, int from) {
            return "counted to " + wf.child(WorkflowType.of("countdown", Integer.class, Integer.class), from);
        }

        @Workflow(name = "nul", version = "v1")
        String nul(WorkflowContext wf) {
            return wf.step("nul", String.class).retry(RetryPolicy.attempts(1)).run(step -> effect("nul", "a\0b"));
        }

        @Workflow(name = "book", version = "v1")
        void book(WorkflowContext wf, int amount) {
            wf.stepIn("credit", Void.class, connection -> {
                try (PreparedStatement insert = connection.prepareStatement("INSERT INTO bookings VALUES (?)")) {
                    insert.setInt(1, amount);
                    insert.executeUpdate();
                }
                return null;
            });
        }
    }

    private final Shop shop = new Shop();
    private TestDatabase database;
    private Cluster cluster;

    @BeforeEach
    void create() throws SQLException {
        database = TestDatabase.fromEnv();
        cluster = Cluster.on(database, Map.of());
        cluster.client();
    }

    @AfterEach
    void drop() {
        cluster.close();
        database.close();
    }

    private Workflows workflows() {
        return cluster.client().workflows();
    }

    private RunInfo ended(JobId run) {
        RunInfo info = workflows().await(run, SOON);
        assertThat(info.status().isTerminal())
                .as(info + "\n" + workflows().steps(run))
                .isTrue();
        return info;
    }

    private void awaitStatus(JobId run, RunStatus status) {
        await().atMost(SOON).until(() -> workflows().find(run).orElseThrow().status() == status);
    }

    @Test
    void runsItsStepsAndReturnsItsResult() {
        cluster.node(shop);
        JobId run = workflows().start(CHECKOUT, new Cart(7, "book"));

        RunInfo info = ended(run);

        assertThat(info.status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(workflows().result(CHECKOUT, info)).isEqualTo(new Receipt(7, "r-7", 42));
        assertThat(shop.effects).containsExactly("reserve book", "charge 7 attempt 1", "ship 7");
        assertThat(workflows().steps(run)).extracting(StepInfo::name).containsExactly("reserve", "charge", "ship");
        assertThat(cluster.jobs().find(run)).isPresent();
    }

    @Test
    void runsOnTheTestsThread() {
        cluster.register(shop);

        assertThat(cluster.run(CHECKOUT, new Cart(8, "map"))).isEqualTo(new Receipt(8, "r-8", 42));
        JobId run = workflows().start("nap", null);
        cluster.drain();
        assertThat(workflows().find(run).orElseThrow().status()).isEqualTo(RunStatus.SLEEPING);
        cluster.clock().advance(Duration.ofHours(1));
        cluster.drain();
        assertThat(workflows().find(run).orElseThrow().status()).isEqualTo(RunStatus.COMPLETED);
    }

    @Test
    void aRunStartedWhileNoNodePreparedItsDayStoresItsSteps() {
        cluster.register(shop);
        cluster.clock().advance(Duration.ofDays(40));
        JobId run = workflows().start(CHECKOUT, new Cart(8, "map"));
        cluster.clock().advance(Duration.ofDays(5));

        cluster.node();

        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(workflows().steps(run)).hasSize(3);
    }

    @Test
    void oldRunsAreDeletedAndLiveOnesKeepTheirSteps() {
        Node node = cluster.node(shop);
        JobId done = workflows().start(CHECKOUT, new Cart(8, "map"));
        ended(done);
        JobId napping = workflows().start(RunRequest.of("long_nap", null));
        awaitStatus(napping, RunStatus.SLEEPING);

        for (int day = 0; day < 12; day++) {
            cluster.clock().advance(Duration.ofDays(1));
        }

        WorkflowStore store = cluster.client().context().port(WorkflowStore.class);
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
    void aStepIsRetriedAndItsAttemptsAreStored() {
        cluster.node(shop);
        shop.chargesToFail.set(2);
        JobId run = workflows().start(CHECKOUT, new Cart(7, "book"));

        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(shop.effects)
                .containsExactly(
                        "reserve book", "charge 7 attempt 1", "charge 7 attempt 2", "charge 7 attempt 3", "ship 7");
    }

    @Test
    void aFailureIsCompensatedInReverseOrder() {
        cluster.node(shop);
        shop.shipFails.set(true);
        JobId run = workflows().start(CHECKOUT, new Cart(7, "book"));

        // The default policy waits about a second and two before its retries of "ship".
        RunInfo info = workflows().await(run, SOON);

        assertThat(info.status()).isEqualTo(RunStatus.COMPENSATED);
        assertThat(info.error().orElseThrow()).contains("no truck");
        assertThat(shop.effects)
                .startsWith("reserve book", "charge 7 attempt 1", "ship 7")
                .endsWith("refund 7 attempt 1", "release book");
    }

    @Test
    void anotherNodeGoesOnAfterACrash() throws InterruptedException {
        shop.mayCharge = new CountDownLatch(1);
        Node first = cluster.node(shop);
        JobId run = workflows().start(CHECKOUT, new Cart(7, "book"));
        assertThat(shop.charging.await(30, TimeUnit.SECONDS)).isTrue();

        first.crash();
        shop.mayCharge.countDown();
        cluster.node(shop);

        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(shop.effects.stream().filter("reserve book"::equals)).hasSize(1);
        assertThat(shop.effects.stream().filter("ship 7"::equals)).hasSize(1);
        assertThat(shop.effects).contains("charge 7 attempt 1").endsWith("ship 7");
    }

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

    @Test
    void aWaitForAnEventTimesOut() {
        cluster.node(shop);
        JobId run = workflows().start("approval", null);
        awaitStatus(run, RunStatus.WAITING);

        cluster.clock().advance(Duration.ofHours(1));

        assertThat(ended(run).result()).contains("\"nobody\"");
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

    @Test
    void aResultThatCannotBeStoredFailsTheStep() {
        cluster.node(shop);
        JobId run = workflows().start("nul", null);

        RunInfo info = ended(run);
        assertThat(info.status()).isEqualTo(RunStatus.FAILED);
        assertThat(info.error().orElseThrow()).contains("step 'nul' failed");
        assertThat(shop.effects).containsExactly("nul");
    }

    @Test
    void aStepThatIsStoredIsProgressAfterWhichCrashesCountFromZero() throws InterruptedException {
        shop.mayCharge = new CountDownLatch(1);
        cluster.node(shop);
        JobId run = workflows().start(CHECKOUT, new Cart(7, "book"));
        assertThat(shop.charging.await(30, TimeUnit.SECONDS)).isTrue();
        database.execute("UPDATE muster_jobs SET crashes = 4");

        shop.shipBlocks = new CountDownLatch(1);
        shop.mayCharge.countDown();

        await().atMost(SOON).until(() -> database.number("SELECT max(crashes) FROM muster_jobs") == 0);
        shop.shipBlocks.countDown();
        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);
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
    void aTransactionalStepWritesItsEffectWithItsResult() throws SQLException {
        execute("CREATE TABLE bookings (amount int)");
        cluster.node(shop);
        JobId run = workflows().start("book", 5);

        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(workflows().steps(run)).extracting(StepInfo::status).containsExactly("completed");
        assertThat(database.column("SELECT amount FROM bookings")).containsExactly("5");
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void aCancelledRunCompensates() throws InterruptedException {
        shop.mayCharge = new CountDownLatch(1);
        cluster.node(shop);
        JobId run = workflows().start(CHECKOUT, new Cart(7, "book"));
        assertThat(shop.charging.await(30, TimeUnit.SECONDS)).isTrue();

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
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            workflows().in(connection).start(CHECKOUT, new Cart(1, "a"));
            connection.rollback();
        }
        assertThat(workflows().list(Workflows.RunQuery.all())).isEmpty();
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
        assertThat(shop.charging.await(30, TimeUnit.SECONDS)).isTrue();

        assertThat(withStatus(RunStatus.RUNNING)).containsExactly(run);
        assertThat(withStatus(RunStatus.PENDING)).as("a node executes it").isEmpty();

        shop.mayCharge.countDown();
        ended(run);
        assertThat(withStatus(RunStatus.COMPLETED)).containsExactly(run);
        assertThat(withStatus(RunStatus.RUNNING)).isEmpty();
    }

    private List<JobId> withStatus(RunStatus status) {
        Workflows.RunQuery query =
                new Workflows.RunQuery(Optional.empty(), Optional.empty(), Set.of(status), Optional.empty(), 10);
        return workflows().list(query).stream().map(RunInfo::id).toList();
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
}
