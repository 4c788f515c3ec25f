package dev.muster.internal.node;

import dev.muster.leader.LeaderRole;
import dev.muster.leader.Leadership;
import java.util.UUID;

/** What the parts of a node need to know about its membership. All methods are quick and may be called by any thread. */
public interface Membership {

    /** The node's current incarnation; it changes when the node was declared dead and joins again. */
    UUID incarnation();

    /** Called when the node holds work, so that it sends heartbeats often. */
    void beatMoreOften();

    /** The time, by the node's clock, before which no other node declares this one dead. */
    long aliveUntil();

    /** The node's view of a leader role. */
    Leadership leadership(LeaderRole role);
}
