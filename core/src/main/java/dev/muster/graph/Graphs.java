package dev.muster.graph;

import dev.muster.job.JobType;
import dev.muster.runtime.Writes;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Submits, reads, cancels and retries graphs of tasks. Thread-safe. */
public interface Graphs extends GraphSubmitter {

    /** Submits graphs in the caller's transaction: they exist if and when it commits. */
    @Writes("submit graphs")
    GraphSubmitter in(Connection connection);

    Optional<GraphInfo> find(GraphId graph);

    /**
     * A graph with all its tasks and their states. It has about 16 MB of inputs and results; instead of what comes behind them stands
     * {@code {"$muster": "left out: …"}}: {@link #task} has it.
     */
    Optional<GraphTree> tree(GraphId graph);

    /** One task of a graph; empty if there is no such graph or task. */
    default Optional<TaskInfo> task(GraphId graph, String task) {
        return tree(graph).flatMap(tree -> tree.task(task));
    }

    /** The newest graphs that match the query, up to its limit. */
    List<GraphInfo> list(GraphQuery query);

    /**
     * Waits until the graph has ended or the timeout is over, and returns the graph: check {@link GraphInfo#status()}.
     *
     * @throws dev.muster.runtime.MusterException if there is no such graph
     * @throws dev.muster.runtime.WaitInterrupted if the thread is interrupted meanwhile; its interrupt flag stays set
     */
    GraphInfo await(GraphId graph, Duration timeout);

    /**
     * Reads the result of a completed task; null if it has none.
     *
     * @throws dev.muster.runtime.MusterException if it was left out of a {@link #tree}
     */
    <R> @Nullable R result(JobType<?, R> type, TaskInfo task);

    /**
     * Cancels a graph: tasks that wait end at once, those that run are asked to stop.
     *
     * @return false if the graph has ended
     * @throws dev.muster.runtime.MusterException if there is no such graph
     */
    @Writes("cancel graphs")
    boolean cancel(GraphId graph, String reason);

    /**
     * Cancels a task and all tasks below it that have not ended.
     *
     * @return false if all of them have ended
     * @throws dev.muster.runtime.MusterException if there is no such graph or task
     */
    @Writes("cancel graphs")
    boolean cancel(GraphId graph, String task, String reason);

    /**
     * Runs all failed and cancelled tasks again, and decides about the tasks that were skipped because of them. Completed tasks stay
     * completed.
     *
     * @return how many tasks wait or run again; 0 if none has failed or been cancelled
     * @throws dev.muster.runtime.MusterException if there is no such graph, or a cancelled task of it has not ended yet
     */
    @Writes("retry graphs")
    int retry(GraphId graph);

    /**
     * Runs one failed or cancelled task again, and decides about the tasks below it that were skipped or cancelled. If its own trigger
     * cannot fire, because another parent has failed, it is skipped.
     *
     * @return how many tasks wait or run again; 0 if the task has neither failed nor been cancelled
     * @throws dev.muster.runtime.MusterException if there is no such graph or task, or a cancelled task of the graph has not ended yet
     */
    @Writes("retry graphs")
    int retry(GraphId graph, String task);

    /** Selects graphs. Immutable: each method returns a changed copy. */
    final class GraphQuery {
        private final Optional<String> name;
        private final Set<GraphStatus> statuses;
        private final Optional<GraphId> before;
        private final int limit;

        private GraphQuery(Optional<String> name, Set<GraphStatus> statuses, Optional<GraphId> before, int limit) {
            this.name = name;
            this.statuses = Set.copyOf(statuses);
            this.before = before;
            this.limit = limit;
        }

        /** The newest 100. */
        public static GraphQuery all() {
            return new GraphQuery(Optional.empty(), Set.of(), Optional.empty(), 100);
        }

        public GraphQuery name(String wanted) {
            return new GraphQuery(Optional.of(wanted), statuses, before, limit);
        }

        public GraphQuery status(GraphStatus... wanted) {
            return new GraphQuery(name, Set.of(wanted), before, limit);
        }

        /** If empty, with any status. */
        public GraphQuery statuses(Collection<GraphStatus> wanted) {
            return new GraphQuery(name, Set.copyOf(wanted), before, limit);
        }

        /** Only graphs older than this one, which is the last one of the previous page. */
        public GraphQuery before(GraphId last) {
            return new GraphQuery(name, statuses, Optional.of(last), limit);
        }

        public GraphQuery limit(int wanted) {
            return new GraphQuery(name, statuses, before, wanted);
        }

        public Optional<String> name() {
            return name;
        }

        public Set<GraphStatus> statuses() {
            return statuses;
        }

        public Optional<GraphId> before() {
            return before;
        }

        public int limit() {
            return limit;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof GraphQuery that
                    && name.equals(that.name)
                    && statuses.equals(that.statuses)
                    && before.equals(that.before)
                    && limit == that.limit;
        }

        @Override
        public int hashCode() {
            return Objects.hash(name, statuses, before, limit);
        }

        @Override
        public String toString() {
            return "GraphQuery[name=" + name + ", statuses=" + statuses + ", before=" + before + ", limit=" + limit
                    + "]";
        }
    }
}
