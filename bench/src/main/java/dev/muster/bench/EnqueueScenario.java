package dev.muster.bench;

import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Site;

/** How fast jobs are taken in: in chunks from two threads, and one by one from eight. */
final class EnqueueScenario implements Scenario {
    static final Metric CHUNKS = Metric.rate("enqueue");
    static final Metric SINGLE = Metric.rate("enqueue_single");
    private static final int CHUNK = 1_000;

    @Override
    public String name() {
        return "enqueue";
    }

    @Override
    public boolean suits(Contender contender) {
        return contender.kind() != Contender.Kind.WORKFLOW_PEER
                && !contender.name().equals(OwnSqlContender.NAME);
    }

    @Override
    public Figures measure(Stage stage, Contender contender) throws Exception {
        int jobs = Stage.jobs(stage.plan().jobs(), contender);
        int singles = Math.max(1, jobs / 5);
        try (Scratch database = stage.database();
                Site site = contender.open(database.url())) {
            // The first do not count, whoever it is: connections open, and their code is still being compiled.
            Crew.enqueue(site, 0, singles, 1, 8);
            database.checkpoint();
            double single = Crew.enqueuePerSecond(site, singles, singles, 1, 8);
            database.checkpoint();
            double inChunks = Crew.enqueuePerSecond(site, 2 * singles, jobs, CHUNK, 2);
            long stored = site.left();
            int sent = jobs + 2 * singles;
            if (stored != sent) {
                throw new IllegalStateException(stored + " jobs are stored, not " + sent);
            }
            return new Figures().add(CHUNKS, inChunks).add(SINGLE, single);
        }
    }
}
