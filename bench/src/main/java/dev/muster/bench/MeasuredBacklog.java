package dev.muster.bench;

import dev.muster.bench.contender.Site;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * A backlog that was enqueued and then worked off.
 *
 * @param cpuMicros processor time of server and JVM per job, where it is known
 */
record MeasuredBacklog(double perSecond, OptionalDouble cpuMicros) {

    static MeasuredBacklog of(Scratch database, Site site, int jobs) throws Exception {
        Crew.enqueue(site, 0, jobs, 1_000, 2);
        database.analyze();
        database.checkpoint();
        OptionalLong before = database.cpu().nanos();
        Run.Tally tally = Run.backlog(site, jobs);
        OptionalLong after = database.cpu().nanos();
        return new MeasuredBacklog(
                tally.perSecond(),
                before.isPresent() && after.isPresent()
                        ? OptionalDouble.of((after.getAsLong() - before.getAsLong()) / 1e3 / tally.done())
                        : OptionalDouble.empty());
    }
}
