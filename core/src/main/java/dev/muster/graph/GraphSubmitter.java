package dev.muster.graph;

import dev.muster.runtime.Writes;

/** Submits graphs, in a transaction of Muster or in the one that it was made for. */
public interface GraphSubmitter {

    /**
     * Submits a graph and returns its id, or the id of the graph that already has the request's key.
     *
     * @throws dev.muster.job.KeyConflict if the graph that has the key has another name or other tasks; nothing was written
     * @throws InvalidGraph if the graph cannot be submitted as a whole; nothing was written
     */
    @Writes("submit graphs")
    GraphId submit(GraphRequest request);
}
