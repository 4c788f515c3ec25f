package dev.muster.gateway.internal;

import dev.muster.access.Caller;
import dev.muster.config.GatewayConfig;
import dev.muster.document.internal.Json;
import dev.muster.document.internal.Utf8Pieces;
import dev.muster.gateway.GatewayServlet;
import dev.muster.gateway.internal.dashboard.DashboardFiles;
import dev.muster.gateway.internal.metrics.HttpMetrics;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Route.Kind;
import dev.muster.gateway.internal.route.Stream;
import dev.muster.internal.runtime.LogContext;
import dev.muster.runtime.MusterException;
import io.javalin.Javalin;
import io.javalin.compression.CompressionStrategy;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import io.javalin.http.HttpResponseException;
import jakarta.servlet.Servlet;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.nio.charset.StandardCharsets;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** The only class that knows the HTTP server: binds routes to it, and translates requests and answers. */
final class HttpServer implements AutoCloseable {
    /** Threads beyond those of requests that are counted: for refusals, for probes that wait for nothing, and for the server itself. */
    private static final int SPARE_THREADS = 32;

    /** How many of the dashboard's files are sent at the same time. */
    static final int MOST_FILES = 32;

    private static final int MAX_HEADERS = 16_384;

    /** Answers up to this size are sent without a thread that waits for the client: all refusals, which repeat no more than 4,000 characters. */
    private static final int SHORT_ANSWER = 32 << 10;

    /** Headers that stand for one value. */
    private static final Set<String> ONCE =
            Set.of("Authorization", "X-API-Key", "Idempotency-Key", "Content-Type", "Host", "Origin");

    private static final Logger log = LoggerFactory.getLogger(HttpServer.class);

    private final GatewayConfig config;
    private final Pipeline pipeline;
    private final Function<Route, Answer> probes;
    private final HttpMetrics metrics;
    private final EventStreams streams;
    private final Cors cors;
    private final Optional<Tls> tls;
    private final LogContext logContext;
    private final boolean hasPort;
    private final Connections connections;
    private final HttpConfiguration http = new HttpConfiguration();
    private final Javalin app;

    /** A port of a server's own. */
    record Port(Optional<Tls> tls, ConnectionLimits connections) {}

    /**
     * @param probes answers the routes that are probes
     * @param port where it listens; empty if it is the {@link #servlet} of another server
     */
    HttpServer(
            GatewayConfig config,
            List<Route> routes,
            Pipeline pipeline,
            Function<Route, Answer> probes,
            HttpMetrics metrics,
            EventStreams streams,
            LogContext logContext,
            Optional<Port> port) {
        this.config = config;
        this.pipeline = pipeline;
        this.probes = probes;
        this.metrics = metrics;
        this.streams = streams;
        this.cors = new Cors(config.cors());
        this.tls = port.flatMap(Port::tls);
        this.logContext = logContext;
        this.hasPort = port.isPresent();
        this.connections = new Connections(
                port.map(Port::connections).orElseGet(() -> ConnectionLimits.ofGateway(config)), config.readTimeout());
        this.app = Javalin.create(javalin -> {
            configure(javalin, routes);
            if (hasPort) {
                configureServer(javalin);
            }
        });
    }

    private void configureServer(JavalinConfig javalin) {
        QueuedThreadPool threads =
                new QueuedThreadPool(config.maxRequests() + MOST_FILES + ProbeAnswers.MOST_WAITING + SPARE_THREADS, 4);
        threads.setName("muster-gateway");
        threads.setDaemon(true);
        javalin.jetty.threadPool = threads;
        javalin.jetty.modifyHttpConfiguration(HttpServer::restrict);
        JsonErrorHandler.Errors errors = new JsonErrorHandler.Errors(pipeline::isDraining);
        javalin.jetty.modifyServer(server -> server.setErrorHandler(new JsonErrorHandler(errors)));
        javalin.jetty.modifyServletContextHandler(
                context -> context.setErrorHandler(new JsonErrorHandler.InContext(errors)));
    }

    private void configure(JavalinConfig javalin, List<Route> routes) {
        javalin.startup.showJavalinBanner = false;
        javalin.startup.showOldJavalinVersionWarning = false;
        javalin.startup.startupWatcherEnabled = false;
        javalin.http.prefer405over404 = true;
        javalin.http.maxRequestSize = config.maxBody();
        // What an answer says about secrets must not show in its length.
        javalin.http.compressionStrategy = CompressionStrategy.NONE;
        javalin.router.ignoreTrailingSlashes = false;
        routes.forEach(route -> javalin.routes.addHttpHandler(
                type(route.method()), pathInServer(route), context -> serveCounted(route, context)));
        // Javalin by itself answers each HEAD with 200, also to callers without a key and when the node is not ready.
        routes.stream()
                .filter(route -> route.method() == Route.Method.GET)
                .forEach(route -> javalin.routes.addHttpHandler(
                        HandlerType.HEAD, pathInServer(route), context -> serveCounted(route, context)));
        if (!config.cors().isEmpty()) {
            routes.stream()
                    .map(Route::path)
                    .distinct()
                    .forEach(path -> javalin.routes.addHttpHandler(HandlerType.OPTIONS, path, this::preflight));
        }
        javalin.routes.exception(HttpResponseException.class, this::notRouted);
        javalin.routes.exception(Exception.class, (e, context) -> send(context, Failures.of(e, context.path())));
    }

    private static HandlerType type(Route.Method method) {
        return switch (method) {
            case GET -> HandlerType.GET;
            case POST -> HandlerType.POST;
            case PUT -> HandlerType.PUT;
            case DELETE -> HandlerType.DELETE;
        };
    }

    /** Paths of files may have slashes, which the server takes only in parameters in angle brackets. */
    private static String pathInServer(Route route) {
        return route.kind() == Kind.FILE ? route.path().replace('{', '<').replace('}', '>') : route.path();
    }

    private static void restrict(HttpConfiguration http) {
        http.setSendServerVersion(false);
        http.setSendXPoweredBy(false);
        http.setRequestHeaderSize(MAX_HEADERS);
        http.setResponseHeaderSize(MAX_HEADERS);
        http.setOutputBufferSize(SHORT_ANSWER);
        http.setOutputAggregationSize(SHORT_ANSWER);
    }

    /** @return the port at which it listens */
    int start(int port) throws BindException {
        Server server = app.jettyServer().server();
        try {
            server.setConnectors(new ServerConnector[] {connector(server, port)});
            app.start();
            tls.ifPresent(Tls::watch);
            ServerConnector listening = (ServerConnector) server.getConnectors()[0];
            connections.watch(listening.getScheduler());
            return listening.getLocalPort();
        } catch (IOException | RuntimeException e) {
            close();
            if (e instanceof BindException taken) {
                throw taken;
            }
            if (e.getCause() instanceof BindException taken) {
                throw taken;
            }
            throw new MusterException("cannot listen at " + config.host() + ":" + port + ": " + e.getMessage(), e);
        }
    }

    /** What serves the routes inside of another server. */
    Servlet servlet() {
        return app.javalinServlet();
    }

    private ServerConnector connector(Server server, int port) throws IOException {
        restrict(http);
        HttpConnectionFactory plain = connections.factory(http);
        // No thread of its own waits for connections, because it could not be kept from closing the port with some of
        // them waiting.
        ServerConnector connector = tls.map(with -> with.connector(server, plain))
                .orElseGet(() -> new ServerConnector(server, 0, -1, plain));
        connector.addBean(connections);
        connector.setHost(config.host());
        connector.setPort(port);
        connector.setIdleTimeout(config.readTimeout().toMillis());
        connector.open();
        return connector;
    }

    private void preflight(Context context) {
        cors.preflight(context.header("Origin"), context.header("Access-Control-Request-Method"))
                .ifPresentOrElse(
                        headers -> {
                            headers.forEach(context::header);
                            context.status(204);
                            Connections.refusing(context.req(), 0);
                        },
                        () -> send(context, Refusal.forbidden("this origin is not in gateway.cors")));
    }

    private void serveCounted(Route route, Context context) {
        long began = System.nanoTime();
        int status = 500;
        context.req().setAttribute(JsonErrorHandler.BEGUN, true);
        try {
            serve(route, context);
            status = context.statusCode();
        } finally {
            metrics.answered(route, status, System.nanoTime() - began);
        }
    }

    private void serve(Route route, Context context) {
        String requestId = begin(context);
        logContext.run("gateway", () -> {
            MDC.put(RequestId.LOG_KEY, requestId);
            try {
                switch (route.kind()) {
                    case PROBE -> leave(context, probes.apply(route));
                    case FILE ->
                        pipeline.admit(Connections.addressOf(context.req()), () -> send(context, file(context)));
                    case GUARDED -> {
                        Request request = request(context);
                        pipeline.handle(
                                route,
                                request,
                                requestId,
                                (answer, caller) -> send(context, answer, route, request, caller));
                    }
                }
            } catch (Refusal refusal) {
                send(context, refusal, requestId);
            } finally {
                MDC.remove(RequestId.LOG_KEY);
            }
        });
    }

    private static Answer file(Context context) {
        return DashboardFiles.answer(context.pathParamMap().get("path"), context::header);
    }

    private String begin(Context context) {
        String requestId = RequestId.of(context.header(RequestId.HEADER));
        context.header(RequestId.HEADER, requestId);
        context.header("Cache-Control", "no-store");
        context.header("X-Content-Type-Options", "nosniff");
        cors.headers(context.header("Origin")).forEach(context::header);
        return requestId;
    }

    private Request request(Context context) {
        return new Request(
                String.valueOf(context.contextPath()),
                context.pathParamMap(),
                () -> QueryString.parse(context.queryString()),
                name -> header(context, name),
                hasPort ? null : (Caller) context.req().getAttribute(GatewayServlet.CALLER),
                String.valueOf(context.req().getRemoteAddr()),
                context.req().getContentLengthLong(),
                () -> body(context));
    }

    /** Another program on the way may have looked at the one, and this one would obey the other. */
    private static @Nullable String header(Context context, String name) {
        Enumeration<String> values = context.req().getHeaders(name);
        String value = values.hasMoreElements() ? values.nextElement() : null;
        if (values.hasMoreElements() && ONCE.contains(name)) {
            throw Refusal.badRequest("the header " + name + " may be given once only");
        }
        return value;
    }

    private static InputStream body(Context context) {
        try {
            return context.req().getInputStream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @throws Refusal if the answer is a stream, and cannot be opened */
    private void send(Context context, Answer answer, Route route, Request request, Caller caller) {
        if (!(answer.document() instanceof Stream.Opener opener)) {
            send(context, answer);
            return;
        }
        if (context.method() != HandlerType.HEAD) {
            EventStreams.Connection connection = streams.prepare(opener, pipeline.listener(route, request, caller));
            context.future(() -> connection.start(context.req().getAsyncContext()));
        }
        answer.headers().forEach(context::header);
        context.status(answer.status());
        context.contentType(answer.contentType());
    }

    private static void send(Context context, Answer answer) {
        answer.headers().forEach(context::header);
        context.status(answer.status());
        @Nullable Object document = answer.document();
        if (document != null) {
            writeNow(context, answer.contentType(), body(answer.contentType(), document));
        } else {
            Connections.answering(context.req(), 0);
        }
    }

    /** Leaves the short answer of a probe to the server, and waits for no client: anybody may probe, and take nothing of it. */
    private static void leave(Context context, Answer answer) {
        answer.headers().forEach(context::header);
        context.status(answer.status());
        leave(context, answer.contentType(), Json.write(answer.document()));
    }

    private static Utf8Pieces body(String contentType, Object document) {
        if (document instanceof byte[] bytes) {
            return Utf8Pieces.of(bytes);
        }
        return contentType.equals(Answer.JSON) ? Json.utf8(document) : Utf8Pieces.of(document.toString());
    }

    /** Returns when the client has got the answer, or as good as: {@link Context#result} would only leave it for later. */
    private static void writeNow(Context context, String type, Utf8Pieces body) {
        context.contentType(type);
        context.res().setContentLength(body.length());
        Connections.answering(context.req(), body.length());
        try (OutputStream out = context.outputStream()) {
            body.writeTo(out);
        } catch (IOException e) {
            log.debug("the client has gone, or reads too slowly: {}", e.toString());
        } finally {
            Connections.answered(context.req());
        }
    }

    private void notRouted(HttpResponseException e, Context context) {
        Map<Integer, String> codes = Map.of(404, "not_found", 405, "method_not_allowed", 413, "too_large");
        String code = codes.getOrDefault(e.getStatus(), "invalid_request");
        String allowed = e.getDetails().getOrDefault("availableMethods", "");
        String message = switch (e.getStatus()) {
            case 404 -> "there is no such path; GET /_api/openapi.json lists all";
            case 405 -> "this path has no method " + context.method().name() + "; it has " + allowed;
            default -> "the request was not understood";
        };
        int status = e.getStatus() >= 500 ? 400 : e.getStatus();
        metrics.notRouted(status);
        Refusal refusal = Refusal.of(status, code, message);
        send(context, status == 405 ? refusal.header("Allow", allowed) : refusal);
    }

    /** A refusal before there was a route. */
    private void send(Context context, Refusal refusal) {
        send(context, refusal, begin(context));
    }

    private static void send(Context context, Refusal refusal, String requestId) {
        refusal.headers().forEach(context::header);
        Long wait = refusal.retryAfterSeconds();
        if (wait != null) {
            context.header("Retry-After", String.valueOf(wait));
        }
        context.status(refusal.status());
        leave(context, Answer.JSON, Envelope.of(refusal, requestId));
    }

    /** The server sends the text when the request's thread is done with it. */
    private static void leave(Context context, String type, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        context.contentType(type);
        if (context.statusCode() == 500) {
            Connections.answering(context.req(), bytes.length);
        } else {
            Connections.refusing(context.req(), bytes.length);
        }
        context.result(bytes);
    }

    /** From now on each answer is the last one on its connection, so that callers turn to other gateways bit by bit. */
    void endConnections() {
        http.setPersistentConnectionsEnabled(false);
    }

    /** Ends all connections, and stops. Every request has to be refused by now, or else it may be cut off. */
    @Override
    public void close() {
        if (hasPort) {
            Server server = app.jettyServer().server();
            if (server.isRunning()) {
                connections.end((ServerConnector) server.getConnectors()[0]);
            }
            app.stop();
        }
        tls.ifPresent(Tls::close);
    }
}
