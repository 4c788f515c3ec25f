package dev.muster.examples.shop;

import static dev.muster.testkit.MusterAssertions.assertThat;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.access.Caller;
import dev.muster.examples.shop.OrderService.PlacedOrder;
import dev.muster.examples.shop.PaymentProvider.Busy;
import dev.muster.examples.shop.PaymentProvider.CardDeclined;
import dev.muster.function.FunctionCall;
import dev.muster.function.FunctionError;
import dev.muster.function.Functions;
import dev.muster.job.JobInfo;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import dev.muster.job.LogLine;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.FakeClock;
import dev.muster.testkit.InlineJobs;
import dev.muster.testkit.MusterTest;
import dev.muster.testkit.Node;
import dev.muster.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The shop's tests, as its own people would write them. */
@MusterTest(settings = "worker.lease=60s")
class OrderShopIT {
    private final Deque<Supplier<String>> answers = new ArrayDeque<>();
    private final AtomicInteger charges = new AtomicInteger();
    private OrderService shop;

    @BeforeEach
    void open(Cluster cluster, Jobs jobs, DataSource database) throws SQLException {
        OrderService.createTables(database);
        cluster.register(new OrderJobs(database, this::charge), new OrderFunctions());
        shop = new OrderService(database, jobs);
    }

    /** The payment provider: does what the test wants next, else takes the money. */
    private synchronized String charge(String reference, long cents) {
        charges.incrementAndGet();
        return answers.isEmpty() ? "receipt for " + reference : answers.poll().get();
    }

    private synchronized void next(Supplier<String> answer) {
        answers.add(answer);
    }

    @Test
    void anOrderIsChargedAndThenInvoiced(Cluster cluster, Jobs jobs, TestDatabase database) throws SQLException {
        PlacedOrder order = shop.place("Ada", 1_999);
        assertThat(jobs)
                .enqueued("charge_order")
                .withKey("charge-" + order.id())
                .once();
        assertThat(jobs).job(order.invoice()).hasStatus(JobStatus.WAITING);

        assertThat(cluster.drain()).extracting(JobInfo::name).containsExactly("charge_order", "write_invoice");

        assertThat(jobs).job(order.charge()).isCompleted().hasResult("receipt for order-" + order.id());
        assertThat(database.column("SELECT text FROM shop_invoices"))
                .containsExactly("Invoice for order " + order.id() + ": 19.99");
    }

    @Test
    void anOrderThatIsRolledBackLeavesNoJobs(Jobs jobs, DataSource database) throws SQLException {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            shop.enqueue(connection, 1, 100);
            connection.rollback();
        }
        assertThat(jobs).isEmpty();
    }

    @Test
    void anOrderOfNothingIsRefusedBeforeAnythingIsWritten(Jobs jobs) {
        assertThatThrownBy(() -> shop.place("Ada", 0)).hasMessageContaining("not 0 cents");
        assertThat(jobs).isEmpty();
    }

    @Test
    void enqueuingAnOrderTwiceChargesItOnce(Cluster cluster, DataSource database) throws SQLException {
        PlacedOrder order = shop.place("Ada", 100);
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            assertThat(shop.enqueue(connection, order.id(), 100)).isEqualTo(order);
            connection.commit();
        }
        cluster.drain();
        assertThat(charges).hasValue(1);
    }

    @Test
    void aProviderThatIsDownIsAskedAgainLater(Cluster cluster, Jobs jobs, FakeClock clock) throws SQLException {
        next(() -> {
            throw new IllegalStateException("connection refused");
        });
        PlacedOrder order = shop.place("Ada", 100);
        cluster.drain();
        assertThat(jobs)
                .job(order.charge())
                .isPending()
                .hasError("connection refused")
                .hasAttempt(1);

        clock.advance(ofSeconds(10));
        cluster.drain();
        assertThat(jobs).job(order.charge()).isCompleted().hasAttempt(2);
        assertThat(jobs).job(order.invoice()).isCompleted();
    }

    @Test
    void aProviderThatIsBusySaysWhenToComeBack(Cluster cluster, Jobs jobs, FakeClock clock) throws SQLException {
        next(() -> {
            throw new Busy(ofSeconds(90));
        });
        PlacedOrder order = shop.place("Ada", 100);
        cluster.drain();
        clock.advance(ofSeconds(80));
        assertThat(cluster.drain()).isEmpty();
        clock.advance(ofSeconds(10));
        cluster.drain();
        assertThat(jobs).job(order.charge()).isCompleted().hasAttempt(2);
    }

    @Test
    void aDeclinedCardIsNotAskedAgainAndThereIsNoInvoice(Cluster cluster, Jobs jobs, TestDatabase database)
            throws SQLException {
        next(() -> {
            throw new CardDeclined("card declined");
        });
        PlacedOrder order = shop.place("Ada", 100);
        cluster.drain();
        assertThat(jobs).job(order.charge()).failedWith("card declined").hasAttempt(1);
        assertThat(jobs).job(order.invoice()).isCancelled();
        assertThat(database.number("SELECT count(*) FROM shop_invoices")).isZero();
    }

    @Test
    void afterTheLastAttemptTheChargeIsADeadLetter(Cluster cluster, Jobs jobs) throws SQLException {
        for (int i = 0; i < 4; i++) {
            next(() -> {
                throw new IllegalStateException("connection refused");
            });
        }
        PlacedOrder order = shop.place("Ada", 100);
        cluster.fastForward(ofSeconds(3_600));
        assertThat(jobs).job(order.charge()).failedWith("connection refused").hasAttempt(4);
        assertThat(charges).hasValue(4);
    }

    @Test
    void anOrderCanBeCalledOffBeforeItIsCharged(Cluster cluster, Jobs jobs) throws SQLException {
        PlacedOrder order = shop.place("Ada", 100);
        assertThat(shop.cancel(order)).isTrue();
        assertThat(cluster.drain()).isEmpty();
        assertThat(charges).hasValue(0);
        assertThat(jobs).job(order.invoice()).isCancelled();
        assertThat(shop.cancel(order)).isFalse();
    }

    @Test
    void theCustomersPageShowsWhatIsGoingOn(Cluster cluster, Jobs jobs) throws SQLException {
        PlacedOrder order = shop.place("Ada", 100);
        shop.place("Grace", 200);
        cluster.drain();
        assertThat(shop.jobsOf(order.id()))
                .extracting(JobInfo::name)
                .containsExactlyInAnyOrder("charge_order", "write_invoice");
        assertThat(jobs.logs(order.charge(), 0, 10))
                .extracting(LogLine::message)
                .containsExactly("charged 100 cents, receipt receipt for order-" + order.id());
    }

    @Test
    void revenueIsCountedOncePerDay(Cluster cluster, TestDatabase database) throws SQLException {
        shop.place("Ada", 100);
        shop.place("Grace", 250);
        cluster.node();
        cluster.awaitIdle();
        assertThat(cluster.awaitTick("daily_revenue")).isCompleted();
        assertThat(database.column("SELECT cents::text FROM shop_revenue")).containsExactly("350");
    }

    @Test
    void nodesShareTheOrders(Cluster cluster, TestDatabase database) throws SQLException {
        cluster.node();
        cluster.node();
        for (int i = 1; i <= 20; i++) {
            shop.place("customer " + i, i * 100);
        }
        cluster.awaitIdle();
        assertThat(database.number("SELECT count(DISTINCT order_id) FROM shop_invoices"))
                .isEqualTo(20);
        assertThat(database.number("SELECT count(*) FROM shop_payments")).isEqualTo(20);
    }

    @Test
    void aNodeThatDiesLosesNoOrderAndChargesNoneTwice(Cluster cluster, FakeClock clock, TestDatabase database)
            throws SQLException {
        Node victim = cluster.node();
        for (int i = 1; i <= 10; i++) {
            shop.place("customer " + i, 100);
        }
        victim.crash();
        cluster.node();
        clock.advance(ofSeconds(61));
        cluster.awaitIdle();
        assertThat(database.number("SELECT count(*) FROM shop_payments")).isEqualTo(10);
        assertThat(database.number("SELECT count(*) FROM shop_invoices")).isEqualTo(10);
    }

    @Test
    void whatIsEnqueuedCanBeTestedWithoutTheJobs(DataSource database) throws SQLException {
        InlineJobs recorded = new InlineJobs();
        PlacedOrder order = new OrderService(database, recorded).place("Ada", 4_200);
        assertThat(recorded)
                .enqueued(OrderJobs.CHARGE_ORDER)
                .withArgs(new OrderJobs.Order(order.id(), 4_200))
                .withKey("charge-" + order.id())
                .once();
        assertThat(recorded).enqueued(OrderJobs.WRITE_INVOICE).once();
    }

    private static String call(Functions functions, String name, String args) {
        return functions
                .call(new FunctionCall(name, args, Caller.program("app"), "request-1"))
                .json();
    }

    @Test
    void othersPlaceOrdersAndAskForThem(Cluster cluster, Functions functions) {
        assertThat(call(functions, "place_order", "{\"customer\":\"Ada\",\"cents\":1999}"))
                .startsWith("{\"id\":1,\"charge\":\"");
        assertThat(call(functions, "order", "{\"id\":1}"))
                .isEqualTo("{\"id\":1,\"customer\":\"Ada\",\"cents\":1999,\"receipt\":null}");

        assertThat(cluster.drain()).extracting(JobInfo::name).containsExactly("charge_order", "write_invoice");

        assertThat(call(functions, "order", "{\"id\":1}")).contains("\"receipt\":\"receipt for order-1\"");
    }

    @Test
    void whatIsWrongIsToldToThoseWhoCall(Functions functions, Jobs jobs, TestDatabase database) {
        assertThatThrownBy(() -> call(functions, "order", "{\"id\":7}"))
                .isInstanceOfSatisfying(
                        FunctionError.class, error -> assertThat(error.code()).isEqualTo("no_such_order"));
        assertThatThrownBy(() -> call(functions, "place_order", "{\"customer\":\"Ada\",\"cents\":0}"))
                .hasMessage("an order costs something");
        assertThat(jobs).isEmpty();
        assertThat(database.number("SELECT count(*) FROM shop_orders")).isZero();
    }
}
