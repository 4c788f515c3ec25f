package dev.muster;

import dev.muster.cluster.DatabaseContact;
import dev.muster.runtime.PollAlignment;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A node's standing among the others, for those of its parts that go by it.
 *
 * @param incarnation the life of the node's row that it goes by now
 * @param hurry to be told when the node has something to lose: from then on it is heard of often. Quick, on any thread
 * @param beatNow to be told when the node has to be heard of at once. Quick, on any thread
 * @param aliveUntil the time, by the node's clock, before which no other node declares this one dead
 * @param contact whether the node has been in touch with the database
 * @param cadence what its regular questions to the database are aligned to
 */
record NodeLiveness(
        Supplier<UUID> incarnation,
        Runnable beatMoreOften,
        Runnable beatNow,
        LongSupplier aliveUntil,
        DatabaseContact contact,
        PollAlignment alignment) {}
