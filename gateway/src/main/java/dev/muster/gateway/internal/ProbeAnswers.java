package dev.muster.gateway.internal;

import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Route;
import dev.muster.health.Probes;
import dev.muster.health.Readiness;
import dev.muster.job.RawJson;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the two probes. Readiness probes that come at the same time share one look at the database.
 *
 * <p>Whoever probes waits for a second, as a rule. A look that takes longer is not waited for: until it ends, or has taken too long as well, the
 * answer is that of the look before. So a database that has fallen silent is a 503 in time, and a moment in which it is slow is none.
 *
 * <p>Anybody may probe. So only {@value #MOST_WAITING} wait at the same time; the others get the answer of the look before at once.
 */
final class ProbeAnswers {
    private static final Logger log = LoggerFactory.getLogger(ProbeAnswers.class);

    /** How many probes wait for a look at the same time, each with a thread of the server. */
    static final int MOST_WAITING = 16;

    private static final Duration SOON = Duration.ofMillis(800);
    private static final Duration PATIENCE = Duration.ofSeconds(4);
    private static final Answer SILENT =
            new Answer(503, new RawJson("{\"ready\":false,\"database\":false}"), Answer.JSON, Map.of());

    private final Probes probes;
    private final Duration soon;
    private final Duration patience;
    private final Semaphore places = new Semaphore(MOST_WAITING);
    private @Nullable Look underWay;
    private @Nullable Answer before;

    private static final class Look {
        private final CompletableFuture<Answer> answer = new CompletableFuture<>();
        private final long begun = System.nanoTime();

        private Duration left(Duration limit) {
            return limit.minusNanos(System.nanoTime() - begun);
        }
    }

    ProbeAnswers(Probes probes) {
        this(probes, SOON, PATIENCE);
    }

    /**
     * @param soon within this time there is an answer, once there has been one
     * @param patience how long a look may take
     */
    ProbeAnswers(Probes probes, Duration soon, Duration patience) {
        this.probes = probes;
        this.soon = soon;
        this.patience = patience;
    }

    Answer answer(Route route) {
        return route.path().equals(Probes.HEALTH) ? Answer.of(new RawJson(probes.health())) : ready();
    }

    Answer ready() {
        Look look;
        Answer last;
        synchronized (this) {
            last = before;
            look = underWay;
            if (look == null) {
                look = new Look();
                underWay = look;
                Thread thread = new Thread(look(look), "muster-readiness");
                thread.setDaemon(true);
                thread.start();
            }
        }
        if (!places.tryAcquire()) {
            return look.answer.getNow(meanwhile(look, last));
        }
        try {
            return answer(look, last);
        } finally {
            places.release();
        }
    }

    private Answer meanwhile(Look look, @Nullable Answer last) {
        return last == null || look.left(patience).isNegative() ? SILENT : last;
    }

    private Answer answer(Look look, @Nullable Answer last) {
        try {
            Duration wait = last == null ? look.left(patience) : soon;
            return look.answer.get(wait.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return meanwhile(look, last);
        } catch (ExecutionException e) {
            return SILENT;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return SILENT;
        }
    }

    private Runnable look(Look look) {
        return () -> {
            Answer found = SILENT;
            try {
                Readiness now = probes.readiness();
                found = new Answer(now.ready() ? 200 : 503, new RawJson(now.json()), Answer.JSON, Map.of());
            } catch (RuntimeException | Error e) {
                log.debug("whether the node is ready could not be found out", e);
            }
            // First, so that whoever has got the answer finds no look under way.
            synchronized (ProbeAnswers.this) {
                underWay = null;
                before = found;
            }
            look.answer.complete(found);
        };
    }
}
