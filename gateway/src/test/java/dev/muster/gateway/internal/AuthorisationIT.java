package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.CreatedKey;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.function.Mutation;
import dev.muster.function.MutationContext;
import dev.muster.function.Query;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.gateway.internal.RawHttp.Raw;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Route.Tenants;
import dev.muster.job.Job;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.testkit.Cluster;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every route with every kind of caller, by enumeration of the list of routes. */
@Order(1)
class AuthorisationIT {
    @RegisterExtension
    static final SharedGateway SHARED = SharedGateway.with(new Shop());

    private final Cluster cluster = SHARED.cluster();
    private final GatewayNode gateway = SHARED.gateway();

    private static final String UNKNOWN_ID = "01900000-0000-7000-8000-000000000000";

    static final class Shop {
        @Job("greet")
        void greet(String name) {}

        @Query
        String hello() {
            return "hello";
        }

        @Mutation
        String order(MutationContext ctx) {
            ctx.jobs().enqueue("greet", "Ada");
            return "ordered";
        }
    }

    /** The route's path with ids that nothing has; what is called by name is called by one that exists nowhere. */
    private static String path(Route route) {
        return route.path()
                .replace(
                        "{id}",
                        route.path().contains("/nodes/") || route.path().contains("/keys/") ? "nobody" : UNKNOWN_ID)
                .replace("{function}", "hello")
                .replaceAll("\\{[a-z]+}", "nobody")
                .concat(isStream(route) ? "?last_event_id=1-" + UNKNOWN_ID : "");
    }

    /** A stream from a position that is too old ends at once. */
    private static boolean isStream(Route route) {
        return route.response().filter(Route.EVENT_STREAM::equals).isPresent();
    }

    private static Response call(GatewayNode gateway, Route route, @Nullable String key) {
        String body = route.request().isPresent() && !route.path().contains("rpc") ? "{}" : null;
        return gateway.send(route.method().name(), path(route), key, body);
    }

    private static final List<Route> GUARDED =
            Routes.all().stream().filter(route -> route.scope().isPresent()).toList();

    @Test
    void onlyTheProbesAndTheDashboardAreOpen() {
        assertThat(Routes.all().stream()
                        .filter(route -> route.scope().isEmpty())
                        .map(route -> route.kind() + " " + route))
                .containsExactlyInAnyOrder(
                        "PROBE GET /_api/health", "PROBE GET /_api/ready", "FILE GET /", "FILE GET /assets/{path}");
        assertThat(GUARDED).allSatisfy(route -> assertThat(route.kind()).isEqualTo(Route.Kind.GUARDED));
    }

    @EnabledOnOs(value = OS.LINUX, disabledReason = "only on Linux are all addresses 127.x.y.z those of this machine")
    @Test
    void nobodyGetsInWithoutALiveKey() throws SQLException {
        CreatedKey expired = gateway.create(KeyRequest.of("expired", Scope.ADMIN));
        execute(cluster, "UPDATE muster_api_keys SET expires_at = now() - interval '1 second' WHERE id = ?", expired);
        CreatedKey revoked = gateway.create(KeyRequest.of("revoked", Scope.ADMIN));
        String good = gateway.key(Scope.ADMIN);
        assertThat(gateway.send("GET", "/_api/queues", revoked.key(), null).status())
                .isEqualTo(200);
        cluster.client().apiKeys().revoke(revoked.info().id());
        SoftAssertions softly = new SoftAssertions();
        String wrong = good.substring(0, good.length() - 1) + (good.endsWith("A") ? "B" : "A");
        for (int i = 0; i < GUARDED.size(); i++) {
            Route route = GUARDED.get(i);
            softly.assertThat(call(gateway, route, null).status())
                    .as("%s without a key", route)
                    .isEqualTo(401);
            for (String bad : List.of(expired.key(), revoked.key(), wrong, "mk_", "x.y.z")) {
                // From an address of its own: one that sends many wrong keys gets 429.
                Raw refused = RawHttp.send(gateway.port(), "127.0.2." + (i + 1), request(route, bad));
                softly.assertThat(refused.status())
                        .as("%s with a dead key: %s", route, refused.text())
                        .isEqualTo(401);
                softly.assertThat(refused.body()).contains("\"success\":false");
            }
        }
        softly.assertAll();
    }

    private static byte[] request(Route route, String key) {
        return (route.method() + " " + path(route) + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + key
                        + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static void execute(Cluster cluster, String sql, CreatedKey key) throws SQLException {
        try (Connection connection = cluster.database().dataSource().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, key.info().id());
            assertThat(statement.executeUpdate()).isEqualTo(1);
        }
    }

    @Test
    void aScopeOpensItsRoutesAndNoOthers() {
        SoftAssertions softly = new SoftAssertions();
        for (Route route : GUARDED) {
            for (Scope scope : Scope.known()) {
                Response answer = call(gateway, route, gateway.key(scope));
                boolean allowed = scope.includes(route.scope().orElseThrow());
                softly.assertThat(answer.status())
                        .as("%s with the scope %s: %s", route, scope, answer.body())
                        .satisfies(status -> {
                            if (allowed) {
                                assertThat(status).isNotIn(401, 403).isLessThan(500);
                            } else {
                                assertThat(status).isEqualTo(403);
                            }
                        });
            }
        }
        softly.assertAll();
    }

    @Test
    void aTenantGetsNothingOfTheClusterAsAWhole() {
        String acme = gateway.create(KeyRequest.of("acme", Scope.ADMIN).tenant("acme"))
                .key();
        JobId foreign = cluster.client()
                .jobs()
                .enqueue(JobRequest.of("greet", "Bob")
                        .metadata("tenant", "globex")
                        .tags("secret"));
        SoftAssertions softly = new SoftAssertions();
        for (Route route : GUARDED) {
            boolean confined = route.tenants() == Tenants.CONFINED;
            boolean oneJob = route.path().startsWith("/_api/jobs/{id}");
            String body = route.path().endsWith("reschedule")
                    ? "{\"delay\":\"1s\"}"
                    : route.path().endsWith("reprioritise") ? "{\"priority\":\"high\"}" : "{}";
            Response answer = gateway.send(
                    route.method().name(),
                    oneJob ? route.path().replace("{id}", foreign.toString()) : path(route),
                    acme,
                    route.request().isPresent() && !route.path().contains("rpc") ? body : null);
            if (oneJob) {
                softly.assertThat(answer.status())
                        .as("%s of another tenant: %s", route, answer.body())
                        .isEqualTo(404);
            } else if (confined) {
                softly.assertThat(answer.status())
                        .as("%s: %s", route, answer.body())
                        .isNotIn(401, 403)
                        .isLessThan(500);
            } else {
                softly.assertThat(answer.status())
                        .as("%s: %s", route, answer.body())
                        .isEqualTo(403);
            }
            softly.assertThat(answer.body()).as("%s", route).doesNotContain("globex", "secret");
        }
        softly.assertAll();
        assertThat(cluster.client().jobs().find(foreign)).isPresent();
    }

    @Test
    void anObserverRefusesEveryWriteAndSaysWhy() {
        String admin = cluster.client()
                .apiKeys()
                .create(KeyRequest.of("admin", Scope.ADMIN))
                .key();
        GatewayNode observer = GatewayNode.start(cluster, Map.of("node.mode", "observer"), new Shop());
        SoftAssertions softly = new SoftAssertions();
        for (Route route : GUARDED) {
            Response answer = call(observer, route, admin);
            if (route.writes()) {
                softly.assertThat(answer.status())
                        .as("%s: %s", route, answer.body())
                        .isEqualTo(403);
                softly.assertThat(answer.text("error", "code")).isEqualTo("observer");
            } else {
                softly.assertThat(answer.status())
                        .as("%s: %s", route, answer.body())
                        .isNotIn(401, 403)
                        .isLessThan(500);
            }
        }
        Response execute = observer.send(
                "POST",
                "/",
                admin,
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks.execute\",\"params\":{\"tasks\":[]}}");
        softly.assertThat(execute.text("error", "data", "code")).isEqualTo("observer");
        softly.assertAll();
    }
}
