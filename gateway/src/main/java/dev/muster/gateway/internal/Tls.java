package dev.muster.gateway.internal;

import dev.muster.internal.runtime.LogContext;
import dev.muster.runtime.MusterException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves HTTPS with a certificate from files.
 *
 * <p>The files are read every {@value #CHECK_SECONDS} seconds. When they have changed, new connections get the new certificate and open ones go
 * on as they are. If the changed files cannot be used, the old certificate stays, and the log says why once for each change.
 */
final class Tls implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Tls.class);
    private static final int CHECK_SECONDS = 5;

    private final CertificateFiles files;
    private final LogContext logContext;
    private final Duration checkEvery;
    private final SslContextFactory.Server contexts = new SslContextFactory.Server();
    private final ScheduledExecutorService checks = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "muster-gateway-tls");
        thread.setDaemon(true);
        return thread;
    });

    /** What was read last, whether it can be used or not. */
    private CertificateFiles.Content seen;

    /** @throws MusterException if the files cannot be used */
    Tls(CertificateFiles files, LogContext logContext) {
        this(files, logContext, Duration.ofSeconds(CHECK_SECONDS));
    }

    Tls(CertificateFiles files, LogContext logContext, Duration checkEvery) {
        this.files = files;
        this.logContext = logContext;
        this.checkEvery = checkEvery;
        seen = files.read();
        use(contexts, seen.open());
        contexts.setIncludeProtocols("TLSv1.2", "TLSv1.3");
        contexts.setSniRequired(false);
        contexts.setNeedClientAuth(false);
        contexts.setWantClientAuth(false);
        contexts.setRenegotiationAllowed(false);
    }

    private static void use(SslContextFactory contexts, CertificateFiles.Opened opened) {
        contexts.setKeyStore(opened.store());
        contexts.setKeyStorePassword(opened.password());
    }

    /** @param plain what speaks HTTP on the connections */
    ServerConnector connector(Server server, HttpConnectionFactory plain) {
        // Which names the certificate has is a matter between its owner and the callers.
        plain.getHttpConfiguration().addCustomizer(new SecureRequestCustomizer(false));
        return new ServerConnector(server, 0, -1, new SslConnectionFactory(contexts, plain.getProtocol()), plain);
    }

    /** Begins to look for changes of the files. */
    void watch() {
        Runnable check = () -> logContext.run("gateway", this::reloadIfChanged);
        checks.scheduleWithFixedDelay(check, checkEvery.toMillis(), checkEvery.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void reloadIfChanged() {
        CertificateFiles.Content now = files.read();
        if (now.equals(seen)) {
            return;
        }
        seen = now;
        try {
            CertificateFiles.Opened opened = now.open();
            contexts.reload(factory -> use(factory, opened));
            log.info("TLS: new certificate until={} file={}", opened.validUntil(), files.certificate());
        } catch (Exception e) {
            log.warn("TLS: the files have changed, but the old certificate stays: {}", e.getMessage());
        }
    }

    @Override
    public void close() {
        checks.shutdownNow();
    }
}
