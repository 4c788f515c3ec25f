package dev.muster.function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.testing.Measured;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The transaction of a call: what commits with it, its isolation, conflicts, lost connections and time limits. */
class FunctionTransactionsIT extends FunctionsOnTables {
    /** Two serializable transactions each read what the other one writes: one of the first two has to give way. */
    private void countAndInsert() {
        CyclicBarrier bothHaveRead = new CyclicBarrier(2);
        AtomicInteger ids = new AtomicInteger();
        shop.mutation = ctx -> {
            String count = text(ctx.connection(), "SELECT count(*) FROM orders");
            int id = ids.incrementAndGet();
            if (id <= 2) {
                bothHaveRead.await(90, TimeUnit.SECONDS);
            }
            insert(ctx, id, "after " + count);
            ctx.jobs().enqueue("process_order", id);
            return id;
        };
    }

    private List<Object> callTwice(String name) throws Exception {
        Supplier<Object> one = () -> {
            try {
                return call(name, null).json();
            } catch (FunctionException e) {
                return e.code();
            }
        };
        CompletableFuture<Object> first = CompletableFuture.supplyAsync(one);
        CompletableFuture<Object> second = CompletableFuture.supplyAsync(one);
        return List.of(first.get(90, TimeUnit.SECONDS), second.get(90, TimeUnit.SECONDS));
    }

    private void terminate(FunctionContext ctx) throws SQLException {
        database.execute(
                "SELECT pg_terminate_backend(" + text(ctx.connection(), "SELECT pg_backend_pid()") + ", 10000)");
    }

    @Test
    void aMutationThatThrowsLeavesNothing() {
        FunctionException error = failure("place_order", "{\"id\":7,\"article\":\"sold out\"}");

        assertThat(error.code()).isEqualTo("sold_out");
        assertThat(orders()).isZero();
        assertThat(jobs()).isZero();
    }

    @Test
    void aResultThatCannotBeWrittenRollsBack() {
        shop.mutation = ctx -> {
            insert(ctx, 1, "tea");
            return new Object() {
                @SuppressWarnings("unused")
                public String getArticle() {
                    throw new IllegalStateException("no article");
                }
            };
        };

        assertThat(failure("mutation", null)).isInstanceOf(FunctionException.Failed.class);
        assertThat(orders()).isZero();
    }

    /** Muster's own pool ends a connection that has refused a write, so that the transaction cannot be rolled back. */
    @Test
    void aQueryThatWritesFailsForGood() {
        shop.query = ctx -> {
            execute(ctx.connection(), "INSERT INTO orders VALUES (1, 'tea')");
            return null;
        };
        String refusal = "'query' is a query and has tried to write, which a query may not do";
        assertThat(failure("query", null))
                .isInstanceOf(FunctionException.Failed.class)
                .hasMessage(refusal);
        MusterConfig ownPool = MusterConfig.defaults().with(STEADY).with("database.url", database.url());
        try (Muster node = Muster.builder().config(ownPool).register(shop).build()) {
            assertThatThrownBy(() -> node.functions().call(new FunctionCall("query", null, ADA, "req-1")))
                    .isInstanceOf(FunctionException.Failed.class)
                    .hasMessage(refusal);
        }
    }

    @Test
    void aQueryCannotWrite() {
        shop.query = ctx -> {
            insert(ctx, 1, "tea");
            return null;
        };
        assertThat(failure("query", null))
                .isInstanceOf(FunctionException.Failed.class)
                .hasRootCauseMessage("ERROR: cannot execute INSERT in a read-only transaction");

        shop.query = ctx -> muster.jobs().in(ctx.connection()).enqueue("process_order", 1);
        assertThat(failure("query", null).getCause()).hasMessageContaining("read-only transaction");
        assertThat(jobs()).isZero();
    }

    @Test
    void aHandlerCannotEndItsTransaction() {
        shop.mutation = ctx -> {
            Connection connection = ctx.connection();
            insert(ctx, 1, "tea");
            for (Ending ending : List.<Ending>of(
                    Connection::commit,
                    Connection::rollback,
                    c -> c.setAutoCommit(true),
                    c -> c.setReadOnly(true),
                    c -> c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE),
                    c -> c.abort(Runnable::run))) {
                assertThatThrownBy(() -> ending.end(connection))
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("is not for functions");
            }
            connection.close();
            Savepoint before = connection.setSavepoint();
            insert(ctx, 2, "coffee");
            connection.rollback(before);
            assertThat(ctx.connection()).isSameAs(connection).isEqualTo(connection);
            throw new IllegalStateException("all of it is rolled back");
        };

        assertThat(failure("mutation", null)).hasRootCauseMessage("all of it is rolled back");
        assertThat(orders()).isZero();
    }

    @Test
    void aMutationHasTheIsolationThatItAsksFor() {
        shop.mutation = ctx -> text(ctx.connection(), "SHOW transaction_isolation");
        shop.query = ctx -> text(ctx.connection(), "SHOW transaction_read_only");

        assertThat(call("mutation", null).json()).isEqualTo("\"read committed\"");
        assertThat(call("serializable", null).json()).isEqualTo("\"serializable\"");
        assertThat(call("hasty", null).json()).isEqualTo("\"repeatable read\"");
        assertThat(call("query", null).json()).isEqualTo("\"on\"");
    }

    @Test
    void aConflictIsToldToTheCaller() throws Exception {
        countAndInsert();

        assertThat(callTwice("serializable")).contains("conflict").doesNotHaveDuplicates();

        assertThat(shop.runs).hasValue(2);
        assertThat(orders()).isEqualTo(1);
        assertThat(jobs()).isEqualTo(1);
    }

    @Test
    void aMutationThatSaysSoIsRepeatedAfterAConflict() throws Exception {
        countAndInsert();

        assertThat(callTwice("repeated")).doesNotContain("conflict");

        assertThat(shop.runs.get()).isGreaterThan(2);
        assertThat(database.column("SELECT article FROM orders ORDER BY id")).containsExactly("after 0", "after 1");
        assertThat(jobs()).isEqualTo(2);
    }

    /** The driver reports the commit of such a transaction as done, although the server rolls it back. */
    @Test
    void aFailedStatementThatTheHandlerHidesIsNoSuccess() {
        shop.mutation = ctx -> {
            insert(ctx, 1, "tea");
            ctx.jobs().enqueue("process_order", 1);
            assertThatThrownBy(() -> insert(ctx, 1, "tea")).isInstanceOf(SQLException.class);
            return "all is well";
        };

        assertThat(failure("mutation", null))
                .isInstanceOf(FunctionException.Failed.class)
                .hasRootCauseMessage(
                        "a statement of the transaction failed, and the code that sent it returned all the same; it is rolled back");
        assertThat(orders()).isZero();
        assertThat(jobs()).isZero();
    }

    @Test
    void otherErrorsAreNotRepeated() {
        shop.mutation = ctx -> {
            insert(ctx, 1, "tea");
            insert(ctx, 1, "tea");
            return null;
        };
        assertThat(failure("repeated", null)).isInstanceOf(FunctionException.Failed.class);
        assertThat(shop.runs).hasValue(1);

        shop.mutation = ctx -> {
            insert(ctx, 1, "tea");
            execute(ctx.connection(), "INSERT INTO checked VALUES (2)");
            return "the commit finds out";
        };
        assertThat(failure("repeated", null)).isInstanceOf(FunctionException.Failed.class);
        assertThat(shop.runs).hasValue(2);
        assertThat(orders()).isZero();
    }

    @Test
    void aConnectionThatBreaksBeforeTheCommitLeavesNothing() {
        shop.mutation = ctx -> {
            insert(ctx, 1, "tea");
            ctx.jobs().enqueue("process_order", 1);
            terminate(ctx);
            insert(ctx, 2, "coffee");
            return null;
        };

        assertThat(failure("repeated", null)).isInstanceOf(FunctionException.Unavailable.class);
        assertThat(shop.runs).hasValue(1);
        assertThat(orders()).isZero();
        assertThat(jobs()).isZero();
    }

    @Test
    void aConnectionThatBreaksDuringTheCommitLeavesItUnknown() {
        shop.mutation = ctx -> {
            insert(ctx, 1, "tea");
            terminate(ctx);
            return null;
        };

        FunctionException failure = failure("repeated", null);

        assertThat(failure)
                .isInstanceOf(FunctionException.CommitUnknown.class)
                .hasMessageContaining("may or may not have been committed");
        assertThat(failure.code()).isEqualTo("outcome_unknown");
        assertThat(shop.runs).hasValue(1);
        assertThat(orders()).isZero();
    }

    /** A thread that waits for the server cannot be interrupted; the server ends the statement. */
    @Test
    void aStatementThatTakesTooLongEndsWithTheCall() {
        shop.mutation = ctx -> {
            insert(ctx, 1, "tea");
            execute(ctx.connection(), "SELECT pg_sleep(600)");
            return null;
        };
        long began = System.nanoTime();

        FunctionException failure = failure("hasty", null);

        assertThat(failure).isInstanceOf(FunctionException.Timeout.class);
        Measured.within(
                Duration.ofSeconds(30), Duration.ofNanos(System.nanoTime() - began), "a call with a long statement");
        assertThat(Thread.interrupted()).isFalse();
        assertThat(orders()).isZero();
    }

    @Test
    void aLoopOfShortStatementsEndsWithTheCallToo() {
        AtomicInteger statements = new AtomicInteger();
        shop.mutation = ctx -> {
            while (statements.incrementAndGet() < 10_000_000) {
                text(ctx.connection(), "SELECT 1");
            }
            return "never";
        };

        assertThat(failure("hasty", null))
                .isInstanceOf(FunctionException.Timeout.class)
                .hasRootCauseMessage("the time of the call of 'hasty' is over");
    }

    @Test
    void aMutationThatReturnsTooLateIsRolledBack() {
        shop.mutation = ctx -> {
            insert(ctx, 1, "tea");
            ctx.jobs().enqueue("process_order", 1);
            while (!ctx.isCancelled()) {
                Thread.onSpinWait();
            }
            return "done, but too late";
        };

        assertThat(failure("hasty", null)).isInstanceOf(FunctionException.Timeout.class);
        assertThat(orders()).isZero();
        assertThat(jobs()).isZero();
    }

    @Test
    void anEmptyPoolMakesACallWaitNoLongerThanItsTimeout() throws SQLException {
        shop.mutation = ctx -> text(ctx.connection(), "SELECT 1");
        Connection[] all = new Connection[4];
        for (int i = 0; i < all.length; i++) {
            all[i] = pool.getConnection();
        }
        try {
            assertThat(failure("hasty", null)).isInstanceOf(FunctionException.Timeout.class);
        } finally {
            for (Connection connection : all) {
                connection.close();
            }
        }
        assertThat(call("hasty", null).json()).isEqualTo("\"1\"");
    }
}
