package dev.muster.bench;

import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Site;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The most memory that a small node process, started as docs/running.md says, has from the system, at 1,000 jobs/s. */
final class MemoryScenario implements SelfPacedScenario {
    static final Metric RESIDENT = Metric.of("memory_resident", Metric.Unit.MEGABYTES);
    private static final Metric RATE = Metric.of("memory_rate", Metric.Unit.JOBS_PER_SECOND);
    private static final List<String> SMALL = List.of("-Xmx64m", "-Xms16m", "-XX:+UseSerialGC");
    private static final int PER_SECOND = 1_000;

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public Figures measure(Stage stage, Contender contender) throws Exception {
        try (Scratch database = stage.database();
                Site client = contender.open(database.url());
                NodeProcess node = new NodeProcess(database.url(), SMALL, List.of("node.mode=worker"))) {
            node.await(NodeProcess.READY);
            long begin = System.nanoTime();
            try (Pacer pacer = new Pacer(client, new AtomicInteger(), PER_SECOND)) {
                TimeUnit.MILLISECONDS.sleep(stage.plan().memory().toMillis());
                pacer.check();
                double seconds = (System.nanoTime() - begin) / 1e9;
                return new Figures().add(RATE, node.count() / seconds).add(RESIDENT, node.peakResidentMegabytes());
            }
        }
    }
}
