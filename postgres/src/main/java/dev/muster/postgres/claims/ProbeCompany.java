package dev.muster.postgres.claims;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The claim sessions of one node that differ only in the names of their jobs: the sessions of its executors. While they are idle, one
 * probe is enough for all of them, so that a node with many executors does not ask more often than a node with one.
 */
final class ProbeCompany {
    private final List<BacklogProbe> members = new CopyOnWriteArrayList<>();

    void join(BacklogProbe probe) {
        members.add(probe);
    }

    /** The probes of other sessions that are idle now, begun: each of them has to be told how it ended. */
    List<Begun> beginWith(BacklogProbe asking) {
        List<Begun> others = new ArrayList<>();
        for (BacklogProbe member : members) {
            if (member != asking) {
                member.beginIfIdle().ifPresent(plan -> others.add(new Begun(member, plan)));
            }
        }
        return others;
    }

    /** A probe that another session makes. */
    record Begun(BacklogProbe probe, ProbePlan plan) {}
}
