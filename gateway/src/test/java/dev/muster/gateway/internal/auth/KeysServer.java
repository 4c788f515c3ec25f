package dev.muster.gateway.internal.auth;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** Publishes keys on loopback. */
public final class KeysServer implements AutoCloseable {
    private final HttpServer server;
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger requestsElsewhere = new AtomicInteger();
    private volatile String document;
    private volatile int status = 200;
    private volatile boolean silent;

    public KeysServer(String document) {
        this.document = document;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/keys", exchange -> {
            requests.incrementAndGet();
            if (!silent) {
                answer(exchange, status);
            }
        });
        server.createContext("/elsewhere", exchange -> {
            requestsElsewhere.incrementAndGet();
            answer(exchange, 200);
        });
        server.start();
    }

    private void answer(HttpExchange exchange, int with) throws IOException {
        byte[] body = document.getBytes(StandardCharsets.UTF_8);
        if (with == 302) {
            exchange.getResponseHeaders().add("Location", "/elsewhere");
        }
        exchange.sendResponseHeaders(with, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/keys";
    }

    public void publish(String newDocument) {
        document = newDocument;
    }

    public void answerWith(int newStatus) {
        status = newStatus;
    }

    /** From now on requests are not answered. */
    void fallSilent() {
        silent = true;
    }

    public int requests() {
        return requests.get();
    }

    int requestsElsewhere() {
        return requestsElsewhere.get();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
