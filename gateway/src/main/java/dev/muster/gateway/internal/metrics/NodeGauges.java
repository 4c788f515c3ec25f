package dev.muster.gateway.internal.metrics;

import com.sun.management.OperatingSystemMXBean;
import dev.muster.Gateway;
import dev.muster.cluster.ExecutorInfo;
import dev.muster.cluster.NodeLoad;
import dev.muster.cluster.NodeStatus;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.function.IntSupplier;

/** What is read from the node and its JVM with each scrape, without asking anybody. */
final class NodeGauges {
    private static final double NANOS = 1e9;

    private final Gateway.Host host;
    private final IntSupplier requests;
    private final IntSupplier streams;

    /**
     * @param requests how many requests the gateway handles now
     * @param streams to how many callers it sends events now
     */
    NodeGauges(Gateway.Host host, IntSupplier requests, IntSupplier streams) {
        this.host = host;
        this.requests = requests;
        this.streams = streams;
    }

    void write(Samples samples) {
        samples.add(Metric.HTTP_IN_FLIGHT, requests.getAsInt());
        samples.add(Metric.EVENT_CLIENTS, streams.getAsInt());
        samples.add(Metric.BUILD, 1, version(), Runtime.version().toString());
        NodeStatus status = host.status();
        for (NodeStatus one : NodeStatus.known()) {
            samples.add(Metric.NODE_STATUS, one == status ? 1 : 0, one.text());
        }
        NodeLoad load = host.load();
        samples.add(Metric.JOBS_RUNNING, load.jobs());
        samples.add(Metric.CONNECTIONS, load.connections());
        samples.add(Metric.CPU_LOAD, load.cpu());
        for (ExecutorInfo executor : load.executors()) {
            samples.add(Metric.EXECUTOR_SLOTS, executor.size(), executor.name(), executor.kind());
            samples.add(Metric.EXECUTOR_RUNNING, executor.running(), executor.name(), executor.kind());
            samples.add(Metric.EXECUTOR_STUCK, executor.stuck(), executor.name(), executor.kind());
        }
    }

    static void writeJvm(Samples samples) {
        memory(samples, "heap", ManagementFactory.getMemoryMXBean().getHeapMemoryUsage());
        memory(samples, "nonheap", ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage());
        samples.add(Metric.THREADS, ManagementFactory.getThreadMXBean().getThreadCount());
        if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean os
                && os.getProcessCpuTime() >= 0) {
            samples.add(Metric.CPU, os.getProcessCpuTime() / NANOS);
        }
    }

    private static void memory(Samples samples, String area, MemoryUsage usage) {
        samples.add(Metric.MEMORY_USED, usage.getUsed(), area);
        samples.add(Metric.MEMORY_MAX, usage.getMax(), area);
    }

    private static String version() {
        String packaged = NodeGauges.class.getPackage().getImplementationVersion();
        return packaged == null ? "not packaged" : packaged;
    }
}
