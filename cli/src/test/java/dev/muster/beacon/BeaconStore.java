package dev.muster.beacon;

import dev.muster.beacon.Beacons.Light;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** The port to the table of lights. */
interface BeaconStore {
    void show(Light light);

    void putOut(String node);

    /** Puts out the lights of a node in this transaction. */
    void putOut(Connection tx, String node) throws SQLException;

    List<Light> list();
}
