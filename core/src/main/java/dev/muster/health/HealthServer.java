package dev.muster.health;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.muster.runtime.MusterException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A small listener that answers {@code /_api/health} and {@code /_api/ready}. */
public final class HealthServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HealthServer.class);

    /** Where {@code muster node} listens unless it is told otherwise or someone else does already. */
    public static final int USUAL_PORT = 8080;

    private static final int BACKLOG = 64;
    private static final int THREADS = 2;
    private static final int MAX_WAITING = 256;

    private final HttpServer server;
    private final ExecutorService threads;

    private HealthServer(HttpServer server, Supplier<Readiness> readiness, String version) {
        this.server = server;
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MAX_WAITING), HealthServer::thread);
        pool.allowCoreThreadTimeOut(true);
        this.threads = pool;
        server.setExecutor(pool);
        String health = "{\"status\":\"ok\",\"version\":\"" + escape(version) + "\"}";
        server.createContext("/", exchange -> answer(exchange, "/", 404, "{\"error\":\"not found\"}"));
        server.createContext("/_api/health", exchange -> answer(exchange, "/_api/health", 200, health));
        server.createContext("/_api/ready", exchange -> {
            Readiness now = readiness.get();
            answer(exchange, "/_api/ready", now.ready() ? 200 : 503, now.json());
        });
        server.start();
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "muster-health");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Listens at this port, 0 for any free one.
     *
     * @throws MusterException if it is taken or not allowed
     */
    public static HealthServer at(String host, int port, Supplier<Readiness> readiness, String version) {
        try {
            return listening(HttpServer.create(address(host, port), BACKLOG), readiness, version);
        } catch (BindException e) {
            throw new MusterException(
                    "cannot listen at " + host + ":" + port + ": " + e.getMessage()
                            + "; choose another gateway.port or gateway.health_port, or 0 for any free one",
                    e);
        } catch (IOException e) {
            throw new MusterException("cannot listen at " + host + ":" + port + ": " + e.getMessage(), e);
        }
    }

    /** Listens at the usual port or, if that is taken, at any free one. */
    public static HealthServer anywhere(String host, Supplier<Readiness> readiness, String version) {
        try {
            return listening(HttpServer.create(address(host, USUAL_PORT), BACKLOG), readiness, version);
        } catch (BindException e) {
            log.debug("port {} is taken", USUAL_PORT, e);
            return at(host, 0, readiness, version);
        } catch (IOException e) {
            throw new MusterException("cannot listen at " + host + ": " + e.getMessage(), e);
        }
    }

    private static HealthServer listening(HttpServer server, Supplier<Readiness> readiness, String version) {
        HealthServer health = new HealthServer(server, readiness, version);
        log.info(
                "health at http://{}:{}/_api/health",
                server.getAddress().getAddress().getHostAddress(),
                health.port());
        return health;
    }

    private static InetSocketAddress address(String host, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw new MusterException("gateway.host = " + host + " is no address of this machine", e);
        }
    }

    /** Where it listens. */
    public int port() {
        return server.getAddress().getPort();
    }

    private static void answer(HttpExchange exchange, String path, int status, String json) throws IOException {
        try (exchange) {
            boolean asked = exchange.getRequestURI().getPath().equals(path) || status == 404;
            boolean read = exchange.getRequestMethod().equals("GET")
                    || exchange.getRequestMethod().equals("HEAD");
            int code = !asked ? 404 : read ? status : 405;
            byte[] body = (code == status ? json : "{\"error\":\"" + (asked ? "only GET" : "not found") + "\"}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.getResponseHeaders().set("Cache-Control", "no-store");
            if (exchange.getRequestMethod().equals("HEAD")) {
                exchange.sendResponseHeaders(code, -1);
            } else {
                exchange.sendResponseHeaders(code, body.length);
                exchange.getResponseBody().write(body);
            }
        }
    }

    private static String escape(String text) {
        StringBuilder escaped = new StringBuilder();
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                escaped.append('\\').append(c);
            } else if (c < ' ') {
                escaped.append(String.format("\\u%04x", (int) c));
            } else {
                escaped.append(c);
            }
        }
        return escaped.toString();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
