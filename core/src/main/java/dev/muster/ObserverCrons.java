package dev.muster;

import dev.muster.job.JobId;
import dev.muster.job.internal.ObserverJobs;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.CronSpec;
import dev.muster.schedule.Crons;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The crons of an observer: reading works, changes are refused. */
record ObserverCrons(Crons crons) implements Crons {

    @Override
    public List<CronInfo> list() {
        return crons.list();
    }

    @Override
    public Optional<CronInfo> find(String name) {
        return crons.find(name);
    }

    @Override
    public Optional<CronSpec> spec(String name) {
        return crons.spec(name);
    }

    @Override
    public List<Instant> next(String name, int count) {
        return crons.next(name, count);
    }

    @Override
    public CronInfo create(CronSpec spec) {
        throw ObserverJobs.refusal("create crons");
    }

    @Override
    public CronInfo update(CronSpec spec) {
        throw ObserverJobs.refusal("change crons");
    }

    @Override
    public boolean delete(String name) {
        throw ObserverJobs.refusal("delete crons");
    }

    @Override
    public CronInfo pause(String name) {
        throw ObserverJobs.refusal("pause crons");
    }

    @Override
    public CronInfo resume(String name) {
        throw ObserverJobs.refusal("resume crons");
    }

    @Override
    public JobId trigger(String name) {
        throw ObserverJobs.refusal("trigger crons");
    }
}
