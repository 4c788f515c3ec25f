package dev.muster;

import dev.muster.cluster.DatabaseContact;
import dev.muster.runtime.PollAlignment;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What other parts of a node need to know about its heartbeats and incarnation.
 *
 * @param incarnation the node's current incarnation
 * @param hurry called when the node holds work, so that it sends heartbeats often. Quick, on any thread
 * @param beatNow makes the node send a heartbeat at once. Quick, on any thread
 * @param aliveUntil the time, by the node's clock, before which no other node declares this one dead
 * @param contact whether the node has been in touch with the database
 * @param cadence aligns the node's regular polls of the database
 */
record NodeLiveness(
        Supplier<UUID> incarnation,
        Runnable beatMoreOften,
        Runnable beatNow,
        LongSupplier aliveUntil,
        DatabaseContact contact,
        PollAlignment alignment) {}
