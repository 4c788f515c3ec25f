package dev.muster.workflow;

import dev.muster.job.JobId;
import dev.muster.runtime.ObserverRefusal;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The workflows of an observer: reading works, changes are refused. */
record ObserverWorkflows(Workflows workflows) implements Workflows {

    @Override
    public List<JobId> startAll(Collection<RunRequest> requests) {
        throw new ObserverRefusal("start workflows");
    }

    @Override
    public RunStarter in(Connection connection) {
        throw new ObserverRefusal("start workflows");
    }

    @Override
    public Optional<RunInfo> find(JobId run) {
        return workflows.find(run);
    }

    @Override
    public List<StepInfo> steps(JobId run) {
        return workflows.steps(run);
    }

    @Override
    public Optional<StepInfo> step(JobId run, String path) {
        return workflows.step(run, path);
    }

    @Override
    public int countLive(String workflow, String version) {
        return workflows.countLive(workflow, version);
    }

    @Override
    public List<RunInfo> list(RunQuery query) {
        return workflows.list(query);
    }

    @Override
    public RunInfo await(JobId run, Duration timeout) {
        return workflows.await(run, timeout);
    }

    @Override
    public <R> @Nullable R result(WorkflowType<?, R> type, RunInfo run) {
        return workflows.result(type, run);
    }

    @Override
    public boolean signal(JobId run, String event, @Nullable Object payload, String eventId) {
        throw new ObserverRefusal("signal workflows");
    }

    @Override
    public void signal(JobId run, String event, @Nullable Object payload) {
        throw new ObserverRefusal("signal workflows");
    }

    @Override
    public boolean cancel(JobId run, String reason) {
        throw new ObserverRefusal("cancel workflows");
    }

    @Override
    public boolean retry(JobId run) {
        throw new ObserverRefusal("retry workflows");
    }

    @Override
    public int retire(String workflow, String version, String reason) {
        throw new ObserverRefusal("retire workflows");
    }

    @Override
    public void pause(String workflow) {
        throw new ObserverRefusal("pause workflows");
    }

    @Override
    public void resume(String workflow) {
        throw new ObserverRefusal("resume workflows");
    }

    @Override
    public List<DefinitionInfo> definitions() {
        return workflows.definitions();
    }
}
