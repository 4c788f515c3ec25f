package dev.muster.gateway.internal;

import dev.muster.access.AccessRefused;
import dev.muster.access.InvalidKeyRequest;
import dev.muster.config.ConfigException;
import dev.muster.document.internal.InvalidDocument;
import dev.muster.function.FunctionException;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.rpc.FunctionRefusals;
import dev.muster.graph.InvalidGraph;
import dev.muster.internal.config.DurationText;
import dev.muster.internal.runtime.LargeReads;
import dev.muster.job.InvalidJob;
import dev.muster.job.InvalidJobLimit;
import dev.muster.job.JobNotAllowed;
import dev.muster.job.KeyConflict;
import dev.muster.job.UnreadablePayload;
import dev.muster.ratelimit.InvalidRateLimit;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.InvalidName;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.ObserverRefusal;
import dev.muster.runtime.OutcomeUnknown;
import dev.muster.runtime.ReadTookTooLong;
import dev.muster.runtime.WaitInterrupted;
import dev.muster.schedule.CronChanged;
import dev.muster.schedule.InvalidCron;
import java.sql.SQLException;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns what a handler throws into what the caller gets. */
final class Failures {
    private static final Logger log = LoggerFactory.getLogger(Failures.class);

    /** The code of errors after which nobody knows whether the request was executed. */
    static final String OUTCOME_UNKNOWN = "outcome_unknown";

    private Failures() {}

    /** @param what the route, for the log */
    static Refusal of(Throwable thrown, Object what) {
        if (thrown instanceof Refusal refusal) {
            return refusal;
        }
        if (thrown instanceof MusterException ours) {
            return ofMuster(ours, what);
        }
        return unexpected(thrown, what);
    }

    private static Refusal ofMuster(MusterException e, Object what) {
        String message = String.valueOf(e.getMessage());
        if (e instanceof FunctionException function) {
            return FunctionRefusals.of(function);
        }
        if (e instanceof KeyConflict conflict) {
            return Refusal.of(409, "key_conflict", message)
                    .details(Map.of("existing", conflict.existing().toString()));
        }
        if (e instanceof JobNotAllowed) {
            return Refusal.forbidden(message);
        }
        if (e instanceof InvalidJob
                || e instanceof InvalidGraph
                || e instanceof InvalidCron
                || e instanceof InvalidKeyRequest
                || e instanceof InvalidJobLimit
                || e instanceof InvalidRateLimit
                || e instanceof InvalidName
                || e instanceof InvalidDocument
                || e instanceof DurationText.InvalidDuration
                || e instanceof JsonException
                || e instanceof ConfigException) {
            return Refusal.badRequest(message);
        }
        if (e instanceof CronChanged) {
            return Refusal.of(412, "precondition_failed", message);
        }
        if (e instanceof AccessRefused) {
            return Refusal.forbidden(message);
        }
        if (e instanceof ObserverRefusal) {
            return Refusal.of(403, "observer", message);
        }
        if (e instanceof OutcomeUnknown unknown) {
            log.warn("route={} the outcome is unknown: {}", what, message);
            Refusal refusal = Refusal.of(500, OUTCOME_UNKNOWN, message);
            return unknown.createdIds().isEmpty() ? refusal : refusal.details(Map.of("ids", unknown.createdIds()));
        }
        if (e instanceof DatabaseUnavailable || e instanceof WaitInterrupted) {
            log.warn("route={} the database does not answer: {}", what, message);
            return Refusal.unavailable(
                    "database_unavailable", "the database does not answer; nothing was done, try again");
        }
        if (e instanceof ReadTookTooLong) {
            log.warn("route={} {}", what, message);
            return Refusal.unavailable(
                    "database_unavailable", "the database did not answer in time; nothing was done, try again");
        }
        if (e instanceof LargeReads.TooMany) {
            return Refusal.unavailable("busy", message);
        }
        if (e instanceof UnreadablePayload) {
            return Refusal.of(422, "unreadable", message);
        }
        if (comesFromSql(e)) {
            return unexpected(e, what);
        }
        return Refusal.conflict(message);
    }

    private static boolean comesFromSql(Throwable e) {
        for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException) {
                return true;
            }
        }
        return false;
    }

    /** Tells the caller nothing of the inside; the log has it, with the request's id. */
    private static Refusal unexpected(Throwable thrown, Object what) {
        log.error("route={} failed", what, thrown);
        return Refusal.of(500, "internal", "the request failed; the node's log says why, under this request's id");
    }
}
