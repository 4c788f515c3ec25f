package dev.muster.job;

/**
 * The jobs of one queue that need the same capability, or have the same {@link Placement}; a node claims lane by lane.
 *
 * @param capability the text of the placement: the name of a capability, an expression, or empty if any node may run the jobs
 */
public record Lane(String queue, String capability) {}
