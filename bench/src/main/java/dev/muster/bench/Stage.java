package dev.muster.bench;

import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Site;
import dev.muster.embedded.EmbeddedPostgres;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Where measurements take place: a server, and how much is to be measured. */
final class Stage {
    private final EmbeddedPostgres server;
    private final Plan plan;
    private final Progress progress;
    private final Map<String, Double> capacities = new LinkedHashMap<>();
    private String title = "";
    private long begun;

    Stage(EmbeddedPostgres server, Plan plan, Progress progress) {
        this.server = server;
        this.plan = plan;
        this.progress = progress;
    }

    Plan plan() {
        return plan;
    }

    /** A fresh database. */
    Scratch database() {
        return new Scratch(server);
    }

    /** How many jobs of a scenario's number this contender gets. */
    static int jobs(int jobs, Contender contender) {
        return (int) Math.max(20, Math.rint(jobs * contender.share()));
    }

    void begin(String title) {
        this.title = title;
        this.begun = System.nanoTime();
        progress.now(title + " …");
    }

    /** Says what is being done within a measurement. */
    void say(String what) {
        progress.now(title + ": " + what + " …");
    }

    void end(String figures) {
        double seconds = (System.nanoTime() - begun) / 1e9;
        progress.done(title + ": " + figures + String.format(Locale.ROOT, " (%.1f s)", seconds));
    }

    void fail(Exception e) {
        StringWriter trace = new StringWriter();
        e.printStackTrace(new PrintWriter(trace));
        progress.done(title + ": failed\n" + trace);
    }

    /** Jobs per second that a contender enqueues and runs at the same time; measured when first asked for. */
    double capacity(Contender contender) throws Exception {
        Double known = capacities.get(contender.name());
        if (known == null) {
            say("measuring what " + contender.name() + " sustains");
            known = measureCapacity(contender);
            capacities.put(contender.name(), known);
        }
        return known;
    }

    private double measureCapacity(Contender contender) throws Exception {
        try (Scratch database = database();
                Site site = contender.open(database.url())) {
            int jobs = jobs(plan.jobs(), contender);
            Run.sustained(site, 0, jobs);
            return Run.sustained(site, jobs, jobs).perSecond();
        }
    }
}
