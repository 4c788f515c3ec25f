package dev.muster.gateway.internal;

import dev.muster.Gateway;
import dev.muster.Muster;
import dev.muster.config.GatewayConfig;
import dev.muster.config.GatewayConfig.Auth;
import dev.muster.config.MusterConfig;
import dev.muster.gateway.GatewayServlet;
import dev.muster.gateway.internal.auth.Authentication;
import dev.muster.gateway.internal.auth.CredentialsAuthentication;
import dev.muster.gateway.internal.auth.CredentialsAuthentication.Check;
import dev.muster.gateway.internal.auth.LoopbackAuthentication;
import dev.muster.gateway.internal.auth.TokenVerifier;
import dev.muster.gateway.internal.forward.Forwarder;
import dev.muster.gateway.internal.metrics.HttpMetrics;
import dev.muster.gateway.internal.metrics.MetricsPage;
import dev.muster.gateway.internal.metrics.NodeMetrics;
import dev.muster.internal.access.AccessSubsystem;
import dev.muster.internal.access.ApiKeyVerifier;
import dev.muster.internal.access.DatabaseClock;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.runtime.LogContext;
import dev.muster.runtime.Clock;
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
public final class HttpGateway implements Gateway {
    private static final Logger log = LoggerFactory.getLogger(HttpGateway.class);

    /** How long a draining gateway waits for the listeners of events to be told. */
    private static final Duration FAREWELL = Duration.ofSeconds(1);

    private final MusterConfig config;
    private final boolean hasPort;
    private final NodeMetrics metrics = new NodeMetrics();
    private volatile @Nullable Opened opened;

    private record Opened(HttpServer server, RequestCapacity capacity, EventStreams streams, Forwarder forwarder) {}

    /** @param hasPort whether it listens at a port of its own, or serves inside of a {@link GatewayServlet} */
    public HttpGateway(MusterConfig config, boolean hasPort) {
        this.config = config;
        this.hasPort = hasPort;
    }

    /** What serves the routes inside of another server; null before the node has opened this gateway. */
    @Nullable
    public Servlet servlet() {
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
        Clock clock = muster.api(NodeContext.class).clock();
        RequestCapacity capacity = RequestCapacity.ofRequests(settings.maxRequests(), host::status, clock);
        Pipeline pipeline = new Pipeline(
                host::muster,
                settings,
                new Pipeline.Capacities(
                        capacity,
                        RequestCapacity.ofFiles(HttpServer.MOST_FILES, host::status, clock),
                        Turns.of(config)),
                authentication(muster, logContext),
                new CallerLimits(
                        settings.requestsPerMinute(),
                        muster.api(NodeContext.class).clock()),
                new DatabaseAuditTrail(),
                new ReplicaLag(
                        config.database().readUrl().isPresent(),
                        muster::admin,
                        muster.api(NodeContext.class).clock()));
        HttpMetrics answers = new HttpMetrics(Routes.all());
        EventStreams streams =
                new EventStreams(settings.maxEventClients(), settings.maxEventClientsPerCaller(), hasPort, logContext);
        MetricsPage.open(metrics, answers, host, capacity::active, streams::count);
        HttpServer server = new HttpServer(
                settings,
                Routes.all(),
                pipeline,
                new ProbeAnswers(host.probes())::answer,
                answers,
                streams,
                logContext,
                hasPort
                        ? Optional.of(new HttpServer.Port(tls(logContext), ConnectionLimits.ofGateway(settings)))
                        : Optional.empty());
        int actual = hasPort ? server.start(port) : 0;
        opened = new Opened(server, capacity, streams, Forwarder.of(muster.api(NodeContext.class)));
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
        ApiKeyVerifier keys = AccessSubsystem.verifier(muster.api(NodeContext.class));
        return new CredentialsAuthentication(
                (shown, address) -> keys.verify(shown).map(key -> key.caller(Optional.of(address))),
                tokens(muster.api(NodeContext.class), logContext),
                muster.api(NodeContext.class).clock());
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
        return now == null || !now.capacity().standsStill();
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
            now.capacity().refuse();
            now.streams().drain(FAREWELL);
            Duration limit = settings.drainTimeout();
            if (!now.capacity().awaitEmpty(limit)) {
                log.warn(
                        "drain: requests={} did not end within {}",
                        now.capacity().active(),
                        limit);
            }
        } catch (InterruptedException e) {
            now.capacity().refuse();
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        Opened now = opened;
        if (now != null) {
            now.capacity().refuse();
            now.streams().close();
            now.server().close();
            now.forwarder().close();
        }
    }
}
