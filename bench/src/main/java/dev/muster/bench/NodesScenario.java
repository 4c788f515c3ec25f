package dev.muster.bench;

import dev.muster.Muster;
import dev.muster.bench.contender.Contender;
import dev.muster.config.MusterConfig;
import dev.muster.job.JobRequest;
import dev.muster.job.JobType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Several node processes on one database: what they do together, how evenly they share, and how much more of them do of
 * jobs that only wait. First they warm up; then they share a backlog, which is timed without its first and last part. A
 * cluster of whatever size warms up on the same jobs, so that all find the database in the same state.
 */
final class NodesScenario implements Scenario {
    private static final JobType<Integer, Void> NAP = JobType.of("nap", Integer.class, Void.class);
    private static final int NAP_MILLIS = 100;
    private static final int CONCURRENCY = 16;
    private static final double NAPS_PER_SECOND = CONCURRENCY * 1_000.0 / NAP_MILLIS;
    private static final int CHUNK = 1_000;

    /** Jobs to warm up on, for each that is timed. */
    private static final int WARM_UP = 3;

    /** The part of the backlog before and after the one that is timed. */
    private static final double END = 0.05;

    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final Plan plan;

    NodesScenario(Plan plan) {
        this.plan = plan;
    }

    @Override
    public String name() {
        return "nodes";
    }

    @Override
    public boolean suits(Contender contender) {
        return contender.kind() == Contender.Kind.MUSTER;
    }

    @Override
    public int rounds(int wanted) {
        return Math.min(3, wanted);
    }

    @Override
    public boolean warmsUp() {
        return false;
    }

    static Metric together(int nodes) {
        return Metric.of("nodes_" + nodes, Metric.Unit.JOBS_PER_SECOND);
    }

    private static Metric unfairness(int nodes) {
        return Metric.of("nodes_" + nodes + "_unfairness", Metric.Unit.PERCENT);
    }

    static Metric sleeping(int nodes) {
        return Metric.of("nodes_sleep_" + nodes, Metric.Unit.JOBS_PER_SECOND);
    }

    @Override
    public List<Comparison> comparisons() {
        List<Comparison> comparisons = new ArrayList<>();
        int one = plan.processes().get(0);
        for (int nodes : plan.processes().subList(1, plan.processes().size())) {
            comparisons.add(new Comparison("nodes_" + nodes + "_vs_" + one, together(nodes), together(one)));
        }
        int single = plan.sleepers().get(0);
        for (int nodes : plan.sleepers().subList(1, plan.sleepers().size())) {
            comparisons.add(new Comparison(
                    "nodes_sleep_" + nodes + "_vs_linear", sleeping(nodes), sleeping(single), (double) single / nodes));
        }
        return comparisons;
    }

    @Override
    public Figures measure(Stage stage, Contender contender) throws Exception {
        Figures figures = new Figures();
        for (int nodes : plan.processes()) {
            stage.say(nodes + " processes");
            Shared shared =
                    share(stage, nodes, MusterContender::requests, plan.nodesJobs() * WARM_UP, plan.nodesJobs());
            figures.add(together(nodes), shared.perSecond());
            if (nodes > 1) {
                figures.add(unfairness(nodes), shared.unfairness() * 100);
            }
        }
        for (int nodes : plan.sleepers()) {
            stage.say(nodes + " processes, sleeping jobs");
            int naps = (int) (NAPS_PER_SECOND * plan.sleeping().toMillis() / 1e3);
            figures.add(
                    sleeping(nodes),
                    share(stage, nodes, NodesScenario::naps, naps * nodes / 2, naps * nodes)
                            .perSecond());
        }
        return figures;
    }

    private static List<JobRequest> naps(int first, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> JobRequest.of(NAP, NAP_MILLIS))
                .toList();
    }

    private interface Requests {
        List<JobRequest> make(int first, int count);
    }

    private record Shared(double perSecond, double unfairness) {}

    private static Shared share(Stage stage, int nodes, Requests requests, int warmUp, int timed) throws Exception {
        int backlog = (int) (timed / (1 - 2 * END));
        try (Scratch database = stage.database();
                Muster client = Muster.builder()
                        .config(MusterConfig.defaults())
                        .database(database.url())
                        .build();
                Processes processes = new Processes()) {
            client.start();
            for (int i = 0; i < nodes; i++) {
                processes.start(database.url());
            }
            enqueue(client, requests, 0, warmUp);
            processes.awaitSum(warmUp);
            client.queues().pause(MusterContender.QUEUE);
            enqueue(client, requests, warmUp, backlog);
            database.analyze();
            database.checkpoint();
            client.queues().resume(MusterContender.QUEUE);
            long[] warm = processes.awaitSum(warmUp + (long) (backlog * END));
            long begin = System.nanoTime();
            long[] end = processes.awaitSum(warmUp + (long) (backlog * (1 - END)));
            long nanos = System.nanoTime() - begin;
            return shared(warm, end, nanos);
        }
    }

    private static void enqueue(Muster client, Requests requests, int from, int jobs) {
        for (int first = 0; first < jobs; first += CHUNK) {
            client.jobs().enqueueAll(requests.make(from + first, Math.min(CHUNK, jobs - first)));
        }
    }

    /** Unfairness: how far the node that did most or least is from an even share. */
    private static Shared shared(long[] from, long[] to, long nanos) {
        long sum = 0;
        for (int i = 0; i < from.length; i++) {
            sum += to[i] - from[i];
        }
        double even = (double) sum / from.length;
        double furthest = 0;
        for (int i = 0; i < from.length; i++) {
            furthest = Math.max(furthest, Math.abs(to[i] - from[i] - even) / even);
        }
        return new Shared(sum * 1e9 / nanos, furthest);
    }

    private static final class Processes implements AutoCloseable {
        private final List<NodeProcess> all = new ArrayList<>();

        /** One after another: a crowd of starting JVMs would wait for each other. */
        void start(String url) throws IOException {
            NodeProcess process =
                    new NodeProcess(url, List.of("-Xmx256m"), List.of("worker.concurrency=" + CONCURRENCY));
            all.add(process);
            process.await(NodeProcess.READY);
        }

        /** Waits until they have run this many together, and returns how many each has. */
        long[] awaitSum(long jobs) throws IOException, InterruptedException {
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            while (true) {
                long[] counts = new long[all.size()];
                long sum = 0;
                for (int i = 0; i < counts.length; i++) {
                    counts[i] = all.get(i).count();
                    sum += counts[i];
                }
                if (sum >= jobs) {
                    return counts;
                }
                if (System.nanoTime() - deadline >= 0) {
                    throw new IllegalStateException(sum + " of " + jobs + " jobs were run in time");
                }
                TimeUnit.MILLISECONDS.sleep(10);
            }
        }

        @Override
        public void close() {
            all.forEach(NodeProcess::close);
        }
    }
}
