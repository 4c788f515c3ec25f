package dev.muster.chaos;

import dev.muster.job.JobContext;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobRequest;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells the witness what becomes of marked jobs, and holds them on one node before their handler is
 * entered until their gate opens. A held job takes note of interruption and stays: only its gate lets it go.
 */
final class Probe implements JobInterceptor {
    private static final String WATCH = "watch";
    private static final String HOLD_ON = "hold_on";
    private static final String EVERY_NODE = "*";
    private static final String GATE = "gate";

    private final Witness witness;

    Probe(Witness witness) {
        this.witness = witness;
    }

    /** The witness hears of this job. */
    static JobRequest watched(JobRequest request) {
        return request.metadata(WATCH, "yes");
    }

    /** The witness hears of this job, and this node holds it. */
    static JobRequest held(JobRequest request, String node) {
        return watched(request).metadata(HOLD_ON, node);
    }

    /** The witness hears of this job, and each node holds it until its own gate opens. */
    static JobRequest heldEverywhere(JobRequest request) {
        return watched(request).metadata(HOLD_ON, EVERY_NODE);
    }

    /** The witness hears of this job, and each node holds it until this gate opens. */
    static JobRequest heldAt(JobRequest request, String gate) {
        return watched(request).metadata(GATE, gate);
    }

    /** What lets a job go that every node holds. */
    static String gateOf(Object jobId, String node) {
        return gateOf(jobId) + " on " + node;
    }

    /** What lets a held job go. */
    static String gateOf(Object jobId) {
        return "release " + jobId;
    }

    @Override
    public @Nullable Object run(JobContext context, Run run) throws Exception {
        Map<String, String> metadata = context.metadata();
        if (!metadata.containsKey(WATCH)) {
            return run.proceed();
        }
        tell(context, "entered");
        if (context.nodeId().equals(metadata.get(HOLD_ON))) {
            hold(context, gateOf(context.id()));
        } else if (EVERY_NODE.equals(metadata.get(HOLD_ON))) {
            hold(context, gateOf(context.id(), context.nodeId()));
        } else if (metadata.containsKey(GATE)) {
            hold(context, metadata.get(GATE));
        }
        try {
            Object result = run.proceed();
            tell(context, "returned");
            return result;
        } catch (Exception e) {
            tell(context, "threw " + e.getClass().getSimpleName());
            throw e;
        }
    }

    private void hold(JobContext context, String gate) {
        boolean cancelled = false;
        boolean interrupted = false;
        while (!witness.isOpen(gate)) {
            if (!cancelled && context.isCancelled()) {
                cancelled = true;
                tell(context, "cancelled");
            }
            try {
                TimeUnit.MILLISECONDS.sleep(200);
            } catch (InterruptedException e) {
                if (!interrupted) {
                    interrupted = true;
                    tell(context, "interrupted");
                }
            }
        }
        // What follows is to fail, if it does, because the claim is over, not because a wait was interrupted.
        Thread.interrupted();
    }

    private void tell(JobContext context, String step) {
        witness.record(new Witness.Effect(
                context.id().value(), context.nodeId(), context.fence().token(), step));
    }
}
