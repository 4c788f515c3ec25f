package dev.muster.internal.schedule;

import dev.muster.internal.job.payload.Payloads;
import dev.muster.internal.runtime.StorableJson;
import dev.muster.job.Enqueuer;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.JobType;
import dev.muster.job.RawJson;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.schedule.CronDefinition;
import dev.muster.schedule.CronSpec;
import dev.muster.schedule.InvalidCron;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

/** Builds what is stored for a cron, and the jobs that its ticks enqueue. */
public final class CronJobs {
    /** Metadata of a cron's job: the cron's name. */
    public static final String CRON = "muster.cron";

    static final String TICK = "muster.tick";
    static final String LATENESS = "muster.lateness_ms";
    static final String CATCH_UP = "muster.catch_up";
    static final String TRIGGERED = "muster.triggered";

    private final JsonCodec json;
    private final Payloads payloads;

    public CronJobs(JsonCodec json, Payloads payloads) {
        this.json = json;
        this.payloads = payloads;
    }

    CronDefinition definition(CronSpec spec) {
        JobRequest job = spec.job();
        return new CronDefinition(
                spec.name(),
                spec.expression().strip(),
                spec.zone().getId(),
                spec.misfire(),
                spec.catchUpLimit(),
                spec.overlap(),
                spec.jitter(),
                job.name(),
                payloads.sealCron(sealId(spec.name()), spec.name(), args(spec)),
                job.options());
    }

    private StorableJson args(CronSpec spec) {
        Object args = spec.job().args().orElse(null);
        try {
            String text = args == null ? "null" : args instanceof RawJson raw ? raw.text() : json.write(args);
            if (args instanceof RawJson) {
                json.check(text, Object.class);
            }
            StorableJson storable = StorableJson.of(text);
            if (storable.isTooLarge()) {
                throw new InvalidCron("cron '" + spec.name() + "': its args have " + storable.bytes()
                        + " bytes; at most " + StorableJson.MAX_BYTES + " are allowed");
            }
            return storable;
        } catch (JsonException e) {
            throw new InvalidCron("cron '" + spec.name() + "': its args are not valid JSON: " + e.getMessage(), e);
        }
    }

    /** Encrypted args are bound to their owner, which here is the cron's name instead of a job id. */
    private static JobId sealId(String cron) {
        return JobId.of(UUID.nameUUIDFromBytes(("muster cron " + cron).getBytes(StandardCharsets.UTF_8)));
    }

    /** The job that a tick enqueues. */
    JobRequest tick(JobId id, CronDefinition cron, Instant tick, Instant now, boolean catchUp) {
        JobRequest request = request(cron)
                .id(id)
                .at(tick.plus(jitter(cron, tick)))
                .engineMetadata(TICK, tick.toString())
                .engineMetadata(
                        LATENESS, String.valueOf(Duration.between(tick, now).toMillis()));
        return catchUp ? request.engineMetadata(CATCH_UP, "true") : request;
    }

    JobId enqueueTriggered(Enqueuer enqueuer, CronDefinition cron, Instant now) {
        return enqueuer.enqueue(
                request(cron).engineMetadata(TICK, now.toString()).engineMetadata(TRIGGERED, "true"));
    }

    /** Turns a {@link #definition} back into the spec it was made from. */
    CronSpec spec(CronDefinition cron) {
        return CronSpec.of(
                        cron.name(),
                        cron.expression(),
                        job(cron, payloads.readCron(sealId(cron.name()), cron.name(), cron.args())))
                .zone(cron.zoneId())
                .catchUp(cron.catchUpLimit())
                .misfire(cron.misfire())
                .overlap(cron.overlap())
                .jitter(cron.jitter());
    }

    private JobRequest request(CronDefinition cron) {
        String args = payloads.openCron(sealId(cron.name()), cron.name(), cron.args());
        return job(cron, args).engineMetadata(CRON, cron.name());
    }

    /** The request names a type, so that the job can be enqueued while no node with its handler is up. */
    private JobRequest job(CronDefinition cron, String args) {
        return JobRequest.of(JobType.of(cron.job(), RawJson.class, Object.class), new RawJson(args))
                .options(cron.options());
    }

    /** The same tick always gets the same jitter; it differs from cron to cron. */
    private static Duration jitter(CronDefinition cron, Instant tick) {
        long range = cron.jitter().toMillis();
        if (range == 0) {
            return Duration.ZERO;
        }
        long mixed = (cron.name().hashCode() * 31L + tick.getEpochSecond()) * 0x9E3779B97F4A7C15L;
        return Duration.ofMillis(Long.remainderUnsigned(mixed ^ mixed >>> 32, range + 1));
    }
}
