package dev.muster.schedule;

import dev.muster.internal.runtime.Names;
import dev.muster.job.JobOptions;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * A cron as it is stored.
 *
 * @param args JSON, or the envelope of encrypted JSON
 * @param options the options of its jobs; the handler's options apply where these are null
 */
public record CronDefinition(
        String name,
        String expression,
        String zone,
        Misfire misfire,
        int catchUpLimit,
        Overlap overlap,
        Duration jitter,
        String job,
        String args,
        JobOptions options) {
    private static final int MAX_CATCH_UP = 1_000;
    private static final Duration MAX_JITTER = Duration.ofDays(1);

    /** @throws InvalidCron if the definition cannot be stored; whether it ever ticks is checked by {@link #schedule()} */
    public CronDefinition {
        Names.require("cron name", name);
        Names.require("job name", job);
        if (catchUpLimit < 1 || catchUpLimit > MAX_CATCH_UP) {
            throw new InvalidCron(
                    "cron '" + name + "': catchUpLimit must be 1 to " + MAX_CATCH_UP + ", not " + catchUpLimit);
        }
        if (jitter.isNegative() || jitter.compareTo(MAX_JITTER) > 0) {
            throw new InvalidCron("cron '" + name + "': jitter must be 0s to 1d, not " + jitter);
        }
    }

    /** @throws InvalidCron if the expression is wrong, or this JVM does not know the zone */
    public Schedule schedule() {
        return Schedule.parse(expression, zoneId());
    }

    /** @throws InvalidCron if this JVM does not know the zone */
    public ZoneId zoneId() {
        return zone(name, zone);
    }

    private static ZoneId zone(String cron, String zone) {
        try {
            return ZoneId.of(zone);
        } catch (DateTimeException e) {
            throw new InvalidCron(
                    "cron '" + cron + "': there is no time zone '" + zone + "'; allowed are UTC and names such as"
                            + " Europe/Berlin",
                    e);
        }
    }

    /** A hash that is equal for equal definitions, on every node. */
    public String fingerprint() {
        List<Object> parts = Arrays.asList(
                expression.strip(),
                zone,
                misfire,
                misfire == Misfire.CATCH_UP ? catchUpLimit : 0,
                overlap,
                jitter.toMillis(),
                job,
                args,
                options.queue(),
                options.capability(),
                options.priority(),
                options.maxAttempts(),
                options.maxCrashes(),
                options.timeout() == null ? null : options.timeout().toMillis());
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(parts.toString().toLowerCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
