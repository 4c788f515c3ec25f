package dev.muster.lock;

import java.time.Duration;

/** Lets one node at a time do destructive work at start-up, such as removing what no code stands for any more. */
public interface StartupCoordinator {

    /** Takes the lease for this work; false if another node has it. It ends by itself after so long. */
    boolean tryAcquire(String name, Duration ttl);

    /** Gives it back early; does nothing if this node does not have it. */
    void release(String name);
}
