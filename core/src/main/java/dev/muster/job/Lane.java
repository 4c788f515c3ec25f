package dev.muster.job;

/**
 * What a claimer walks along: one queue's jobs that need one capability.
 *
 * @param capability empty: any node may run them
 */
public record Lane(String queue, String capability) {}
