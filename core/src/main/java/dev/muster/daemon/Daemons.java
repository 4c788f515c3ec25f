package dev.muster.daemon;

import java.util.List;

/** Look at daemons, and let failed ones start again. */
public interface Daemons {

    /** All daemons, by name. */
    List<DaemonInfo> list();

    /** Lets a daemon that failed start again with a clean slate; false if there is no failed one of that name. */
    boolean reset(String name);
}
