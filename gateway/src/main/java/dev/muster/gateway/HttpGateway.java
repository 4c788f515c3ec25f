package dev.muster.gateway;

import dev.muster.Gateway;
import dev.muster.Muster;
import dev.muster.access.AccessSubsystem;
import dev.muster.access.ApiKeyVerifier;
import dev.muster.access.DatabaseClock;
import dev.muster.config.GatewayConfig;
import dev.muster.config.GatewayConfig.Auth;
import dev.muster.config.MusterConfig;
import dev.muster.gateway.auth.Authentication;
import dev.muster.gateway.auth.CredentialsAuthentication;
import dev.muster.gateway.auth.CredentialsAuthentication.Check;
import dev.muster.gateway.auth.LoopbackAuthentication;
import dev.muster.gateway.auth.TokenVerifier;
import dev.muster.gateway.forward.Forwarder;
import dev.muster.gateway.metrics.HttpMetrics;
import dev.muster.gateway.metrics.MetricsPage;
import dev.muster.gateway.metrics.NodeMetrics;
import dev.muster.node.NodeContext;
import dev.muster.runtime.Clock;
import dev.muster.runtime.LogContext;
import dev.muster.runtime.MusterException;
import dev.muster.telemetry.Telemetry;
import jakarta.servlet.Servlet;
import java.net.BindException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The gateway of one node: opens the server, and drains it. */
final class HttpGateway implements Gateway {
    private static final Logger log = LoggerFactory.getLogger(HttpGateway.class);

    /** How long a draining gateway waits for the listeners of events to be told. */
    private static final Duration FAREWELL = Duration.ofSeconds(1);

    private final MusterConfig config;
    private final boolean hasPort;
    private final NodeMetrics metrics = new NodeMetrics();
    private volatile @Nullable Opened opened;

    private record Opened(HttpServer server, Admission admission, EventStreams streams, Forwarder forwarder) {}

    /** @param hasPort whether it listens at a port of its own, or serves inside of a {@link GatewayServlet} */
    HttpGateway(MusterConfig config, boolean hasPort) {
        this.config = config;
        this.hasPort = hasPort;
    }

    /** What serves the routes inside of another server; null before the node has opened this gateway. */
    @Nullable
    Servlet servlet() {
        Opened now = opened;
        return now == null ? null : now.server().servlet();
    }

    @Override
    public Telemetry telemetry() {
        return metrics;
    }

    @Override
    public int open(Host host, int port) throws BindException {
        GatewayConfig settings = config.gateway();
        Muster muster = host.muster();
        LogContext logContext = LogContext.current().orElseGet(() -> LogContext.of(muster.nodeId(), null));
        Clock clock = muster.context().clock();
        Admission admission = Admission.ofRequests(settings.maxRequests(), host::status, clock);
        Pipeline pipeline = new Pipeline(
                host::muster,
                settings,
                admission,
                Admission.ofFiles(HttpServer.MOST_FILES, host::status, clock),
                authentication(muster, logContext),
                new CallerLimits(settings.requestsPerMinute(), muster.context().clock()),
                new StoredAuditTrail(),
                new ReplicaLag(
                        config.database().readUrl().isPresent(),
                        muster::admin,
                        muster.context().clock()));
        HttpMetrics answers = new HttpMetrics(Routes.all());
        EventStreams streams =
                new EventStreams(settings.maxEventClients(), settings.maxEventClientsPerCaller(), hasPort, logContext);
        MetricsPage.open(metrics, answers, host, admission::active, streams::count);
        HttpServer server = new HttpServer(
                settings,
                Routes.all(),
                pipeline,
                new ProbeAnswers(host.probes())::answer,
                answers,
                streams,
                hasPort ? tls(logContext) : Optional.empty(),
                logContext,
                hasPort);
        int actual = hasPort ? server.start(port) : 0;
        opened = new Opened(server, admission, streams, Forwarder.of(muster.context()));
        if (!hasPort) {
            return 0;
        }
        String address =
                (settings.tlsCertificate().isPresent() ? "https" : "http") + "://" + settings.host() + ":" + actual;
        log.info(
                "gateway at {}, health at {}/_api/health, auth={}",
                address,
                address,
                settings.auth().name().toLowerCase(Locale.ROOT));
        return actual;
    }

    private Optional<Tls> tls(LogContext logContext) {
        GatewayConfig settings = config.gateway();
        return settings.tlsCertificate().map(certificate -> {
            String key = settings.tlsKey().orElseThrow(() -> new MusterException("gateway.tls_key is missing"));
            return new Tls(new CertificateFiles(Path.of(certificate), Path.of(key)), logContext);
        });
    }

    private Authentication authentication(Muster muster, LogContext logContext) {
        if (hasPort && config.gateway().auth() == Auth.NONE) {
            return new LoopbackAuthentication();
        }
        ApiKeyVerifier keys = AccessSubsystem.verifier(muster.context());
        return new CredentialsAuthentication(
                (shown, address) -> keys.verify(shown).map(key -> key.caller(Optional.of(address))),
                tokens(muster.context(), logContext),
                muster.context().clock());
    }

    private Check tokens(NodeContext node, LogContext logContext) {
        if (config.jwt().issuer().isEmpty()) {
            return (shown, address) -> Optional.empty();
        }
        DatabaseClock time = AccessSubsystem.databaseClock(node);
        return TokenVerifier.open(config.jwt(), time::now, node.clock(), logContext);
    }

    @Override
    public boolean letsIn() {
        Opened now = opened;
        return now == null || !now.admission().standsStill();
    }

    @Override
    public void drain() {
        Opened now = opened;
        if (now == null) {
            return;
        }
        GatewayConfig settings = config.gateway();
        now.server().endConnections();
        try {
            TimeUnit.NANOSECONDS.sleep(settings.effectiveDrainNotice().toNanos());
            now.admission().refuse();
            now.streams().drain(FAREWELL);
            Duration limit = settings.drainTimeout();
            if (!now.admission().awaitEmpty(limit)) {
                log.warn(
                        "drain: requests={} did not end within {}",
                        now.admission().active(),
                        limit);
            }
        } catch (InterruptedException e) {
            now.admission().refuse();
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        Opened now = opened;
        if (now != null) {
            now.admission().refuse();
            now.streams().close();
            now.server().close();
            now.forwarder().close();
        }
    }
}
