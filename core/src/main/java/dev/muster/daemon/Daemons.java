package dev.muster.daemon;

import dev.muster.runtime.Writes;
import java.util.List;

/** Lists daemons and resets failed ones. */
public interface Daemons {

    /** All daemons, sorted by name. */
    List<DaemonInfo> list();

    /** Lets a failed daemon start again, with its restarts counted from zero; false if no daemon of that name has failed. */
    @Writes("reset daemons")
    boolean reset(String name);
}
