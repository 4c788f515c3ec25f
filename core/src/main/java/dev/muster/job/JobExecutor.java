package dev.muster.job;

import java.time.Duration;

/**
 * Decides where the jobs of an executor of kind {@code custom} run: on the threads of an application server, for example, or one at a
 * time on the thread that owns a device. Muster still claims the jobs, watches their deadlines and writes their outcomes.
 *
 * <pre>{@code
 * Muster.builder()
 *     .set("executors.device.kind", "custom")
 *     .set("routing.rules", "camera::*=device")
 *     .executor("device", new DeviceThread())
 * }</pre>
 *
 * Implementations must be thread-safe. {@code JobExecutorContract} in {@code muster-contracts} tests them.
 */
public interface JobExecutor {

    /** How many jobs it can run at once; at least 1. Muster asks once, when the node starts. */
    int capacity();

    /**
     * Makes a thread of its choice call {@link JobTask#run()} soon, and returns without waiting for that. It is never given more than
     * {@link #capacity()} tasks whose {@code run()} has not returned. If it throws an exception, the job goes back into its queue for a while.
     */
    void execute(JobTask task);

    /**
     * Frees what this executor holds. The node is stopping: it gives no further task, and the tasks that it has given have ended or were
     * told to stop.
     *
     * @param timeout how long this may take
     */
    void close(Duration timeout);
}
