package dev.muster.bench;

import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Handled;
import dev.muster.bench.contender.Site;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a long transaction costs that keeps VACUUM from removing dead rows. Two databases of one server take turns,
 * window by window; in one of them such a transaction is open. First with a full backlog, then at half of what the
 * contender sustains, then with a full backlog again and a transaction that has written something itself. The first window
 * of each is not counted.
 */
final class HorizonScenario implements Scenario {
    static final Metric UNPINNED = rate("horizon_unpinned");
    static final Metric PINNED = rate("horizon_pinned");
    private static final Metric PINNED_BY_WRITER = rate("horizon_pinned_by_writer");
    private static final Metric UNPINNED_BESIDE_WRITER = rate("horizon_unpinned_beside_writer");
    static final Metric HALF_UNPINNED = rate("horizon_half_load_unpinned");
    static final Metric HALF_PINNED = rate("horizon_half_load_pinned");
    private static final Metric CPU_UNPINNED = cpu("horizon_half_load_unpinned_cpu");
    private static final Metric CPU_PINNED = cpu("horizon_half_load_pinned_cpu");
    private static final Metric JOBS = Metric.of("horizon_jobs", Metric.Unit.JOBS);
    private static final Metric WRITER_JOBS = Metric.of("horizon_pinned_by_writer_jobs", Metric.Unit.JOBS);
    private static final Metric HALF_JOBS = Metric.of("horizon_half_load_jobs", Metric.Unit.JOBS);

    /** How far a window may stretch until its jobs are done: a peer that has come to a halt is not waited for. */
    private static final int STRETCH = 10;

    private static final int PEER_STRETCH = 3;
    private static final int CHUNK = 1_000;

    private static Metric rate(String name) {
        return Metric.of(name, Metric.Unit.JOBS_PER_SECOND);
    }

    private static Metric cpu(String name) {
        return Metric.of(name, Metric.Unit.CPU_MICROSECONDS);
    }

    @Override
    public String name() {
        return "horizon";
    }

    @Override
    public boolean suits(Contender contender) {
        return contender.kind() == Contender.Kind.MUSTER || contender.name().equals("db_scheduler");
    }

    @Override
    public int rounds(int wanted) {
        return 1;
    }

    @Override
    public boolean warmsUp() {
        return false;
    }

    @Override
    public List<Comparison> comparisons() {
        return List.of(
                new Comparison("horizon_pinned_vs_unpinned", PINNED, UNPINNED),
                new Comparison("horizon_pinned_by_writer_vs_unpinned", PINNED_BY_WRITER, UNPINNED_BESIDE_WRITER),
                new Comparison("horizon_half_load_pinned_vs_unpinned", HALF_PINNED, HALF_UNPINNED),
                new Comparison("horizon_half_load_cpu_pinned_vs_unpinned", CPU_PINNED, CPU_UNPINNED));
    }

    @Override
    public Figures measure(Stage stage, Contender contender) throws Exception {
        Figures figures = new Figures();
        double capacity = stage.capacity(contender);
        Sizes sizes = new Sizes(stage.plan(), contender, capacity);
        inTurns(
                stage,
                contender,
                "full backlog",
                false,
                (side, counts) -> {
                    double perSecond = side.workOff(sizes);
                    if (counts) {
                        figures.add(side.pinned() ? PINNED : UNPINNED, perSecond);
                    }
                },
                figures,
                JOBS);
        inTurns(
                stage,
                contender,
                "half load",
                false,
                (side, counts) -> {
                    Window window = side.keepUp(sizes, capacity / 2);
                    if (counts) {
                        figures.add(side.pinned() ? HALF_PINNED : HALF_UNPINNED, window.perSecond());
                        figures.add(side.pinned() ? CPU_PINNED : CPU_UNPINNED, window.cpuMicros());
                    }
                },
                figures,
                HALF_JOBS);
        inTurns(
                stage,
                contender,
                "full backlog, the open transaction has written",
                true,
                (side, counts) -> {
                    double perSecond = side.workOff(sizes);
                    if (counts) {
                        figures.add(side.pinned() ? PINNED_BY_WRITER : UNPINNED_BESIDE_WRITER, perSecond);
                    }
                },
                figures,
                WRITER_JOBS);
        return figures;
    }

    private interface Turn {
        void take(Side side, boolean counts) throws Exception;
    }

    private static void inTurns(
            Stage stage, Contender contender, String what, boolean writes, Turn turn, Figures figures, Metric jobs)
            throws Exception {
        int windows = stage.plan().windows();
        try (Side unpinned = new Side(stage, contender, false);
                Side pinned = new Side(stage, contender, true);
                Pin pin = new Pin(pinned.database.url(), writes)) {
            List<Side> order = new ArrayList<>(List.of(unpinned, pinned));
            for (int window = 1; window <= windows; window++) {
                for (Side side : order) {
                    stage.say(what + ", window " + window + " of " + windows + (side.pinned ? ", pinned" : ""));
                    turn.take(side, window > 1);
                }
                Collections.reverse(order);
            }
            pin.check();
            figures.add(jobs, pinned.handled.count());
        }
    }

    /** How long a window lasts, and how much is enqueued for one. */
    private record Sizes(long windowNanos, long mostNanos, int jobs, int backlog) {
        Sizes(Plan plan, Contender contender, double capacity) {
            this(
                    plan.window().toNanos(),
                    plan.window().toNanos() * (contender.kind() == Contender.Kind.PEER ? PEER_STRETCH : STRETCH),
                    Stage.jobs(plan.horizonJobs(), contender) / plan.windows(),
                    // A backlog is worked off faster than what is also being taken in.
                    (int) Math.max(
                            2.5 * capacity * plan.window().toNanos() / 1e9,
                            1.3 * Stage.jobs(plan.horizonJobs(), contender) / plan.windows()));
        }
    }

    private record Window(double perSecond, OptionalDouble cpuMicros) {}

    /** One of the two databases. */
    private static final class Side implements AutoCloseable {
        private final Scratch database;
        private final boolean pinned;
        private final Site site;
        private final Handled handled = Handled.endless();
        private final Site.Work work;
        private final AtomicInteger enqueued = new AtomicInteger();

        Side(Stage stage, Contender contender, boolean pinned) throws Exception {
            this.database = stage.database();
            this.pinned = pinned;
            this.site = contender.open(database.url());
            this.work = site.start(handled);
        }

        boolean pinned() {
            return pinned;
        }

        /** Fills up the backlog, untimed, and works on it for a window. */
        double workOff(Sizes sizes) throws Exception {
            work.pause();
            int missing = (int) (sizes.backlog() - (enqueued.get() - handled.count()));
            if (missing > 0) {
                Crew.enqueue(site, enqueued.getAndAdd(missing), missing, CHUNK, 2);
            }
            database.checkpoint();
            long before = handled.count();
            work.resume();
            while (handled.count() == before) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
            long begin = System.nanoTime();
            before = handled.count();
            long few = sizes.backlog() / 20;
            while (inWindow(sizes, begin, before) && enqueued.get() - handled.count() > few) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
            double perSecond = (handled.count() - before) * 1e9 / (System.nanoTime() - begin);
            work.pause();
            awaitQuiet();
            return perSecond;
        }

        private boolean inWindow(Sizes sizes, long begin, long before) {
            long elapsed = System.nanoTime() - begin;
            return elapsed < sizes.windowNanos()
                    || handled.count() - before < sizes.jobs() && elapsed < sizes.mostNanos();
        }

        /** What has been claimed is still run. */
        private void awaitQuiet() throws InterruptedException {
            long seen;
            do {
                seen = handled.count();
                TimeUnit.MILLISECONDS.sleep(200);
            } while (handled.count() != seen);
        }

        /** Works on what comes in at an even rate for a window. */
        Window keepUp(Sizes sizes, double perSecond) throws Exception {
            database.checkpoint();
            long before = handled.count();
            long begin = System.nanoTime();
            OptionalLong cpuBefore = database.cpu().nanos();
            long done;
            long nanos;
            OptionalLong cpuAfter;
            try (Pacer pacer = new Pacer(site, enqueued, perSecond)) {
                while (inWindow(sizes, begin, before)) {
                    TimeUnit.MILLISECONDS.sleep(5);
                }
                pacer.check();
                done = handled.count() - before;
                nanos = System.nanoTime() - begin;
                cpuAfter = database.cpu().nanos();
            }
            long deadline = System.nanoTime() + sizes.windowNanos();
            while (handled.count() < enqueued.get() && System.nanoTime() - deadline < 0) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
            OptionalDouble cpuMicros = cpuBefore.isPresent() && cpuAfter.isPresent()
                    ? OptionalDouble.of((cpuAfter.getAsLong() - cpuBefore.getAsLong()) / 1e3 / Math.max(1, done))
                    : OptionalDouble.empty();
            return new Window(done * 1e9 / nanos, cpuMicros);
        }

        @Override
        public void close() {
            work.close();
            site.close();
            database.close();
        }
    }
}
