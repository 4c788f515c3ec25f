package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.access.Scope;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway that speaks HTTPS. */
@MusterTest
class TlsIT {
    private static final Certificate FIRST = Certificate.of("EC");
    private static final Certificate SECOND = Certificate.of("RSA");

    private CertificateFiles files;

    @BeforeEach
    void writeTheFirst(@TempDir Path folder) {
        files = Certificate.files(folder);
        FIRST.write(files);
    }

    private Map<String, String> settings() {
        return Map.of(
                "gateway.tls_certificate",
                files.certificate().toString(),
                "gateway.tls_key",
                files.key().toString());
    }

    @Test
    void everythingIsServedOverTlsAndNothingWithoutIt(Cluster cluster) throws IOException {
        GatewayNode gateway = GatewayNode.start(cluster, settings());
        String key = gateway.key(Scope.READ);

        try (TlsConnection connection = new TlsConnection(gateway.port(), FIRST)) {
            assertThat(connection.protocol()).isEqualTo("TLSv1.3");
            assertThat(connection.get("/_api/health", "none")).isEqualTo(200);
            assertThat(connection.get("/_api/queues", key)).isEqualTo(200);
            assertThat(connection.get("/_api/queues", "none")).isEqualTo(401);
        }
        try (TlsConnection connection = new TlsConnection(gateway.port(), FIRST, "TLSv1.2")) {
            assertThat(connection.get("/_api/health", "none")).isEqualTo(200);
        }
        assertThatThrownBy(() -> new TlsConnection(gateway.port(), SECOND)).isInstanceOf(SSLHandshakeException.class);
        assertThat(RawHttp.send(gateway.port(), "GET /_api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                        .status())
                .isNotEqualTo(200);
    }

    /** Clients of this JVM cannot even try, so this is the first message of one, byte by byte. */
    @Test
    void olderVersionsOfTlsAreRefused(Cluster cluster) {
        GatewayNode gateway = GatewayNode.start(cluster, settings());

        for (int minor = 1; minor <= 2; minor++) {
            String answer = RawHttp.send(gateway.port(), "127.0.0.1", clientHello(minor))
                    .text();

            assertThat(answer).as("an alert").startsWith("\u0015\u0003");
            assertThat(answer.substring(5)).as("fatal, protocol_version").startsWith("\u0002\u0046");
        }
    }

    private static byte[] clientHello(int minor) {
        return ByteBuffer.allocate(52)
                .put(new byte[] {0x16, 3, 1, 0, 47})
                .put(new byte[] {1, 0, 0, 43})
                .put(new byte[] {3, (byte) minor})
                .put(new byte[32])
                .put((byte) 0)
                .put(new byte[] {0, 4, (byte) 0xc0, 0x13, 0, 0x2f})
                .put(new byte[] {1, 0})
                .array();
    }

    @Test
    void aConnectionThatWaitsWhenTheGatewayStopsIsToldSo(Cluster cluster) throws IOException {
        GatewayNode gateway = GatewayNode.start(cluster, settings());
        String key = gateway.key(Scope.READ);
        try (TlsConnection connection = new TlsConnection(gateway.port(), FIRST)) {
            assertThat(connection.get("/_api/queues", key)).isEqualTo(200);

            gateway.node.close();

            assertThat(connection.get("/_api/queues", key)).isEqualTo(503);
        }
    }

    @Test
    void aNewCertificateIsForNewConnections(Cluster cluster) throws IOException {
        GatewayNode gateway = GatewayNode.start(cluster, settings());
        String key = gateway.key(Scope.READ);
        try (TlsConnection old = new TlsConnection(gateway.port(), FIRST)) {
            assertThat(old.get("/_api/queues", key)).isEqualTo(200);

            SECOND.write(files);

            await().ignoreExceptions().untilAsserted(() -> {
                // The old connection must not become idle for longer than the server allows.
                assertThat(old.get("/_api/health", key)).isEqualTo(200);
                try (TlsConnection fresh = new TlsConnection(gateway.port(), SECOND)) {
                    assertThat(fresh.get("/_api/queues", key)).isEqualTo(200);
                }
            });
            assertThatThrownBy(() -> new TlsConnection(gateway.port(), FIRST))
                    .isInstanceOf(SSLHandshakeException.class);
            assertThat(old.get("/_api/queues", key)).isEqualTo(200);
        }
    }

    @Test
    void aNodeDoesNotStartWithAKeyOfAnotherCertificate(Cluster cluster) throws IOException {
        Files.writeString(files.key(), SECOND.keyPem());

        assertThatThrownBy(() -> GatewayNode.start(cluster, settings()))
                .hasStackTraceContaining("gateway.tls_key: the key in " + files.key()
                        + " does not belong to the first certificate in " + files.certificate());
    }
}
