package dev.muster.graph;

/** Submits graphs. */
public interface GraphSubmitter {

    /**
     * Submits a graph and returns its id, or the id of the graph that already has the request's key.
     *
     * @throws InvalidGraph if the graph cannot be submitted as a whole; nothing was written
     */
    GraphId submit(GraphRequest request);
}
