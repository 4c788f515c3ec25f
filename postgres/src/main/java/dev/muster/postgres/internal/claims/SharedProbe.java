package dev.muster.postgres.internal.claims;

import dev.muster.runtime.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * The claim sessions of one node that share their probes. Each executor has one for all queues without a limit and one for each limited queue; those of different
 * executors differ in the names of their jobs. One probe is enough for all that are idle, so that a node with many executors or limited
 * queues does not ask more often than a node with one.
 */
final class SharedProbe {
    /**
     * How long each session probes by itself after a shared probe has found a job. The next one would probably find the same job again,
     * because it is due in a minute or its queue is paused, and would make all sessions probe once more.
     */
    private static final long APART_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final List<BacklogProbe> members = new CopyOnWriteArrayList<>();
    private final Clock clock;
    private final AtomicLong togetherFrom;

    SharedProbe(Clock clock) {
        this.clock = clock;
        this.togetherFrom = new AtomicLong(clock.nanos());
    }

    void join(BacklogProbe probe) {
        members.add(probe);
    }

    void leave(BacklogProbe probe) {
        members.remove(probe);
    }

    /**
     * The probes of the other sessions of its executor that this one makes too, because they are idle, begun: each of them has to be told how it
     * ended. Their queues tell whose a job is.
     */
    List<Begun> beginWithOwn(BacklogProbe asking) {
        return begin(member -> member != asking && member.isOfSameExecutor(asking));
    }

    /** The same of other executors. What such a probe finds may be a job of any of them, so they do not do so while there are jobs. */
    List<Begun> beginWithOthers(BacklogProbe asking) {
        return clock.nanos() - togetherFrom.get() < 0 ? List.of() : begin(member -> !member.isOfSameExecutor(asking));
    }

    private List<Begun> begin(Predicate<BacklogProbe> wanted) {
        List<Begun> begun = new ArrayList<>();
        for (BacklogProbe member : members) {
            if (wanted.test(member)) {
                member.beginIfIdle().ifPresent(plan -> begun.add(new Begun(member, plan)));
            }
        }
        return begun;
    }

    /** A shared probe has found a job. */
    void foundJob() {
        togetherFrom.set(clock.nanos() + APART_NANOS);
    }

    /** A probe that another session makes. */
    record Begun(BacklogProbe probe, ProbePlan plan) {
        /**
         * What to ask for this session beside the others. The session of all queues without a limit remembers lanes of limited queues, too; where
         * the session of such a queue asks for the same, it knows better from where on.
         */
        private ProbePlan planBeside(List<Begun> others) {
            return others.stream()
                    .filter(other -> probe.leavesQueueTo(other.probe))
                    .map(Begun::plan)
                    .reduce(plan, ProbePlan::without);
        }

        /** One plan for all of these. */
        static ProbePlan together(List<Begun> all) {
            return ProbePlan.together(
                    all.stream().map(one -> one.planBeside(all)).toList());
        }
    }
}
