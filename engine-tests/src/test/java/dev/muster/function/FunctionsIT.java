package dev.muster.function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.Muster;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.ObserverRefusal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What functions see, return and refuse, and where they run. */
class FunctionsIT extends FunctionsOnTables {
    @Test
    void aMutationCommitsItsRowsAndItsJobsTogether() {
        FunctionResult result = call("place_order", "{\"id\":7,\"article\":\"tea\"}");

        JobInfo job = muster.jobs().list(JobQuery.all()).get(0);
        assertThat(result.json()).isEqualTo("\"" + job.id() + "\"");
        assertThat(job.args()).isEqualTo("7");
        assertThat(call("order", "{\"id\":7}").json()).isEqualTo("{\"id\":7,\"article\":\"tea\"}");
        assertThat(call("order", "{\"id\":8}").json()).isEqualTo("null");
    }

    @Test
    void anUnknownFieldIsRefusedWithItsPath() {
        FunctionException error = failure("place_order", "{\"id\":7,\"article\":\"tea\",\"colour\":\"red\"}");

        assertThat(error).isInstanceOf(FunctionException.InvalidArgs.class).hasMessageContaining("colour");
        assertThat(orders()).isZero();
    }

    /** Within much less than the ten seconds after which an idle node polls. */
    @Test
    void anIdleNodeRunsTheJobRightAfterTheCommit() throws Exception {
        Muster worker = node(Map.of("worker.max_poll_interval", "10m", "worker.poll_interval", "10m"), shop);
        JobId first = worker.jobs().enqueue("process_order", 1);
        ended(worker, first);

        call("place_order", "{\"id\":7,\"article\":\"tea\"}");

        JobId id = muster.jobs().list(JobQuery.all().limit(1)).get(0).id();
        assertThat(worker.jobs().await(id, PATIENCE).status()).isEqualTo(JobStatus.COMPLETED);
        assertThat(shop.processed).hasValue(8);
    }

    @Test
    void aFunctionThatUsesNoConnectionTakesNone() throws SQLException {
        shop.query = ctx -> "nothing";
        shop.mutation = ctx -> "nothing";
        Connection[] all = new Connection[4];
        for (int i = 0; i < all.length; i++) {
            all[i] = pool.getConnection();
        }
        try {
            assertThat(call("query", null).json()).isEqualTo("\"nothing\"");
            assertThat(call("mutation", null).json()).isEqualTo("\"nothing\"");
        } finally {
            for (Connection connection : all) {
                connection.close();
            }
        }
    }

    @Test
    void theContextIsOfNoUseAfterTheCall() throws SQLException {
        Object[] kept = new Object[3];
        shop.mutation = ctx -> {
            kept[0] = ctx;
            kept[1] = ctx.connection();
            kept[2] = ctx.jobs();
            return null;
        };
        call("mutation", null);

        assertThatThrownBy(() -> ((MutationContext) kept[0]).connection())
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("has ended");
        assertThatThrownBy(() -> execute((Connection) kept[1], "INSERT INTO orders VALUES (1, 'tea')"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("has ended");
        assertThat(((Connection) kept[1]).isClosed()).isTrue();
        assertThatThrownBy(() -> ((dev.muster.job.Enqueuer) kept[2]).enqueue("process_order", 1))
                .isInstanceOf(MusterException.class);
        assertThat(jobs()).isZero();
    }

    @Test
    void aLimitIsSharedByAllNodes() {
        Muster other = builder(Map.of(), shop).dataSource(pool).build();
        try {
            assertThat(call("rare", null).permit().orElseThrow().decision().remaining())
                    .isZero();
            assertThatThrownBy(() -> other.functions().call(new FunctionCall("rare", null, ADA, "req-2")))
                    .isInstanceOf(FunctionException.TooManyCalls.class);
        } finally {
            other.close();
        }
    }

    @Test
    void onlyNodesWithTheRoleRunFunctions() {
        Muster worker = builder(Map.of("node.roles", "worker"), shop).build();
        Muster observer = builder(Map.of("node.mode", "observer"), shop).build();
        try {
            assertThatThrownBy(() -> worker.functions().call(new FunctionCall("order", "{\"id\":1}", ADA, "req-1")))
                    .isInstanceOf(FunctionException.NotServed.class);
            assertThat(observer.functions()
                            .call(new FunctionCall("order", "{\"id\":1}", ADA, "req-1"))
                            .json())
                    .isEqualTo("null");
            assertThat(observer.functions()
                            .call(new FunctionCall("rare", null, ADA, "req-1"))
                            .permit())
                    .isPresent();
            assertThatThrownBy(() -> observer.functions().call(new FunctionCall("mutation", null, ADA, "req-1")))
                    .isInstanceOf(ObserverRefusal.class);
        } finally {
            worker.close();
            observer.close();
        }
    }

    @Test
    void twoFunctionsOfOneNameAreRefusedAtBuild() {
        class Other {
            @Query
            void placeOrder() {}
        }

        assertThatThrownBy(() -> builder(Map.of(), shop, new Other()).build())
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("two functions have the name 'place_order'");
    }
}
