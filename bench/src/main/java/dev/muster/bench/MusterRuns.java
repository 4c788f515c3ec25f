package dev.muster.bench;

import dev.muster.Muster;
import dev.muster.bench.contender.FiveSteps;
import dev.muster.bench.contender.Handled;
import dev.muster.bench.contender.Payload;
import dev.muster.bench.contender.Site;
import dev.muster.config.MusterConfig;
import dev.muster.job.Priority;
import dev.muster.workflow.RunRequest;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs of a workflow in Muster: a client starts them, one node runs them. The client has the workflow's code, because there is no
 * node yet that could tell it, and is never started as a node: it would run them itself, or lead, and block runs that no node has
 * the code for.
 */
final class MusterRuns implements Site {
    static final MusterConfig USUAL = MusterConfig.defaults();

    private static final String WRONG = """
            select (select count(*) from muster_workflow_runs
                    where status <> 'completed' or result is distinct from to_jsonb((input->>'order')::int + %d))
              + abs((select count(*) from muster_workflow_runs) * %d
                    - (select count(*) from muster_workflow_steps where status = 'completed'))""".formatted(
                    FiveSteps.result(Payload.number(0)) - Payload.number(0).order(), FiveSteps.STEPS);

    private final String url;
    private final MusterConfig settings;
    private final Muster client;

    MusterRuns(String url, MusterConfig settings) {
        this.url = url;
        this.settings = settings;
        this.client = muster(USUAL, Handled.endless());
        client.migrate();
    }

    static MusterConfig withThreads(int threads) {
        return USUAL.with("worker.concurrency", Integer.toString(threads));
    }

    private Muster muster(MusterConfig config, Handled handled) {
        return Muster.builder()
                .config(config)
                .database(url)
                .register(new AddingWorkflow(handled))
                .build();
    }

    /** Runs of all five priorities by turns, like jobs. */
    @Override
    public void enqueue(int first, int count) {
        Priority[] priorities = Priority.values();
        List<RunRequest> requests = new ArrayList<>(count);
        for (int i = first; i < first + count; i++) {
            requests.add(
                    RunRequest.of(AddingWorkflow.TYPE, Payload.number(i)).priority(priorities[i % priorities.length]));
        }
        client.workflows().startAll(requests);
    }

    @Override
    public Work start(Handled handled) {
        Muster node = muster(settings, handled);
        node.start();
        return new Work() {
            @Override
            public void pause() {
                client.workflows().pause(AddingWorkflow.TYPE.name());
            }

            @Override
            public void resume() {
                client.workflows().resume(AddingWorkflow.TYPE.name());
            }

            @Override
            public void close() {
                node.close();
            }
        };
    }

    /** A run has ended when its driver has. */
    @Override
    public long left() throws SQLException {
        return MusterContender.left(url);
    }

    @Override
    public long wrong() throws SQLException {
        return Scratch.number(url, WRONG);
    }

    @Override
    public void close() {
        client.close();
    }
}
