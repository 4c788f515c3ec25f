package dev.muster.bench;

import dev.muster.bench.Metric.Unit;
import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Site;
import dev.muster.job.JobRequest;
import dev.muster.job.QueueLimit;
import java.util.function.UnaryOperator;

/** What limits cost: a backlog of a plain queue, of a queue with a limit, and of jobs that wait for admission. */
final class LimitsScenario implements Scenario {
    private static final Metric PLAIN = Metric.of("limits_plain", Unit.JOBS_PER_SECOND);
    private static final Metric QUEUE = Metric.of("limits_queue", Unit.JOBS_PER_SECOND);
    private static final Metric FAIR_GROUPS = Metric.of("limits_fair_groups", Unit.JOBS_PER_SECOND);
    private static final int PLACES = 1_000;
    private static final int TENANTS = 20;

    @Override
    public String name() {
        return "limits";
    }

    @Override
    public boolean suits(Contender contender) {
        return contender.kind() == Contender.Kind.MUSTER;
    }

    @Override
    public Figures measure(Stage stage, Contender contender) throws Exception {
        return new Figures()
                .add(PLAIN, perSecond(stage, QueueLimit.NONE, request -> request))
                .add(QUEUE, perSecond(stage, QueueLimit.maxRunning(PLACES), request -> request))
                .add(FAIR_GROUPS, perSecond(stage, QueueLimit.NONE, LimitsScenario::ofATenant));
    }

    private static JobRequest ofATenant(JobRequest request) {
        return request.fairKey("tenant-" + Math.floorMod(System.identityHashCode(request), TENANTS));
    }

    private static double perSecond(Stage stage, QueueLimit limit, UnaryOperator<JobRequest> change) throws Exception {
        try (Scratch database = stage.database();
                Site site = MusterContender.site(database.url(), limit, change)) {
            return MeasuredBacklog.of(database, site, stage.plan().jobs()).perSecond();
        }
    }
}
