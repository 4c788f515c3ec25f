package dev.muster.gateway.internal.auth;

import dev.muster.gateway.internal.pem.UnusableKeys;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.internal.runtime.LogContext;
import dev.muster.runtime.Clock;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys that an issuer publishes at {@code jwt.jwks_url}.
 *
 * <pre>
 *   none ── first keys ──▶ fresh ── 5 min ──▶ old ── 10 min ──▶ very old
 *                            ▲                 │                  │
 *                            └── keys are read ┴──────────────────┘
 * </pre>
 *
 * <p>Requests cause all reading; nothing is read while no tokens come. With old keys requests are served on while the keys are read, with very
 * old ones they wait for it. Keys that cannot be read again, or for which as many wait as may, are used further. A token that no key fits causes a reading too, once in 30
 * seconds at most: whoever makes up tokens cannot make the node ask the issuer more often.
 *
 * <p>Redirects are not followed: the operator has named one place whose keys are trusted.
 */
final class PublishedKeys implements TokenKeys {
    private static final Logger log = LoggerFactory.getLogger(PublishedKeys.class);

    static final Duration OLD = Duration.ofMinutes(5);
    static final Duration VERY_OLD = OLD.multipliedBy(2);

    /** Between two readings because of tokens that no key fits, and between two because of old keys. */
    static final Duration PAUSE = Duration.ofSeconds(30);

    /** Between two readings while there are no keys at all. */
    static final Duration FIRST_PAUSE = Duration.ofSeconds(5);

    static final int LARGEST = 1 << 20;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration PATIENCE_OF_REQUESTS = Duration.ofSeconds(2);

    /** How many requests wait at a time while the keys are read. */
    static final int MOST_WAITING = 8;

    private static final CompletableFuture<@Nullable Void> NOTHING = CompletableFuture.completedFuture(null);

    private final URI url;
    private final Clock clock;
    private final LogContext logContext;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT_TIMEOUT)
            .build();

    private final Duration patience;

    /** The places of those who wait while the keys are read. */
    final Semaphore waiting = new Semaphore(MOST_WAITING);

    private volatile @Nullable Read read;

    private CompletableFuture<@Nullable Void> underWay = NOTHING;
    private @Nullable Long begunAt;
    private @Nullable Long begunForUnknownAt;
    private volatile boolean failed;

    private record Read(KeySet keys, long at) {}

    PublishedKeys(URI url, Clock clock, LogContext logContext) {
        this(url, clock, logContext, PATIENCE_OF_REQUESTS);
    }

    /** @param patience for how long a request waits while the keys are read */
    PublishedKeys(URI url, Clock clock, LogContext logContext, Duration patience) {
        this.patience = patience;
        this.url = url;
        this.clock = clock;
        this.logContext = logContext;
    }

    /** Begins to read the keys, so that they are there when the first token comes. */
    void start() {
        begin(FIRST_PAUSE);
    }

    @Override
    public KeySet current() {
        Read now = read;
        if (now == null) {
            await(begin(FIRST_PAUSE));
            return require();
        }
        long age = clock.nanos() - now.at();
        if (age >= OLD.toNanos()) {
            CompletableFuture<@Nullable Void> reading = begin(PAUSE);
            if (age >= VERY_OLD.toNanos()) {
                await(reading);
            }
        }
        return require();
    }

    private KeySet require() {
        Read now = read;
        if (now == null) {
            throw unavailable();
        }
        return now.keys();
    }

    @Override
    public KeySet newerThan(KeySet tried) {
        if (require() != tried) {
            return require();
        }
        if (!await(beginForUnknown())) {
            throw unavailable();
        }
        return require();
    }

    private static Refusal unavailable() {
        return Refusal.unavailable(
                "keys_unavailable", "the keys with which tokens are verified could not be read yet; try again");
    }

    /** @return what is under way, or nothing if that was less than the pause ago */
    private synchronized CompletableFuture<@Nullable Void> begin(Duration pause) {
        if (underWay.isDone() && isOver(begunAt, pause)) {
            begunAt = clock.nanos();
            underWay = fetch();
        }
        return underWay;
    }

    private synchronized CompletableFuture<@Nullable Void> beginForUnknown() {
        if (underWay.isDone() && isOver(begunForUnknownAt, PAUSE)) {
            begunForUnknownAt = clock.nanos();
            begunAt = begunForUnknownAt;
            underWay = fetch();
        }
        return underWay;
    }

    private boolean isOver(@Nullable Long since, Duration pause) {
        return since == null || clock.nanos() - since >= pause.toNanos();
    }

    /**
     * Waits for a moment, unless many do so already. Whose requests they are is not known yet, and each of them has a place that a known caller
     * could have.
     *
     * @return whether it has ended
     */
    private boolean await(CompletableFuture<@Nullable Void> reading) {
        if (reading.isDone()) {
            return true;
        }
        if (!waiting.tryAcquire()) {
            return false;
        }
        try {
            return isDoneSoon(reading);
        } finally {
            waiting.release();
        }
    }

    private boolean isDoneSoon(CompletableFuture<@Nullable Void> reading) {
        try {
            reading.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (ExecutionException | CancellationException e) {
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private CompletableFuture<@Nullable Void> fetch() {
        HttpRequest request = HttpRequest.newBuilder(url)
                .header("Accept", "application/jwk-set+json, application/json")
                .timeout(READ_TIMEOUT)
                .build();
        CompletableFuture<HttpResponse<byte[]>> exchange =
                http.sendAsync(request, response -> new LimitedBody(LARGEST));
        // The request's own timeout ends with the answer's headers; the body may come as slowly as it likes.
        return exchange.copy()
                .orTimeout(READ_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((response, failure) -> exchange.cancel(true))
                .handle((response, failure) -> {
                    logContext.run("gateway", () -> ended(response, failure));
                    return null;
                });
    }

    private void ended(@Nullable HttpResponse<byte[]> response, @Nullable Throwable failure) {
        try {
            if (response == null) {
                throw new UnusableKeys("cannot be read: " + reason(failure));
            }
            if (response.statusCode() != 200) {
                throw new UnusableKeys("answers with status " + response.statusCode() + " instead of 200"
                        + (response.statusCode() / 100 == 3 ? "; redirects are not followed" : ""));
            }
            KeySet keys = KeySet.readJwks(new String(response.body(), StandardCharsets.UTF_8));
            read = new Read(keys, clock.nanos());
            if (failed) {
                log.info("jwt.jwks_url: the keys were read again url={}", url);
            }
            failed = false;
        } catch (UnusableKeys e) {
            if (!failed) {
                log.warn(
                        "jwt.jwks_url: {}, because {} {}",
                        read == null ? "no token can be verified" : "the old keys stay",
                        url,
                        e.getMessage());
            }
            failed = true;
        }
    }

    private static String reason(@Nullable Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof TimeoutException) {
            return "it takes longer than " + READ_TIMEOUT.toSeconds() + " s";
        }
        return String.valueOf(cause);
    }
}
