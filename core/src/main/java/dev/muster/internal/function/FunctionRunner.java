package dev.muster.internal.function;

import dev.muster.function.FunctionCall;
import dev.muster.function.FunctionError;
import dev.muster.function.FunctionException;
import dev.muster.internal.function.CallContext.JobsIn;
import dev.muster.internal.node.HandlerTransactions;
import dev.muster.internal.node.HandlerTransactions.LostCommit;
import dev.muster.internal.runtime.Durations;
import dev.muster.internal.runtime.SqlErrors;
import dev.muster.job.JobId;
import dev.muster.job.RawJson;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.OutcomeUnknown;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the handler of a call that was let in: its time, its transaction, and what becomes of what it returns or throws. */
final class FunctionRunner {
    private static final Logger log = LoggerFactory.getLogger(FunctionRunner.class);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final HandlerTransactions transactions;
    private final JobsIn jobs;
    private final JsonCodec json;
    private final CallWatch watch;

    FunctionRunner(HandlerTransactions transactions, JobsIn jobs, JsonCodec json, CallWatch watch) {
        this.transactions = transactions;
        this.jobs = jobs;
        this.json = json;
        this.watch = watch;
    }

    /** Another transaction was in the way of a mutation, which was rolled back. */
    private static final class Conflict extends Exception {
        private static final long serialVersionUID = 1L;

        Conflict(Throwable cause) {
            super(null, cause, false, false);
        }
    }

    /** Returns the result as JSON. */
    String run(FunctionHandler function, FunctionCall call, @Nullable Object args) {
        Duration timeout = function.info().timeout();
        long deadline = watch.now()
                + Durations.shorter(timeout, call.within().orElse(timeout)).toNanos();
        for (int attempt = 1; ; attempt++) {
            try {
                return runOnce(function, call, args, deadline);
            } catch (Conflict e) {
                Throwable cause = e.getCause();
                if (attempt >= function.attempts()) {
                    log.info(
                            "function={} request={} caller={} got in the way of another transaction, attempts={}: {}",
                            function.name(),
                            call.requestId(),
                            call.caller().id(),
                            attempt,
                            String.valueOf(cause));
                    throw new FunctionException.Conflict(function.name(), cause);
                }
                pause(attempt, deadline);
                if (watch.now() >= deadline) {
                    throw new FunctionException.Timeout(
                            function.name(), function.info().timeout(), cause);
                }
            }
        }
    }

    private String runOnce(FunctionHandler function, FunctionCall call, @Nullable Object args, long deadline)
            throws Conflict {
        WatchedCall watched = watch.begin(function.name(), call.requestId(), deadline);
        CallContext context = new CallContext(
                function,
                call,
                transactions,
                jobs,
                () -> Duration.ofNanos(deadline - watch.now()),
                watched::isInterrupted);
        String result = null;
        Throwable failure = null;
        try {
            result = write(function.run(context, args));
        } catch (Throwable e) {
            failure = e;
        }
        boolean late = watch.end(watched);
        if (late || failure != null || result == null) {
            context.rollback();
            throw late ? timeout(function, call, failure) : failed(function, call, context, failure);
        }
        end(function, call, context);
        return result;
    }

    /** An id is written as its text, as everywhere else that callers see one. */
    private String write(@Nullable Object value) {
        if (value instanceof RawJson raw) {
            return raw.text();
        }
        return json.write(value instanceof JobId id ? id.toString() : value);
    }

    private void end(FunctionHandler function, FunctionCall call, CallContext context) throws Conflict {
        if (!function.isMutation()) {
            context.rollback();
            return;
        }
        try {
            context.commit();
        } catch (LostCommit e) {
            log.error(
                    "function={} request={} caller={} the connection broke during the commit; it may or may not have been"
                            + " committed",
                    function.name(),
                    call.requestId(),
                    call.caller().id(),
                    e);
            throw new FunctionException.CommitUnknown(function.name(), e);
        } catch (SQLException e) {
            throw failed(function, call, context, e);
        }
    }

    private static FunctionException.Timeout timeout(
            FunctionHandler function, FunctionCall call, @Nullable Throwable failure) {
        log.warn(
                "function={} request={} caller={} timed out after {}",
                function.name(),
                call.requestId(),
                call.caller().id(),
                function.info().timeout());
        return new FunctionException.Timeout(function.name(), function.info().timeout(), failure);
    }

    /** What the caller is told about a failure; anything but the application's own error is logged. */
    private static FunctionException failed(
            FunctionHandler function, FunctionCall call, CallContext context, @Nullable Throwable failure)
            throws Conflict {
        Throwable cause = failure != null ? failure : new IllegalStateException("the codec wrote no result");
        if (cause instanceof FunctionError error) {
            return error;
        }
        if (function.isMutation() && context.isOpen() && SqlErrors.causedByConflict(cause)) {
            throw new Conflict(cause);
        }
        if (!function.isMutation() && context.isOpen() && SqlErrors.causedByReadOnly(cause)) {
            log.error(
                    "function={} request={} caller={} failed: a query may not write; declare it as a mutation",
                    function.name(),
                    call.requestId(),
                    call.caller().id(),
                    cause);
            return FunctionException.Failed.wrote(function.name(), cause);
        }
        log.error(
                "function={} request={} caller={} failed",
                function.name(),
                call.requestId(),
                call.caller().id(),
                cause);
        boolean unavailable =
                context.isBroken() || cause instanceof DatabaseUnavailable && !(cause instanceof OutcomeUnknown);
        return unavailable
                ? new FunctionException.Unavailable(function.name(), cause)
                : new FunctionException.Failed(function.name(), call.requestId(), cause);
    }

    /** Waits for a random time, so that the two that were in each other's way do not meet again. */
    private void pause(int attempt, long deadline) {
        long longest = Math.min(LONGEST_PAUSE_NANOS, SHORTEST_PAUSE_NANOS << Math.min(attempt - 1, 10));
        long pause = ThreadLocalRandom.current().nextLong(longest);
        LockSupport.parkNanos(this, Math.min(pause, deadline - watch.now()));
    }
}
