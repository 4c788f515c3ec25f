package dev.muster.schedule;

import dev.muster.job.JobId;
import dev.muster.runtime.ObserverRefusal;
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
    public List<CronTick> history(String name, int limit) {
        return crons.history(name, limit);
    }

    @Override
    public CronInfo create(CronSpec spec) {
        throw new ObserverRefusal("create crons");
    }

    @Override
    public CronInfo update(CronSpec spec) {
        throw new ObserverRefusal("change crons");
    }

    @Override
    public CronInfo update(CronSpec spec, Instant unchangedSince) {
        return update(spec);
    }

    @Override
    public boolean delete(String name, Instant unchangedSince) {
        return delete(name);
    }

    @Override
    public boolean delete(String name) {
        throw new ObserverRefusal("delete crons");
    }

    @Override
    public CronInfo pause(String name) {
        throw new ObserverRefusal("pause crons");
    }

    @Override
    public CronInfo resume(String name) {
        throw new ObserverRefusal("resume crons");
    }

    @Override
    public JobId trigger(String name) {
        throw new ObserverRefusal("trigger crons");
    }
}
