package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.muster.internal.runtime.LogContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** How a server notices that its certificate was replaced. */
class TlsTest {
    private static final Certificate FIRST = Certificate.of("EC");
    private static final Certificate SECOND = Certificate.of("RSA");

    private final Server server = new Server();
    private CertificateFiles files;
    private Tls tls;
    private ServerConnector connector;

    @BeforeEach
    void start(@TempDir Path folder) throws Exception {
        files = Certificate.files(folder);
        FIRST.write(files);
        tls = new Tls(files, LogContext.of("n1", null), Duration.ofMillis(20));
        connector = tls.connector(server, new HttpConnectionFactory());
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.start();
        tls.watch();
    }

    @AfterEach
    void stop() throws Exception {
        tls.close();
        server.stop();
    }

    @Test
    void aBrokenFileLeavesTheOldCertificateAndIsReportedOnce() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(Tls.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            replace(files.key(), SECOND.keyPem());
            await().until(() -> !mentions(lines, "server.key").isEmpty());
            new TlsConnection(connector.getLocalPort(), FIRST).close();
            // The next change shows that further checks have taken place meanwhile.
            replace(files.certificate(), "broken");
            await().until(() -> mentions(lines, "server.crt has").size() == 1);
            replace(files.certificate(), SECOND.certificatePem());
            await().ignoreExceptions().until(() -> {
                new TlsConnection(connector.getLocalPort(), SECOND).close();
                return true;
            });
            assertThat(mentions(lines, "does not belong")).hasSize(1);
            assertThat(mentions(lines, "server.crt has")).hasSize(1);
        } finally {
            logger.detachAppender(lines);
        }
    }

    /** At once: a check between two writes would see one more change. */
    private static void replace(Path file, String content) throws IOException {
        Path fresh = Files.writeString(file.resolveSibling("fresh"), content);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private List<String> mentions(ListAppender<ILoggingEvent> lines, String text) {
        return List.copyOf(lines.list).stream()
                .filter(line -> line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.contains(files.key().getParent().toString()) && line.contains(text))
                .toList();
    }
}
