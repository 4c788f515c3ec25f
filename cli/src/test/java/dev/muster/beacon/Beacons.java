package dev.muster.beacon;

import java.util.List;

/** The lights of all nodes. */
interface Beacons {
    List<Light> list();

    /** A light, and the node that shows it. */
    record Light(String name, String colour, String node) {}
}
