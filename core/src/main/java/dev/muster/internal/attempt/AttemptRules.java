package dev.muster.internal.attempt;

import dev.muster.internal.job.JobRetries;
import dev.muster.internal.job.payload.Payloads;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.EnginePhrase;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.runtime.Plural;
import dev.muster.internal.runtime.StorableJson;
import dev.muster.job.JobContext;
import dev.muster.job.JobHandler;
import dev.muster.job.JobId;
import dev.muster.job.JobInterceptor;
import dev.muster.job.RawJson;
import dev.muster.job.Requester;
import dev.muster.job.Snooze;
import dev.muster.job.UnreadablePayload;
import dev.muster.runtime.Clock;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.runtime.MusterException;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Calls handlers and decides what becomes of their jobs; see the package description. One object serves all attempts of a node, on
 * any number of threads.
 */
public final class AttemptRules {
    /** How many bytes of JSON a result may have, as it is stored. */
    public static final int MAX_RESULT = StorableJson.MAX_BYTES;

    private static final Duration PUT_BACK_DELAY = Duration.ofSeconds(30);

    private final JsonCodec json;
    private final Payloads payloads;
    private final ArgsSource source;
    private final List<JobInterceptor> interceptors;
    private final Supplier<? extends RandomGenerator> random;
    private final Clock clock;

    /**
     * @param source supplies args that are stored as a reference
     * @param random returns the source for the random share of waits, for the calling thread
     * @param clock measures how long attempts ran
     */
    public AttemptRules(
            JsonCodec json,
            Payloads payloads,
            ArgsSource source,
            List<JobInterceptor> interceptors,
            Supplier<? extends RandomGenerator> random,
            Clock clock) {
        this.json = json;
        this.payloads = payloads;
        this.source = source;
        this.interceptors = List.copyOf(interceptors);
        this.random = random;
        this.clock = clock;
    }

    /** The codec of args, results and metadata. */
    public JsonCodec json() {
        return json;
    }

    /**
     * The args as JSON, fetched if they are stored as a reference. Also called if the handler takes none, because a node that lacks the
     * job's key would store its result in plain text.
     *
     * @throws UnreadablePayload if the args cannot be decrypted, or are in plain text and must not be; the job is then {@linkplain
     *     #putBack put back}
     * @throws BadArgs if the reference leads to nothing, or the args are too large to be read; the attempt has then {@linkplain #failure
     *     failed}
     */
    public OpenArgs openArgs(JobId job, String stored) {
        try {
            return source.open(job, stored)
                    .orElseGet(() -> new OpenArgs(payloads.openToRun(job, stored), Payloads.isEnvelope(stored)));
        } catch (JsonException e) {
            throw new BadArgs(e.getMessage() + ", which no retry can change", e);
        }
    }

    /** The outcome of a job whose args cannot be read here. */
    public Outcome putBack(Attempt attempt, String nodeId, String why) {
        return putBack(claim(attempt), nodeId, why);
    }

    /** The same for a claim. */
    public static Outcome putBack(ClaimRef claim, String nodeId, @Nullable String why) {
        return new Outcome.Snoozed(
                claim, PUT_BACK_DELAY, ErrorText.of(EnginePhrase.PUT_BACK.text() + nodeId + ": " + why));
    }

    /** The outcome of a job that has reached its limit of crashes, so that its handler must not be entered. */
    public Optional<Outcome> tooManyCrashes(Attempt attempt) {
        int crashes = attempt.job().crashes();
        if (crashes == 0 || crashes < attempt.retries().maxCrashes()) {
            return Optional.empty();
        }
        return Optional.of(new Outcome.Failed(
                claim(attempt), "its node died running it " + Plural.of(crashes, "time") + "; too often to try again"));
    }

    /**
     * The outcome of a job that a caller of a tenant has asked for, if its handler here is not open to tenants, so that it must not be entered.
     * The gateway has asked the nodes before; since then the handler may have been closed.
     *
     * @param metadata as it is stored
     */
    public Optional<Outcome> closedToTenants(Attempt attempt, @Nullable String metadata) {
        boolean closed = metadata != null
                && !attempt.handler().tenants()
                && metadata.contains(Requester.TENANT)
                && metadata(metadata).containsKey(Requester.TENANT);
        return closed
                ? Optional.of(new Outcome.Failed(
                        claim(attempt),
                        "a caller of a tenant has asked for it, but its handler is not open to tenants"
                                + " (@Job(tenants = true), or tenants.jobs in the settings of its node)"))
                : Optional.empty();
    }

    /**
     * Binds the args and calls the interceptors and the handler on the current thread. Throws nothing that they throw.
     *
     * @param args as {@link #openArgs} returned them
     */
    public HandlerEnd call(Attempt attempt, JobContext context, OpenArgs args) {
        Object value = null;
        Throwable failure = null;
        try {
            JobHandler handler = attempt.handler();
            value = proceed(handler, context, bind(handler, args), 0);
        } catch (Throwable e) {
            failure = e;
        }
        return new HandlerEnd(value, failure, Thread.interrupted());
    }

    private @Nullable Object bind(JobHandler handler, OpenArgs args) {
        if (handler.body().bindsArgs()) {
            return args;
        }
        Type type = handler.argsType();
        if (type == null) {
            return null;
        }
        if (type == RawJson.class) {
            return new RawJson(args.json());
        }
        try {
            Object bound = json.read(args.json(), type);
            if (bound == null) {
                throw new BadArgs(
                        "the handler needs args of type " + type.getTypeName()
                                + ", but the job has none, which no retry can change",
                        null);
            }
            return bound;
        } catch (JsonException e) {
            String problem = "args do not fit " + type.getTypeName() + ", which no retry can change: ";
            if (args.sealed()) {
                // The message may quote the args, and errors are stored in plain text.
                throw new BadArgs(problem + "what is wrong is not said, because they are encrypted", null);
            }
            throw new BadArgs(problem + e.getMessage(), e);
        }
    }

    private @Nullable Object proceed(JobHandler handler, JobContext context, @Nullable Object args, int next)
            throws Exception {
        if (next == interceptors.size()) {
            return handler.body().run(context, args);
        }
        return interceptors.get(next).run(context, () -> proceed(handler, context, args, next + 1));
    }

    /**
     * What becomes of a job whose handler has ended, has not found its claim lost, and has not called {@code completeIn}.
     *
     * <p>If writing the result breaks off with something other than a {@link MusterException}, for example because memory ran out,
     * this method throws it, and the attempt has {@linkplain #failure failed} with it.
     */
    public Outcome outcome(Attempt attempt, HandlerEnd ended) {
        Throwable failure = ended.failure();
        if (failure == null) {
            // A subsystem's handler may say itself what becomes of its job.
            return ended.value() instanceof Outcome own ? own : completed(attempt, ended.value());
        }
        return failure instanceof Snooze snooze
                ? new Outcome.Snoozed(claim(attempt), snooze.delay(), null, ran(attempt))
                : failure(attempt, failure);
    }

    private Outcome completed(Attempt attempt, @Nullable Object value) {
        try {
            return new Outcome.Completed(
                    claim(attempt), storedResult(attempt.job().id(), value), ran(attempt));
        } catch (ResultTooLarge e) {
            return new Outcome.Failed(claim(attempt), e.getMessage(), ran(attempt));
        } catch (JsonException e) {
            return new Outcome.Failed(
                    claim(attempt),
                    ErrorText.of("its result cannot be written as JSON: " + e.getMessage()),
                    ran(attempt));
        } catch (MusterException e) {
            return failure(attempt, e);
        }
    }

    /** The result as it is stored. */
    @Nullable
    String storedResult(JobId job, @Nullable Object value) {
        if (value == null) {
            return null;
        }
        String text = value instanceof RawJson raw ? raw.text() : json.write(value);
        if (value instanceof RawJson) {
            json.check(text, Object.class);
        }
        StorableJson result = StorableJson.of(text);
        if (result.isTooLarge()) {
            throw new ResultTooLarge(result.bytes(), MAX_RESULT);
        }
        return payloads.seal(job, Payloads.Kind.RESULT, result);
    }

    /** What becomes of a job whose attempt failed: another attempt, or a dead letter. */
    public Outcome failure(Attempt attempt, Throwable failure) {
        String error = ErrorText.of(failure);
        JobRetries retries = attempt.retries();
        int number = attempt.job().attempt();
        if (!(failure instanceof BadArgs) && retries.retries(number, failure)) {
            return new Outcome.Retried(
                    claim(attempt),
                    error,
                    retries.delayAfter(number, failure, random.get()),
                    ran(attempt),
                    null,
                    failure);
        }
        return new Outcome.Failed(claim(attempt), error, ran(attempt), null, failure);
    }

    /**
     * The failure of an attempt whose {@code completeIn} transaction was not committed.
     *
     * @param thrown what the handler threw; null if it returned
     */
    public static Throwable failureOfRollback(@Nullable Throwable thrown) {
        return thrown != null ? thrown : new MusterException("the transaction of completeIn was not committed");
    }

    /** How long the attempt has taken so far. */
    public Duration ran(Attempt attempt) {
        return Duration.ofNanos(clock.nanos() - attempt.startedAt());
    }

    private static ClaimRef claim(Attempt attempt) {
        return attempt.job().claim();
    }

    /** The metadata of a job, which is stored as JSON; null if it has none. */
    Map<String, String> metadata(@Nullable String stored) {
        if (stored == null) {
            return Map.of();
        }
        Map<String, String> read = new HashMap<>();
        if (json.read(stored, Map.class) instanceof Map<?, ?> values) {
            values.forEach((name, value) -> read.put(String.valueOf(name), String.valueOf(value)));
        }
        return read;
    }
}
