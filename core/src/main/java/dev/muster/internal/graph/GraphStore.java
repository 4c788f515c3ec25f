package dev.muster.internal.graph;

import dev.muster.graph.GraphId;
import dev.muster.graph.GraphInfo;
import dev.muster.graph.GraphTree;
import dev.muster.graph.Graphs.GraphQuery;
import dev.muster.graph.TaskInfo;
import dev.muster.graph.TaskStatus;
import dev.muster.graph.Trigger;
import dev.muster.internal.job.payload.ArgsFingerprint;
import dev.muster.job.JobId;
import dev.muster.job.JobOptions;
import dev.muster.job.Lane;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The port to the tables of graphs. When jobs end, their tasks are resolved through {@link dev.muster.internal.job.store.DependencyStore}. The
 * package description has the invariants.
 */
public interface GraphStore {

    /**
     * A checked graph.
     *
     * @param tasks in the order of their numbers, which begin with 0
     * @param trace the traceparent that the jobs of its tasks will carry; null if they carry none
     * @param fingerprint what is compared between graphs with the same key; null if it has no key
     */
    record NewGraph(
            GraphId id,
            @Nullable String name,
            @Nullable String key,
            List<NewTask> tasks,
            @Nullable String trace,
            @Nullable ArgsFingerprint fingerprint) {

        /** A graph that is compared with no other. */
        public NewGraph(
                GraphId id, @Nullable String name, @Nullable String key, List<NewTask> tasks, @Nullable String trace) {
            this(id, name, key, tasks, trace, null);
        }

        /** This graph with another trace. */
        public NewGraph withTrace(@Nullable String trace) {
            return new NewGraph(id, name, key, tasks, trace, fingerprint);
        }
    }

    /**
     * A checked task.
     *
     * @param job the id that its job will have
     * @param options with a queue, a capability and a priority
     * @param inputs as they are stored
     * @param metadata JSON, or null
     * @param parents the numbers of its parents, and whether they are required
     * @param takesFrom the numbers of the parents whose results its inputs name
     */
    record NewTask(
            int number,
            String id,
            JobId job,
            String name,
            JobOptions options,
            Trigger trigger,
            String inputs,
            @Nullable String metadata,
            List<String> tags,
            Map<Integer, Boolean> parents,
            Set<Integer> takesFrom) {}

    /**
     * What became of a submission.
     *
     * @param id the graph's, or that of the graph that has the key
     * @param lanes in which jobs have become claimable
     */
    record Submitted(GraphId id, boolean added, Set<Lane> lanes) {}

    /**
     * Adds a graph and the jobs of the tasks without parents, or finds the graph that has its id or key.
     *
     * @throws dev.muster.job.KeyConflict if the graph that has the key has other tasks
     */
    Submitted submit(NewGraph graph);

    /** The same in the caller's transaction. */
    Submitted submit(Connection connection, NewGraph graph) throws SQLException;

    Optional<GraphInfo> find(GraphId graph);

    /**
     * A graph and its tasks, seen at the same moment; inputs and results as they are stored. Behind about 16 MB of them stands {@link
     * dev.muster.internal.job.store.PageText#LEFT_OUT} in their place.
     */
    Optional<GraphTree> tree(GraphId graph);

    /** How many tasks of a graph there are in each status that occurs, in the order of the statuses. */
    Map<TaskStatus, Long> counts(GraphId graph);

    /** One task of a graph, with its whole inputs and result. */
    Optional<TaskInfo> task(GraphId graph, String task);

    List<GraphInfo> list(GraphQuery query);

    /**
     * What the inputs of a task are made of.
     *
     * @param inputs as they are stored
     * @param resultBytes how large the results are together that the inputs name; if they are too large already as they are stored, their size there
     * @param parents those whose results the inputs name, by their ids; none if the results are larger than {@link #MAX_RESULT_BYTES}
     */
    record TaskSource(GraphId graph, String task, String inputs, long resultBytes, Map<String, ParentResult> parents) {
        /** A node has to hold all of them in memory, for each task that it runs. */
        public static final long MAX_RESULT_BYTES = 32L << 20;
    }

    /**
     * What became of a parent.
     *
     * @param job the id of its job, which is needed to decrypt the result
     * @param result as it is stored; null if it has none
     */
    record ParentResult(
            TaskStatus status, JobId job, @Nullable String result) {}

    /** What the inputs of the task with this job are made of; empty if no task has this job any more. */
    Optional<TaskSource> source(JobId job);

    /**
     * What a change of a graph did.
     *
     * @param tasks how many tasks it has changed
     * @param lanes in which jobs have become claimable
     */
    record Changed(int tasks, Set<Lane> lanes) {}

    /**
     * Cancels a graph, or a task with all tasks below it. Tasks without a live claim end in this transaction, the others are asked to stop.
     *
     * @param task null for the whole graph
     * @throws dev.muster.runtime.MusterException if there is no such graph or task
     */
    Changed cancel(GraphId graph, @Nullable String task, String reason);

    /**
     * Lets failed and cancelled tasks wait again, and those below them that were skipped or cancelled, and decides about them. Of two
     * calls at the same time one finds nothing to do.
     *
     * @param task null for all that have failed or were cancelled
     * @throws dev.muster.runtime.MusterException if there is no such graph or task
     */
    Changed retry(GraphId graph, @Nullable String task);

    /**
     * What a sweep found.
     *
     * @param next where the next sweep begins; null for the beginning
     * @param resolved how many tasks it has resolved
     * @param lanes in which jobs have become claimable
     */
    record Swept(@Nullable Position next, int resolved, Set<Lane> lanes) {}

    /** A task's position in the order of all tasks. */
    record Position(GraphId graph, int number) {}

    /** Resolves tasks whose job has ended although nobody has resolved them; looks at a bounded number of tasks. */
    Swept sweep(Connection tx, @Nullable Position from) throws SQLException;

    /** Deletes some graphs that ended longer ago than this. Returns whether there may be more. */
    boolean forget(Connection tx, Duration retain) throws SQLException;
}
