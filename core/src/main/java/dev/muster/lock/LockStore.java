package dev.muster.lock;

import dev.muster.job.Fence;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The port to the table of locks. */
public interface LockStore {

    /** Takes the lock if it is free or its time is up. */
    Optional<Fence> acquire(String name, String node, Duration ttl);

    /** Makes it last this long from now; false if the token is not the holder's, or its time is up. */
    boolean renew(String name, long token, Duration ttl);

    /** False if the token is not the holder's, or its time is up. */
    boolean release(String name, long token);

    /** The locks that are held. */
    List<LockInfo> list();
}
