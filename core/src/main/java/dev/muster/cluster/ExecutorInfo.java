package dev.muster.cluster;

/**
 * An executor of a node, as the node's row says.
 *
 * @param kind what runs its jobs: {@code threads}, {@code virtual}, {@code process} or {@code custom}
 * @param size how many jobs it runs at once
 * @param running how many ran at the node's last heartbeat
 * @param stuck how many of its slots were used by handlers that ignore their interruption
 */
public record ExecutorInfo(String name, String kind, int size, int running, int stuck) {}
