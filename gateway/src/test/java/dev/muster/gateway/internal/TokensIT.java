package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.access.AuditQuery;
import dev.muster.access.Scope;
import dev.muster.gateway.internal.GatewayNode.Response;
import dev.muster.gateway.internal.auth.Issuer;
import dev.muster.gateway.internal.auth.KeysServer;
import dev.muster.job.Job;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Callers with tokens of an issuer that publishes its keys. */
@MusterTest
class TokensIT {
    private static final String JOB = "{\"name\":\"greet\",\"args\":\"Ada\"}";

    static final class Greetings {
        @Job("greet")
        void greet(String name) {}
    }

    private static GatewayNode start(Cluster cluster, KeysServer server) {
        return GatewayNode.start(
                cluster, Map.of("jwt.issuer", Issuer.NAME, "jwt.jwks_url", server.url()), new Greetings());
    }

    /** A token of now, by the database's clock. */
    private static String token(Cluster cluster, Issuer issuer, String scope) {
        return issuer.sign(Issuer.claims(cluster.now(), scope));
    }

    @Test
    void theScopeOfATokenSaysWhatItsCallerMayDo(Cluster cluster) {
        Issuer issuer = Issuer.ec("k1");
        try (KeysServer server = new KeysServer(Issuer.published(issuer))) {
            GatewayNode gateway = start(cluster, server);
            String read = token(cluster, issuer, "read");
            String write = token(cluster, issuer, "write");
            String admin = token(cluster, issuer, "admin");

            assertThat(gateway.send("GET", "/_api/queues", read, null).status()).isEqualTo(200);
            assertThat(gateway.send("POST", "/_api/jobs", read, JOB).status()).isEqualTo(403);
            assertThat(gateway.send("POST", "/_api/jobs", write, JOB).status()).isEqualTo(201);
            assertThat(gateway.send("POST", "/_api/queues/default/pause", write, null)
                            .status())
                    .isEqualTo(403);
            assertThat(gateway.send("POST", "/_api/queues/default/pause", admin, null)
                            .status())
                    .isEqualTo(200);
            assertThat(cluster.client().audit().list(AuditQuery.newest()))
                    .anySatisfy(entry -> assertThat(entry.caller()).isEqualTo("jwt:ada"));
            Response stranger = gateway.send("GET", "/_api/queues", token(cluster, Issuer.ec("k1"), "admin"), null);
            assertThat(stranger.status()).isEqualTo(401);
            assertThat(stranger.body()).doesNotContain("key has signed");
        }
    }

    @Test
    void aTenantOfATokenConfinesItsCaller(Cluster cluster) {
        Issuer issuer = Issuer.ec("k1");
        try (KeysServer server = new KeysServer(Issuer.published(issuer))) {
            GatewayNode gateway = start(cluster, server);
            Map<String, @Nullable Object> claims = Issuer.claims(cluster.now(), "admin");
            claims.put("tenant", "acme");

            assertThat(gateway.send("POST", "/_api/queues/default/pause", issuer.sign(claims), null)
                            .status())
                    .isEqualTo(403);
        }
    }

    @Test
    void theIssuerReplacesItsKey(Cluster cluster) {
        Issuer old = Issuer.ec("old");
        Issuer fresh = Issuer.ec("fresh");
        try (KeysServer server = new KeysServer(Issuer.published(old))) {
            GatewayNode gateway = start(cluster, server);
            String signedWithOld = token(cluster, old, "read");
            assertThat(gateway.send("GET", "/_api/queues", signedWithOld, null).status())
                    .isEqualTo(200);

            server.publish(Issuer.published(fresh));

            assertThat(gateway.send("GET", "/_api/queues", token(cluster, fresh, "read"), null)
                            .status())
                    .isEqualTo(200);
            assertThat(gateway.send("GET", "/_api/queues", signedWithOld, null).status())
                    .as("a key that is not published any more")
                    .isEqualTo(401);
        }
    }

    @Test
    void aWithdrawnKeyIsRefusedAlsoIfNoOtherKeyIsUsed(Cluster cluster) {
        Issuer withdrawn = Issuer.ec("withdrawn");
        try (KeysServer server = new KeysServer(Issuer.published(withdrawn))) {
            GatewayNode gateway = start(cluster, server);
            assertThat(gateway.send("GET", "/_api/queues", token(cluster, withdrawn, "read"), null)
                            .status())
                    .isEqualTo(200);

            server.publish(Issuer.published(Issuer.ec("other")));
            cluster.clock().advance(Duration.ofMinutes(10));

            String later = withdrawn.sign(Issuer.claims(cluster.now(), "read"));
            assertThat(gateway.send("GET", "/_api/queues", later, null).status())
                    .isEqualTo(401);
        }
    }

    @Test
    void theDatabasesClockEndsAToken(Cluster cluster) {
        Issuer issuer = Issuer.ec("k1");
        try (KeysServer server = new KeysServer(Issuer.published(issuer))) {
            String ofNow = token(cluster, issuer, "read");
            cluster.clock().advance(Duration.ofHours(1));
            GatewayNode gateway = start(cluster, server);

            assertThat(gateway.send("GET", "/_api/queues", ofNow, null).status())
                    .as("it has expired an hour ago by the database's clock")
                    .isEqualTo(401);
            assertThat(gateway.send("GET", "/_api/queues", token(cluster, issuer, "read"), null)
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void whileTheKeysCannotBeReadTokensWaitAndApiKeysWork(Cluster cluster) {
        Issuer issuer = Issuer.ec("k1");
        try (KeysServer server = new KeysServer(Issuer.published(issuer))) {
            server.answerWith(500);
            GatewayNode gateway = start(cluster, server);

            Response answer = gateway.send("GET", "/_api/queues", token(cluster, issuer, "read"), null);
            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.text("error", "code")).isEqualTo("keys_unavailable");
            assertThat(answer.header("Retry-After")).isEqualTo("1");
            assertThat(gateway.send("GET", "/_api/queues", gateway.key(Scope.READ), null)
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void aNodeDoesNotStartWithABrokenKeysFile(Cluster cluster, @TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("keys.pem"), "nothing");

        assertThatThrownBy(() ->
                        GatewayNode.start(cluster, Map.of("jwt.issuer", Issuer.NAME, "jwt.keys_file", file.toString())))
                .hasStackTraceContaining("jwt.keys_file: the file " + file + " has no public key");
    }

    @Test
    void withoutAnIssuerNoTokenIsAccepted(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster);

        assertThat(gateway.send("GET", "/_api/queues", token(cluster, Issuer.ec("k1"), "admin"), null)
                        .status())
                .isEqualTo(401);
    }
}
