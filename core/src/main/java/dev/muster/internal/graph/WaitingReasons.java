package dev.muster.internal.graph;

import dev.muster.graph.GraphTree;
import dev.muster.graph.TaskInfo;
import dev.muster.graph.TaskStatus;
import dev.muster.job.JobInfo;
import dev.muster.job.Jobs;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Why tasks are waiting, by their ids: what they wait for in the graph, or why no node takes their job. */
public final class WaitingReasons {
    /** How many jobs are asked about: each is a statement. */
    private static final int MOST_JOBS = 20;

    private WaitingReasons() {}

    public static Map<String, String> of(Jobs jobs, GraphTree tree) {
        return of(jobs, tree, tree.tasks());
    }

    /** Only that of one task. */
    public static Map<String, String> of(Jobs jobs, GraphTree tree, String task) {
        return of(jobs, tree, tree.task(task).stream().toList());
    }

    private static Map<String, String> of(Jobs jobs, GraphTree tree, List<TaskInfo> tasks) {
        Map<String, String> reasons = new HashMap<>();
        Map<String, TaskStatus> statuses = tree.statuses();
        tasks.stream()
                .filter(task -> task.status() == TaskStatus.WAITING)
                .forEach(task -> reasons.put(task.id(), GraphTree.waitsFor(task, statuses)));
        tasks.stream()
                .filter(task -> task.status() == TaskStatus.PENDING)
                .limit(MOST_JOBS)
                .forEach(task -> ofJob(jobs, task, reasons));
        return reasons;
    }

    private static void ofJob(Jobs jobs, TaskInfo task, Map<String, String> reasons) {
        jobs.find(task.job()).flatMap(JobInfo::waitingReason).ifPresent(why -> reasons.put(task.id(), why));
    }
}
