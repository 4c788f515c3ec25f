package dev.muster.graph;

import dev.muster.job.JobType;
import dev.muster.runtime.ObserverRefusal;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The graphs of an observer: reading works, changes are refused. */
record ObserverGraphs(Graphs graphs) implements Graphs {

    @Override
    public GraphId submit(GraphRequest request) {
        throw new ObserverRefusal("submit graphs");
    }

    @Override
    public GraphSubmitter in(Connection connection) {
        throw new ObserverRefusal("submit graphs");
    }

    @Override
    public Optional<GraphInfo> find(GraphId graph) {
        return graphs.find(graph);
    }

    @Override
    public Optional<GraphTree> tree(GraphId graph) {
        return graphs.tree(graph);
    }

    @Override
    public Optional<TaskInfo> task(GraphId graph, String task) {
        return graphs.task(graph, task);
    }

    @Override
    public List<GraphInfo> list(GraphQuery query) {
        return graphs.list(query);
    }

    @Override
    public GraphInfo await(GraphId graph, Duration timeout) {
        return graphs.await(graph, timeout);
    }

    @Override
    public <R> @Nullable R result(JobType<?, R> type, TaskInfo task) {
        return graphs.result(type, task);
    }

    @Override
    public boolean cancel(GraphId graph, String reason) {
        throw new ObserverRefusal("cancel graphs");
    }

    @Override
    public boolean cancel(GraphId graph, String task, String reason) {
        throw new ObserverRefusal("cancel graphs");
    }

    @Override
    public int retry(GraphId graph) {
        throw new ObserverRefusal("retry graphs");
    }

    @Override
    public int retry(GraphId graph, String task) {
        throw new ObserverRefusal("retry graphs");
    }
}
