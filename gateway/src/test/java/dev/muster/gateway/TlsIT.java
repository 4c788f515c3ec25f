package dev.muster.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.access.Scope;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A gateway that speaks HTTPS. */
@MusterTest
class TlsIT {
    private static final Duration SOME_CHECKS = Duration.ofSeconds(4 * Tls.CHECK_SECONDS);
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

    /** One connection that is kept. */
    private static final class Connection implements AutoCloseable {
        private final SSLSocket socket;
        private final BufferedReader in;

        Connection(int port, Certificate trusted, String... protocols) throws IOException {
            socket =
                    (SSLSocket) Certificate.trusting(trusted).getSocketFactory().createSocket("127.0.0.1", port);
            socket.setSoTimeout(20_000);
            if (protocols.length > 0) {
                socket.setEnabledProtocols(protocols);
            }
            try {
                socket.startHandshake();
            } catch (IOException e) {
                socket.close();
                throw e;
            }
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        }

        String protocol() {
            return socket.getSession().getProtocol();
        }

        int get(String path, String key) throws IOException {
            String request = "GET " + path + " HTTP/1.1\r\nHost: another.example.com\r\nAuthorization: Bearer " + key
                    + "\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            int status = Integer.parseInt(in.readLine().split(" ")[1]);
            int length = 0;
            for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
                if (line.regionMatches(true, 0, "Content-Length:", 0, 15)) {
                    length = Integer.parseInt(line.substring(15).strip());
                }
            }
            while (length > 0) {
                length -= (int) in.skip(length);
            }
            return status;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @Test
    void everythingIsServedOverTlsAndNothingWithoutIt(Cluster cluster) throws IOException {
        GatewayNode gateway = GatewayNode.start(cluster, settings());
        String key = gateway.key(Scope.READ);

        try (Connection connection = new Connection(gateway.port(), FIRST)) {
            assertThat(connection.protocol()).isEqualTo("TLSv1.3");
            assertThat(connection.get("/_api/health", "none")).isEqualTo(200);
            assertThat(connection.get("/_api/ready", "none")).isEqualTo(200);
            assertThat(connection.get("/_api/queues", key)).isEqualTo(200);
            assertThat(connection.get("/_api/queues", "none")).isEqualTo(401);
        }
        try (Connection connection = new Connection(gateway.port(), FIRST, "TLSv1.2")) {
            assertThat(connection.get("/_api/health", "none")).isEqualTo(200);
        }
        assertThatThrownBy(() -> new Connection(gateway.port(), SECOND)).isInstanceOf(SSLHandshakeException.class);
        assertThat(RawHttp.send(gateway.port(), "GET /_api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                        .status())
                .isNotEqualTo(200);
    }

    @Test
    void aNewCertificateIsForNewConnections(Cluster cluster) throws IOException {
        GatewayNode gateway = GatewayNode.start(cluster, settings());
        String key = gateway.key(Scope.READ);
        try (Connection old = new Connection(gateway.port(), FIRST)) {
            assertThat(old.get("/_api/queues", key)).isEqualTo(200);

            SECOND.write(files);

            Awaitility.await().atMost(SOME_CHECKS).ignoreExceptions().untilAsserted(() -> {
                // The old connection must not become idle for longer than the server allows.
                assertThat(old.get("/_api/health", key)).isEqualTo(200);
                try (Connection fresh = new Connection(gateway.port(), SECOND)) {
                    assertThat(fresh.get("/_api/queues", key)).isEqualTo(200);
                }
            });
            assertThatThrownBy(() -> new Connection(gateway.port(), FIRST)).isInstanceOf(SSLHandshakeException.class);
            assertThat(old.get("/_api/queues", key)).isEqualTo(200);
        }
    }

    @Test
    void aBrokenFileLeavesTheOldCertificateAndIsReportedOnce(Cluster cluster) throws IOException {
        GatewayNode gateway = GatewayNode.start(cluster, settings());
        Logger logger = (Logger) LoggerFactory.getLogger(Tls.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            Files.writeString(files.key(), SECOND.keyPem());
            Awaitility.await()
                    .atMost(SOME_CHECKS)
                    .until(() -> !mentions(lines, "server.key").isEmpty());
            try (Connection connection = new Connection(gateway.port(), FIRST)) {
                assertThat(connection.get("/_api/health", "none")).isEqualTo(200);
            }
            // The next change shows that further checks have taken place meanwhile.
            Files.writeString(files.certificate(), "broken");
            Awaitility.await()
                    .atMost(SOME_CHECKS)
                    .until(() -> mentions(lines, "server.crt has").size() == 1);
            SECOND.write(files);
            Awaitility.await().atMost(SOME_CHECKS).ignoreExceptions().until(() -> {
                new Connection(gateway.port(), SECOND).close();
                return true;
            });
            assertThat(mentions(lines, "does not belong")).hasSize(1);
            assertThat(mentions(lines, "server.crt has")).hasSize(1);
        } finally {
            logger.detachAppender(lines);
        }
    }

    private List<String> mentions(ListAppender<ILoggingEvent> lines, String text) {
        return List.copyOf(lines.list).stream()
                .filter(line -> line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.contains(files.key().getParent().toString()) && line.contains(text))
                .toList();
    }

    @Test
    void aNodeDoesNotStartWithAKeyOfAnotherCertificate(Cluster cluster) throws IOException {
        Files.writeString(files.key(), SECOND.keyPem());

        assertThatThrownBy(() -> GatewayNode.start(cluster, settings()))
                .hasStackTraceContaining("gateway.tls_key: the key in " + files.key()
                        + " does not belong to the first certificate in " + files.certificate());
    }
}
