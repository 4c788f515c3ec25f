package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.Muster;
import dev.muster.access.AuditEntry;
import dev.muster.access.AuditQuery;
import dev.muster.access.Caller;
import dev.muster.access.Scope;
import dev.muster.config.MusterConfig;
import dev.muster.gateway.GatewayServlet;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.job.Job;
import dev.muster.job.JobRequest;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A gateway inside of another web server, which says who calls. */
@MusterTest
class MountedGatewayIT {

    static final class Shop {
        @Job("greet")
        void greet(String name) {}
    }

    private final AtomicReference<@Nullable Caller> caller = new AtomicReference<>();
    private @Nullable Muster muster;
    private @Nullable Server server;
    private GatewayNode gateway;

    @BeforeEach
    void start(Cluster cluster) throws Exception {
        cluster.register(new Shop());
        cluster.client().migrate();
        MusterConfig config = MusterConfig.defaults();
        GatewayServlet servlet = new GatewayServlet(config, request -> Optional.ofNullable(caller.get()));
        muster = Muster.builder()
                .config(config)
                .dataSource(cluster.database().dataSource())
                .set("node.roles", "gateway")
                .gateway(servlet.gateway())
                .register(new Shop())
                .build();
        muster.start();
        server = new Server(0);
        ServletContextHandler context = new ServletContextHandler("/");
        ServletHolder holder = new ServletHolder(GatewayServlet.NAME, servlet);
        holder.setAsyncSupported(true);
        context.addServlet(holder, "/muster/*");
        server.setHandler(context);
        server.start();
        gateway = GatewayNode.of(cluster, ((ServerConnector) server.getConnectors()[0]).getLocalPort());
    }

    @AfterEach
    void stop() throws Exception {
        if (server != null) {
            server.stop();
        }
        if (muster != null) {
            muster.close();
        }
    }

    private static Caller named(String id, String name, @Nullable String tenant) {
        return Caller.builder(id, name, Scope.ADMIN)
                .tenant(Optional.ofNullable(tenant))
                .build();
    }

    private Response asks(@Nullable Caller who, String path) {
        caller.set(who);
        return gateway.exchange("GET", "/muster" + path, null, null);
    }

    @Test
    void theCallerIsTheOneThatTheApplicationNames(Cluster cluster) {
        Jobs.enqueue(cluster, "a");
        Jobs.enqueue(cluster, "b");

        assertThat(asks(null, "/_api/jobs").status()).isEqualTo(401);
        assertThat((List<?>) asks(named("user:ada", "Ada", null), "/_api/jobs").at("jobs"))
                .hasSize(2);
        assertThat((List<?>) asks(named("user:ada", "Ada", "a"), "/_api/jobs").at("jobs"))
                .hasSize(1);
        assertThat(asks(named("user:ada", "Ada", "a"), "/_api/me").text("tenant"))
                .isEqualTo("a");
        // Two tenants that differ in a character that looks like none are two.
        assertThat((List<?>) asks(named("user:ada", "Ada", "a b"), "/_api/jobs").at("jobs"))
                .isEmpty();
        caller.set(named("user:ada", "Ada", null));
        assertThat(gateway.exchange("POST", "/muster/_api/queues/mail/pause", null, null)
                        .status())
                .isEqualTo(200);
        assertThat(cluster.client().audit().list(AuditQuery.newest()))
                .first()
                .extracting(AuditEntry::caller, AuditEntry::callerName)
                .containsExactly("user:ada", "Ada");
    }

    @Test
    void aCallerWhoseTenantIsNoneIsRefusedInsteadOfSeeingAll(Cluster cluster) {
        Jobs.enqueue(cluster, "a");
        for (Caller wrong : List.of(
                named("user:ada", "Ada", ""),
                named("user:ada", "Ada", " "),
                named("user:ada", "Ada", " a"),
                named("user:ada", "Ada", "a\nb"),
                named("user:ada", "Ada", "a\u202eb"),
                named("user:ada", "Ada", "x".repeat(101)),
                named("", "Ada", null),
                named("user:\r\nada", "Ada", null),
                named("user:ada", "", null),
                named("user:ada", "A\u009bda", null),
                named("user:" + "x".repeat(300), "Ada", null),
                named("key:abc", "Ada", null),
                named("jwt:ada", "Ada", null))) {
            Response answer = asks(wrong, "/_api/jobs");

            assertThat(answer.status()).as(wrong + " " + answer.body()).isEqualTo(403);
            assertThat(answer.text("error", "code")).isEqualTo("forbidden");
        }
    }

    /** Jobs of tenants. */
    private static final class Jobs {
        static void enqueue(Cluster cluster, String tenant) {
            cluster.client()
                    .jobs()
                    .enqueue(JobRequest.of("greet", "Ada").queue("elsewhere").metadata("tenant", tenant));
        }
    }
}
