package dev.muster;

import dev.muster.daemon.DaemonHandler;
import dev.muster.job.JobHandler;
import dev.muster.runtime.ConnectionSource;
import dev.muster.schedule.CronHandler;
import java.util.ArrayList;
import java.util.List;

/** The annotated methods of an object, by kind. */
public record Handlers(List<JobHandler> jobs, List<CronHandler> crons, List<DaemonHandler> daemons) {

    public Handlers {
        jobs = List.copyOf(jobs);
        crons = List.copyOf(crons);
        daemons = List.copyOf(daemons);
    }

    public boolean isEmpty() {
        return jobs.isEmpty() && crons.isEmpty() && daemons.isEmpty();
    }

    /** The handlers of all jobs, including those of crons. */
    public List<JobHandler> allJobs(ConnectionSource connections) {
        List<JobHandler> all = new ArrayList<>(jobs);
        crons.forEach(cron -> all.add(cron.job(connections)));
        return all;
    }
}
