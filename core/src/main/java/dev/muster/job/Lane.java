package dev.muster.job;

/**
 * The jobs of one queue that need the same capability; a node claims lane by lane.
 *
 * @param capability empty if any node may run the jobs
 */
public record Lane(String queue, String capability) {}
