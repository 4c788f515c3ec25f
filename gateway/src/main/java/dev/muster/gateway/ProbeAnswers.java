package dev.muster.gateway;

import dev.muster.gateway.route.Answer;
import dev.muster.gateway.route.Route;
import dev.muster.health.Probes;
import dev.muster.health.Readiness;
import dev.muster.job.RawJson;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Answers the two probes. Readiness probes that come at the same time share one look at the database. */
final class ProbeAnswers {
    private static final long PATIENCE_MS = 4_000;
    private static final Answer SILENT =
            new Answer(503, new RawJson("{\"ready\":false,\"database\":false}"), Answer.JSON, Map.of());

    private final Probes probes;
    private @Nullable CompletableFuture<Answer> underWay;

    ProbeAnswers(Probes probes) {
        this.probes = probes;
    }

    Answer answer(Route route) {
        return route.path().equals(Probes.HEALTH) ? Answer.of(new RawJson(probes.health())) : ready();
    }

    private Answer ready() {
        CompletableFuture<Answer> look;
        synchronized (this) {
            look = underWay;
            if (look == null) {
                look = new CompletableFuture<>();
                underWay = look;
                Thread thread = new Thread(look(look), "muster-readiness");
                thread.setDaemon(true);
                thread.start();
            }
        }
        try {
            return look.get(PATIENCE_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            return SILENT;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return SILENT;
        }
    }

    private Runnable look(CompletableFuture<Answer> answer) {
        return () -> {
            try {
                Readiness now = probes.readiness();
                answer.complete(new Answer(now.ready() ? 200 : 503, new RawJson(now.json()), Answer.JSON, Map.of()));
            } catch (RuntimeException | Error e) {
                answer.completeExceptionally(e);
            } finally {
                synchronized (ProbeAnswers.this) {
                    underWay = null;
                }
            }
        };
    }
}
