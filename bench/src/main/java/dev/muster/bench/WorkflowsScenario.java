package dev.muster.bench;

import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Site;
import java.util.List;

/**
 * How fast a backlog of workflow runs is run, of five steps each whose results are stored. Muster is measured with its default
 * settings and with 64 threads, and each time beside its own plain jobs.
 */
final class WorkflowsScenario implements Scenario {
    static final Metric RUNS = new Metric("workflow_runs", Metric.Unit.RUNS_PER_SECOND, true);
    static final Metric RUNS_64 = Metric.of("workflow_runs_64_threads", Metric.Unit.RUNS_PER_SECOND);
    static final Metric JOBS = Metric.of("workflow_jobs", Metric.Unit.JOBS_PER_SECOND);
    private static final Metric CPU = Metric.cpuMicros("workflow_cpu");
    private static final int THREADS = 64;
    private static final int JOBS_PER_RUN = 10;

    @Override
    public String name() {
        return "workflows";
    }

    @Override
    public boolean suits(Contender contender) {
        return runsWorkflows(contender);
    }

    static boolean runsWorkflows(Contender contender) {
        return contender.kind() == Contender.Kind.MUSTER || contender.kind() == Contender.Kind.WORKFLOW_PEER;
    }

    /** How many runs this contender gets: fewer than jobs, because each of them takes longer. */
    static int runs(Plan plan, Contender contender) {
        return Stage.jobs(plan.jobs() / JOBS_PER_RUN, contender);
    }

    @Override
    public Figures measure(Stage stage, Contender contender) throws Exception {
        return contender.kind() == Contender.Kind.MUSTER
                ? measureMuster(stage, contender)
                : measurePeer(stage, contender);
    }

    private static Figures measureMuster(Stage stage, Contender contender) throws Exception {
        int runs = runs(stage.plan(), contender);
        MeasuredBacklog usual = backlog(stage, url -> new MusterRuns(url, MusterRuns.USUAL), runs);
        MeasuredBacklog jobs =
                backlog(stage, contender::open, Stage.jobs(stage.plan().jobs(), contender));
        MeasuredBacklog more = backlog(stage, url -> new MusterRuns(url, MusterRuns.withThreads(THREADS)), runs);
        return new Figures()
                .add(RUNS, usual.perSecond())
                .add(CPU, usual.cpuMicros())
                .add(RUNS_64, more.perSecond())
                .add(JOBS, jobs.perSecond());
    }

    private static Figures measurePeer(Stage stage, Contender contender) throws Exception {
        MeasuredBacklog runs = backlog(stage, contender::open, runs(stage.plan(), contender));
        return new Figures().add(RUNS, runs.perSecond()).add(CPU, runs.cpuMicros());
    }

    /** Opens a site on an empty database. */
    @FunctionalInterface
    private interface Opening {
        Site open(String url) throws Exception;
    }

    private static MeasuredBacklog backlog(Stage stage, Opening opening, int count) throws Exception {
        try (Scratch database = stage.database();
                Site site = opening.open(database.url())) {
            return MeasuredBacklog.of(database, site, count);
        }
    }

    @Override
    public List<Comparison> comparisons() {
        return List.of(
                new Comparison("workflow_runs_vs_jobs", RUNS, JOBS),
                new Comparison("workflow_runs_64_threads_vs_jobs", RUNS_64, JOBS));
    }
}
