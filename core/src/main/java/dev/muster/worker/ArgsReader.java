package dev.muster.worker;

import dev.muster.job.UnreadablePayload;
import dev.muster.job.payload.Payloads;
import dev.muster.job.store.ClaimedJob;
import dev.muster.runtime.Clock;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.runtime.MusterException;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns the stored args of a job into the value that its handler takes. */
final class ArgsReader {
    private static final Logger log = LoggerFactory.getLogger(ArgsReader.class);
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int MAX_KEYS = 1_000;

    private final JsonCodec json;
    private final Payloads payloads;
    private final Clock clock;
    private final Map<String, Long> reported = new ConcurrentHashMap<>();

    ArgsReader(JsonCodec json, Payloads payloads, Clock clock) {
        this.json = json;
        this.payloads = payloads;
        this.clock = clock;
    }

    /**
     * The args as JSON. Also called if the handler takes none, because a node that lacks the job's key would store its result in
     * plain text.
     *
     * @throws UnreadablePayload if the args cannot be decrypted, or are in plain text and must not be; logged once a minute for
     *     each key
     */
    String open(ClaimedJob job, String stored) {
        try {
            return payloads.openToRun(job.id(), stored);
        } catch (UnreadablePayload e) {
            report(job, e);
            throw e;
        }
    }

    private void report(ClaimedJob job, UnreadablePayload e) {
        long now = clock.nanos();
        if (reported.size() >= MAX_KEYS) {
            reported.clear();
        }
        Long before = reported.get(e.keyId());
        boolean due = before == null
                ? reported.putIfAbsent(e.keyId(), now) == null
                : now - before >= QUIET_NANOS && reported.replace(e.keyId(), before, now);
        if (due) {
            log.error(
                    "job={} job_name={} kid={} not started and put back in the queue: {}",
                    job.id(),
                    job.name(),
                    e.keyId(),
                    e.getMessage());
        }
    }

    /**
     * @param sealed whether the args are stored encrypted
     * @throws BadArgs if the args do not fit the handler's type
     */
    @Nullable
    Object bind(OpenClaim claim, String args, boolean sealed) {
        Type type = claim.handler().argsType();
        if (type == null) {
            return null;
        }
        try {
            Object bound = json.read(args, type);
            if (bound == null) {
                throw new BadArgs(
                        "the handler needs args of type " + type.getTypeName()
                                + ", but the job has none, which no retry can change",
                        null);
            }
            return bound;
        } catch (JsonException e) {
            String problem = "args do not fit " + type.getTypeName() + ", which no retry can change: ";
            if (sealed) {
                // The message may quote the args, and errors are stored in plain text.
                throw new BadArgs(problem + "what is wrong is not said, because they are encrypted", null);
            }
            throw new BadArgs(problem + e.getMessage(), e);
        }
    }

    /** The args do not fit the handler's type, so that a retry would not help. */
    static final class BadArgs extends MusterException {
        private static final long serialVersionUID = 1L;

        BadArgs(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }
}
