package dev.muster.postgres.claims;

import dev.muster.runtime.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The claim sessions of one node that differ only in the names of their jobs: the sessions of its executors. While they are idle, one
 * probe is enough for all of them, so that a node with many executors does not ask more often than a node with one.
 */
final class ProbeCompany {
    /**
     * How long each session probes by itself after a shared probe has found a job. The next one would probably find the same job again,
     * because it is due in a minute or its queue is paused, and would make all sessions probe once more.
     */
    private static final long APART_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final List<BacklogProbe> members = new CopyOnWriteArrayList<>();
    private final Map<String, ProbeCompany> ofQueues = new ConcurrentHashMap<>();
    private final Clock clock;
    private final AtomicLong togetherFrom;

    ProbeCompany(Clock clock) {
        this.clock = clock;
        this.togetherFrom = new AtomicLong(clock.nanos());
    }

    void join(BacklogProbe probe) {
        members.add(probe);
    }

    void leave(BacklogProbe probe) {
        members.remove(probe);
    }

    /** The sessions that claim from this limited queue only, one of each executor; they probe together too. */
    ProbeCompany ofQueue(String queue) {
        return ofQueues.computeIfAbsent(queue, name -> new ProbeCompany(clock));
    }

    /** The probes of other sessions that this one makes too, because they are idle, begun: each of them has to be told how it ended. */
    List<Begun> beginWith(BacklogProbe asking) {
        List<Begun> others = new ArrayList<>();
        if (clock.nanos() - togetherFrom.get() < 0) {
            return others;
        }
        for (BacklogProbe member : members) {
            if (member != asking) {
                member.beginIfIdle().ifPresent(plan -> others.add(new Begun(member, plan)));
            }
        }
        return others;
    }

    /** A shared probe has found a job. */
    void foundJob() {
        togetherFrom.set(clock.nanos() + APART_NANOS);
    }

    /** A probe that another session makes. */
    record Begun(BacklogProbe probe, ProbePlan plan) {}
}
