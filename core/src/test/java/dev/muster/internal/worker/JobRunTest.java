package dev.muster.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.attempt.AttemptRules;
import dev.muster.internal.job.payload.Payloads;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimStore;
import dev.muster.internal.job.store.ClaimStore.Content;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.DependencyStore;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.runtime.StorableJson;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.job.BackoffPolicy;
import dev.muster.job.JobHandler;
import dev.muster.job.JobId;
import dev.muster.job.JobListener;
import dev.muster.job.Jobs;
import dev.muster.job.Lane;
import dev.muster.job.Priority;
import dev.muster.job.payload.PayloadCipher;
import dev.muster.runtime.Clock;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What becomes of a job whose args did not come with the claim and cannot be read. */
class JobRunTest {
    private static final JobId ID = JobId.of(new UUID(0x7000, 0x8000000000000000L));
    private static final Lane LANE = new Lane("default", "");
    private static final Duration LONG = Duration.ofHours(1);

    private final Completer completer = new Completer();
    private final ClaimTable claims = new ClaimTable();
    private final AtomicInteger runs = new AtomicInteger();

    private Outcome outcomeOf(Payloads payloads, Supplier<Optional<Content>> content) {
        ClaimStore store = proxy(ClaimStore.class, content);
        Clock clock = Clock.system();
        ClaimedJob job = new ClaimedJob(new ClaimRef(ID, 7), 1, "job", LANE, 1, null, null, 0, false, null, null, null);
        JobHandler handler = new JobHandler(
                "job",
                LANE,
                Priority.NORMAL,
                BackoffPolicy.DEFAULT,
                null,
                null,
                (context, args) -> runs.incrementAndGet());
        JobRun run = new JobRun(
                new HandlerAccess(
                        "n",
                        () -> {
                            throw new SQLException("no connection");
                        },
                        proxy(Jobs.class, Optional::empty)),
                store,
                new AttemptRules(
                        proxy(JsonCodec.class, () -> "null"),
                        payloads,
                        (id, stored) -> Optional.empty(),
                        List.of(),
                        ThreadLocalRandom::current,
                        clock),
                new OpenWork(claims, completer, new OpenCompletions(), new JobLogBuffer(store, clock)),
                new FollowUps(
                        new OutcomeReports("n", new JobListener() {}, TelemetryListeners.none()),
                        new Dependents(proxy(DependencyStore.class, Set::of), lanes -> {}),
                        lanes -> {},
                        lanes -> {},
                        lines -> {}),
                TelemetryListeners.none(),
                clock);
        run.run(new OpenClaim(job, handler, TestExecutors.idle(), clock.nanos(), LONG, LONG));
        List<Outcome> outcomes = completer.take(10);
        assertThat(outcomes).hasSize(1);
        return outcomes.get(0);
    }

    private static <T> T proxy(Class<T> type, Supplier<?> answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> answer.get()));
    }

    private static Payloads withKey(String name) {
        return new Payloads(PayloadCipher.aesGcm(Map.of(name, new byte[32]), name));
    }

    private void assertWaits(Outcome outcome, String why) {
        assertThat(outcome).isInstanceOfSatisfying(Outcome.Snoozed.class, snoozed -> {
            assertThat(snoozed.delay()).isEqualTo(Duration.ofSeconds(30));
            assertThat(snoozed.error()).contains(why);
        });
        assertThat(runs).as("the handler was not entered").hasValue(0);
    }

    @Test
    void argsForWhichThisNodeHasNoKeyWaitForOneThatHas() {
        String sealed = withKey("k1").seal(ID, Payloads.Kind.ARGS, StorableJson.of("{}"));
        for (Payloads other : List.of(withKey("k2"), new Payloads(PayloadCipher.none()))) {
            assertWaits(outcomeOf(other, () -> Optional.of(new Content(sealed, null))), "'k1'");
        }
        assertThat(outcomeOf(withKey("k1"), () -> Optional.of(new Content(sealed, null))))
                .isInstanceOf(Outcome.Completed.class);
    }

    /** In front of the others it would be claimed again at once, by the same node, for as long as this lasts. */
    @Test
    void argsThatTheDatabaseRefusesToReadWaitForAWhile() {
        assertWaits(
                outcomeOf(withKey("k1"), () -> {
                    throw new MusterException("the database refused a statement (SQLSTATE 57014): too slow");
                }),
                "57014");
    }

    @Test
    void argsThatCannotBeReadBecauseTheDatabaseIsAwayGoBackToTheirQueue() {
        Outcome outcome = outcomeOf(withKey("k1"), () -> {
            throw new DatabaseUnavailable("the database cannot be reached", null);
        });
        assertThat(outcome).isInstanceOf(Outcome.Released.class);
        assertThat(runs).hasValue(0);
    }
}
