package dev.muster.config;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The {@code [gateway]} section: the HTTP ports of this node, and what they demand of callers.
 *
 * @param host the address to listen at. Default: 127.0.0.1
 * @param port the port of a node with the gateway role, 0 to 65535, 0 for any free one. If absent, {@code muster node} takes
 *     8080, or any free port if that is taken, and a node inside another program opens no port. Default: auto
 * @param healthPort a port that serves only health, 0 to 65535, also on nodes without the gateway role. Default: none
 * @param auth whether callers need a key or a token; without, the node listens on loopback only. Default: required
 * @param tlsCertificate a PEM file with the certificate and its chain; if absent, the port speaks plain HTTP. Default: none
 * @param tlsKey a PEM file with the certificate's private key. Default: none
 * @param maxBody how many bytes the body of a request may have, 1k to 64m. Default: 1m
 * @param maxDepth how many levels the JSON of a request may have, 1 to 500. Default: 64
 * @param maxCalls how many calls one JSON-RPC request may have, 1 to 10000. Default: 100
 * @param maxRequests how many requests are handled at the same time, 1 to 10000; others get 503. Default: 128
 * @param maxEventClients how many callers get live events at the same time, 1 to 100000; others get 503. Default: 1000
 * @param maxEventClientsPerCaller how many of them one key or subject of a token may be, 1 to 100000; more get 429. Default: 100
 * @param maxConnections how many connections there are at the same time, 10 to 1000000; then those that wait longest for a request are
 *     closed. If absent, {@link #maxRequests}, {@link #maxEventClients} and 1,000 together, or half of the files that the process may open if
 *     that is less. Default: auto
 * @param maxConnectionsPerAddress how many of them come from one address, 1 to 1000000. If absent, {@link #maxRequests} and {@link
 *     #maxEventClients} together, because behind a proxy all callers have its address. Default: auto
 * @param readTimeout how long the head of a request, and then its body, may take to arrive, 1s to 5m; a client has as much, and a second for each 32
 *     kB, to take the answer. Default: 10s
 * @param requestsPerMinute how many requests each caller may send in a minute; no limit if absent. Default: none
 * @param cors the origins from which browsers may call, such as https://ops.example.com. Default: none
 * @param drainNotice how long a draining node keeps serving after it has told load balancers that it is not ready. If absent, 5s, or
 *     nothing on loopback. Default: auto
 * @param drainTimeout how long a draining node waits for the requests that it handles. Default: 30s
 */
public record GatewayConfig(
        String host,
        Optional<Integer> port,
        Optional<Integer> healthPort,
        Auth auth,
        Optional<String> tlsCertificate,
        Optional<String> tlsKey,
        long maxBody,
        int maxDepth,
        int maxCalls,
        int maxRequests,
        int maxEventClients,
        int maxEventClientsPerCaller,
        Optional<Integer> maxConnections,
        Optional<Integer> maxConnectionsPerAddress,
        Duration readTimeout,
        Optional<Integer> requestsPerMinute,
        List<String> cors,
        Optional<Duration> drainNotice,
        Duration drainTimeout) {

    private static final Duration USUAL_NOTICE = Duration.ofSeconds(5);

    /** Connections beyond those that are needed: of clients that keep theirs, and of strangers. */
    private static final int MORE_CONNECTIONS = 1_000;

    static final Section SECTION = new Section("gateway");

    static final Setting<String> HOST =
            SECTION.setting("host", ValueType.text(), "127.0.0.1", "the address to listen at");
    static final Setting<Optional<Integer>> PORT = SECTION.automatic(
            "port",
            ValueType.integer(0, 65_535),
            "port of a node with the gateway role; auto is 8080 or any free one for muster node, none in other programs");
    static final Setting<Optional<Integer>> HEALTH_PORT = SECTION.optional(
            "health_port",
            ValueType.integer(0, 65_535),
            "port that serves only health, also on nodes without the gateway role; none when left out");
    static final Setting<Auth> AUTH = SECTION.setting(
            "auth",
            ValueType.choice(Auth.class),
            "required",
            "whether callers need an API key or a token; none is allowed on loopback only");
    static final Setting<Optional<String>> TLS_CERTIFICATE = SECTION.optional(
            "tls_certificate",
            ValueType.text(),
            "PEM file with the certificate and its chain, read again when it changes; plain HTTP when left out");
    static final Setting<Optional<String>> TLS_KEY =
            SECTION.optional("tls_key", ValueType.text(), "PEM file with the certificate's private key (PKCS #8)");
    static final Setting<Long> MAX_BODY = SECTION.setting(
            "max_body", ValueType.memory(1L << 10, 64L << 20), "1m", "how large the body of a request may be");
    static final Setting<Integer> MAX_DEPTH = SECTION.setting(
            "max_depth", ValueType.integer(1, 500), "64", "how many levels the JSON of a request may have");
    static final Setting<Integer> MAX_CALLS = SECTION.setting(
            "max_calls", ValueType.integer(1, 10_000), "100", "how many calls one JSON-RPC request may have");
    static final Setting<Integer> MAX_REQUESTS = SECTION.setting(
            "max_requests",
            ValueType.integer(1, 10_000),
            "128",
            "how many requests are handled at the same time; others get 503 and try again");
    static final Setting<Integer> MAX_EVENT_CLIENTS = SECTION.setting(
            "max_event_clients",
            ValueType.integer(1, 100_000),
            "1000",
            "how many callers get live events at the same time; others get 503");
    static final Setting<Integer> MAX_EVENT_CLIENTS_PER_CALLER = SECTION.setting(
            "max_event_clients_per_caller",
            ValueType.integer(1, 100_000),
            "100",
            "how many streams of live events one caller may have; more get 429");
    static final Setting<Optional<Integer>> MAX_CONNECTIONS = SECTION.automatic(
            "max_connections",
            ValueType.integer(10, 1_000_000),
            "how many connections there may be; then those that wait longest for a request are closed");
    static final Setting<Optional<Integer>> MAX_CONNECTIONS_PER_ADDRESS = SECTION.automatic(
            "max_connections_per_address",
            ValueType.integer(1, 1_000_000),
            "how many connections may come from one address; behind a proxy all come from the proxy's");
    static final Setting<Duration> READ_TIMEOUT = SECTION.setting(
            "read_timeout",
            ValueType.duration("1s", "5m"),
            "10s",
            "how long a head, a body and an answer may take on the way, each; an answer 1s more for each 32 kB");
    static final Setting<Optional<Integer>> REQUESTS_PER_MINUTE = SECTION.optionalOrNone(
            "requests_per_minute",
            ValueType.integer(1, 1_000_000_000),
            "how many requests each caller may send in a minute; no limit when left out");
    static final Setting<List<String>> CORS = SECTION.setting(
            "cors",
            new OriginsType(),
            "",
            "origins from which browsers may call, such as [\"https://ops.example.com\"]; none when left out");
    static final Setting<Optional<Duration>> DRAIN_NOTICE = SECTION.automatic(
            "drain_notice",
            ValueType.duration("0s", "5m"),
            "how long a draining node still serves after its readiness is 503; auto is 5s, or 0s on loopback");
    static final Setting<Duration> DRAIN_TIMEOUT = SECTION.setting(
            "drain_timeout",
            ValueType.duration("0s", "1h"),
            "30s",
            "how long a draining node waits for the requests that it handles");

    public GatewayConfig {
        cors = List.copyOf(cors);
    }

    static GatewayConfig from(Values values) {
        return new GatewayConfig(
                values.get(HOST),
                values.get(PORT),
                values.get(HEALTH_PORT),
                values.get(AUTH),
                values.get(TLS_CERTIFICATE),
                values.get(TLS_KEY),
                values.get(MAX_BODY),
                values.get(MAX_DEPTH),
                values.get(MAX_CALLS),
                values.get(MAX_REQUESTS),
                values.get(MAX_EVENT_CLIENTS),
                values.get(MAX_EVENT_CLIENTS_PER_CALLER),
                values.get(MAX_CONNECTIONS),
                values.get(MAX_CONNECTIONS_PER_ADDRESS),
                values.get(READ_TIMEOUT),
                values.get(REQUESTS_PER_MINUTE),
                values.get(CORS),
                values.get(DRAIN_NOTICE),
                values.get(DRAIN_TIMEOUT));
    }

    /** Whether callers need a key or a token. */
    public enum Auth {
        REQUIRED,
        /** Everybody on this machine may do everything; for development. */
        NONE
    }

    /** Whether only programs on this machine can reach the ports. */
    public boolean isLoopback() {
        return isLoopback(host);
    }

    static boolean isLoopback(String host) {
        return host.equals("localhost")
                || host.equals("::1")
                || host.equals("[::1]")
                || host.matches("127(\\.\\d{1,3}){3}");
    }

    /** How many connections there are, if the process may open files enough. */
    public int effectiveMaxConnections() {
        return maxConnections.orElse(maxRequests + maxEventClients + MORE_CONNECTIONS);
    }

    /** How many connections come from one address: by default, as many as a proxy can need. */
    public int effectiveMaxConnectionsPerAddress() {
        return maxConnectionsPerAddress.orElse(maxRequests + maxEventClients);
    }

    /** How long a draining node keeps serving after its readiness is 503. */
    public Duration effectiveDrainNotice() {
        return drainNotice.orElse(isLoopback() ? Duration.ZERO : USUAL_NOTICE);
    }
}
