package dev.muster.bench;

import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.bench.Metric.Unit;
import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Handled;
import dev.muster.bench.contender.Site;
import dev.muster.config.MusterConfig;
import dev.muster.job.Job;
import dev.muster.job.JobRequest;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What slow jobs on an executor of their own leave to the other jobs of the node, and what an idle node with several executors asks of
 * the database. A backlog of no-op jobs is run by a node that has one executor, and by a node that also has an executor with a backlog
 * of slow jobs; the two take turns.
 */
final class ExecutorsScenario implements SelfPacedScenario {
    private static final Metric ALONE = Metric.of("executors_alone", Unit.JOBS_PER_SECOND);
    private static final Metric BESIDE_SLOW = Metric.of("executors_beside_slow", Unit.JOBS_PER_SECOND);
    private static final Metric SLOW = Metric.of("executors_slow", Unit.SLOW_JOBS_PER_SECOND);
    private static final Metric IDLE = Metric.of("executors_idle_statements", Unit.STATEMENTS_PER_SECOND);

    private static final int FAST_SLOTS = 14;
    private static final int SLOW_SLOTS = 2;
    private static final int NAP_MILLIS = 200;

    /** Enough for two minutes, longer than a backlog may take. */
    private static final int NAPS = 2 * 60 * SLOW_SLOTS * 1_000 / NAP_MILLIS;

    private static final List<String> IDLE_EXECUTORS = List.of("default", "gpu", "mail", "reports", "uploads");

    @Override
    public String name() {
        return "executors";
    }

    @Override
    public List<Comparison> comparisons() {
        return List.of(new Comparison("executors_beside_slow_vs_alone", BESIDE_SLOW, ALONE));
    }

    @Override
    public Figures measure(Stage stage, Contender contender) throws Exception {
        warmUp(stage);
        Figures figures = new Figures();
        for (int round = 0; round < stage.plan().rounds(); round++) {
            stage.say("round " + (round + 1));
            measureBoth(stage, figures, round % 2 == 0);
        }
        return figures.add(
                IDLE,
                IdleNode.watch(stage, ExecutorsScenario::withIdleExecutors).statements());
    }

    private static void warmUp(Stage stage) throws Exception {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < stage.plan().warmUp().toNanos()) {
            stage.say("warming up");
            measureBoth(stage, new Figures(), true);
        }
    }

    /** The order changes with the rounds, so that a machine that gets slower or faster favours neither. */
    private static void measureBoth(Stage stage, Figures figures, boolean aloneFirst) throws Exception {
        if (aloneFirst) {
            measureAlone(stage, figures);
        }
        measureBesideSlow(stage, figures);
        if (!aloneFirst) {
            measureAlone(stage, figures);
        }
    }

    private static void measureAlone(Stage stage, Figures figures) throws Exception {
        try (Scratch database = stage.database();
                Site site = MusterContender.site(database.url(), ExecutorsScenario::withFastSlots)) {
            figures.add(
                    ALONE,
                    MeasuredBacklog.of(database, site, stage.plan().jobs()).perSecond());
        }
    }

    private static void measureBesideSlow(Stage stage, Figures figures) throws Exception {
        try (Scratch database = stage.database();
                SiteWithNaps site = new SiteWithNaps(database.url())) {
            enqueueNaps(database.url());
            figures.add(
                            BESIDE_SLOW,
                            MeasuredBacklog.of(database, site, stage.plan().jobs())
                                    .perSecond())
                    .add(SLOW, site.napsPerSecond());
        }
    }

    private static MusterBuilder withFastSlots(MusterBuilder node) {
        return node.set("executors.default.size", String.valueOf(FAST_SLOTS));
    }

    private static MusterBuilder withSlowExecutor(MusterBuilder node, Handled naps) {
        return withFastSlots(node)
                .set("executors.slow.size", String.valueOf(SLOW_SLOTS))
                .set("routing.rules", "nap=slow")
                .register(new Naps(naps));
    }

    private static MusterBuilder withIdleExecutors(MusterBuilder node) {
        for (String name : IDLE_EXECUTORS) {
            node.set("executors." + name + ".size", "4");
        }
        return node.set("routing.rules", "gpu::*=gpu,mail::*=mail,reports::*=reports,uploads::*=uploads")
                .register(new IdleJobs());
    }

    private static void enqueueNaps(String url) {
        try (Muster client =
                Muster.builder().config(MusterConfig.defaults()).database(url).build()) {
            client.start();
            client.jobs().enqueueAll(Collections.nCopies(NAPS, JobRequest.of("nap")));
        }
    }

    /** A site whose node runs slow jobs, too; they are not among the jobs that it counts. */
    private static final class SiteWithNaps implements Site {
        private final String url;
        private final Handled naps = Handled.endless();
        private final Site site;
        private double napsPerSecond;

        SiteWithNaps(String url) {
            this.url = url;
            this.site = MusterContender.site(url, node -> withSlowExecutor(node, naps));
        }

        @Override
        public void enqueue(int first, int count) throws Exception {
            site.enqueue(first, count);
        }

        @Override
        public Work start(Handled handled) throws Exception {
            Work work = site.start(handled);
            return new Work() {
                @Override
                public void pause() throws Exception {
                    work.pause();
                }

                @Override
                public void resume() throws Exception {
                    work.resume();
                }

                @Override
                public void close() {
                    napsPerSecond = naps.count() * 1e9 / naps.nanosSinceFirst();
                    work.close();
                }
            };
        }

        @Override
        public long left() throws Exception {
            return Scratch.number(url, "select count(*) from muster_jobs where name <> 'nap'");
        }

        /** How many slow jobs ended per second while the others were run. */
        double napsPerSecond() {
            if (naps.count() >= NAPS) {
                throw new IllegalStateException("the slow executor ran out of jobs");
            }
            return napsPerSecond;
        }

        @Override
        public void close() {
            site.close();
        }
    }

    /** The slow jobs. */
    static final class Naps {
        private final Handled handled;

        Naps(Handled handled) {
            this.handled = handled;
        }

        @Job("nap")
        void nap() throws InterruptedException {
            handled.begin();
            TimeUnit.MILLISECONDS.sleep(NAP_MILLIS);
            handled.one();
        }
    }

    /** A handler for each executor of the idle node. */
    static final class IdleJobs {
        @Job("hello")
        void hello() {}

        @Job("gpu::train")
        void train() {}

        @Job("mail::send")
        void send() {}

        @Job("reports::build")
        void build() {}

        @Job("uploads::scan")
        void scan() {}
    }
}
