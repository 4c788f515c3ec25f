package dev.muster.cluster;

import java.util.List;

/**
 * What a node reports with each heartbeat: connections in use, jobs on it, share of CPU used by its process, bytes of heap in use, and what its
 * executors run.
 */
public record NodeLoad(int connections, int jobs, double cpu, long memory, List<ExecutorInfo> executors) {}
