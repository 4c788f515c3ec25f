package dev.muster.bench;

import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Site;
import java.util.List;

/** From the start of a process to the start of its first job, on a database with tables and one pending job. */
final class StartupScenario implements SelfPacedScenario {
    static final Metric MILLIS = Metric.millis("startup");

    @Override
    public String name() {
        return "startup";
    }

    @Override
    public Figures measure(Stage stage, Contender contender) throws Exception {
        Figures figures = new Figures();
        try (Scratch database = stage.database();
                Site client = contender.open(database.url())) {
            for (int i = 0; i < stage.plan().starts(); i++) {
                client.enqueue(i, 1);
                long begin = System.nanoTime();
                try (NodeProcess node = new NodeProcess(database.url(), List.of(), List.of())) {
                    node.await(NodeProcess.FIRST);
                    figures.add(MILLIS, (System.nanoTime() - begin) / 1e6);
                    Run.awaitNothingLeft(client);
                }
            }
        }
        return figures;
    }
}
