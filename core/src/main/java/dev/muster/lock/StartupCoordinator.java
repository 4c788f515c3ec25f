package dev.muster.lock;

import java.time.Duration;

/** Lets one node at a time do destructive work at start-up, such as removing crons that are no longer in any code. */
public interface StartupCoordinator {

    /** Takes the lease for this work; false if another node has it. The lease ends by itself after {@code ttl}. */
    boolean tryAcquire(String name, Duration ttl);

    /** Ends the lease early; does nothing if this node does not have it. */
    void release(String name);
}
