package dev.muster.internal.schedule;

import dev.muster.internal.runtime.DoneButUnread;
import dev.muster.internal.runtime.Names;
import dev.muster.job.JobId;
import dev.muster.job.Jobs;
import dev.muster.runtime.MusterException;
import dev.muster.schedule.CronChanged;
import dev.muster.schedule.CronInfo;
import dev.muster.schedule.CronInfo.Source;
import dev.muster.schedule.CronSpec;
import dev.muster.schedule.CronTick;
import dev.muster.schedule.Crons;
import dev.muster.schedule.InvalidCron;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** {@link Crons} over a {@link CronStore}. */
public final class DatabaseCrons implements Crons {
    private final CronStore store;
    private final CronJobs cronJobs;
    private final Jobs jobs;
    private final Runnable changed;

    /** @param changed tells the leader that crons have changed */
    public DatabaseCrons(CronStore store, CronJobs cronJobs, Jobs jobs, Runnable changed) {
        this.store = store;
        this.cronJobs = cronJobs;
        this.jobs = jobs;
        this.changed = changed;
    }

    @Override
    public List<CronInfo> list() {
        return store.list();
    }

    @Override
    public Optional<CronInfo> find(String name) {
        return store.find(Names.require("cron name", name));
    }

    /**
     * The cron after a change that is committed: whatever keeps it from being read, the change was made.
     *
     * @param done what was done to it
     */
    private CronInfo after(String done, String name) {
        try {
            return require(name);
        } catch (RuntimeException e) {
            throw new DoneButUnread("cron '" + name + "' was " + done, e);
        }
    }

    /** The cron as it is now, for calls that change it. */
    private CronInfo require(String name) {
        return store.current(Names.require("cron name", name)).orElseThrow(() -> unknown(name));
    }

    private InvalidCron unknown(String name) {
        return InvalidCron.noSuchCron(name, list());
    }

    @Override
    public Optional<CronSpec> spec(String name) {
        return find(name).map(cron -> cronJobs.spec(cron.definition()));
    }

    @Override
    public List<CronTick> history(String name, int limit) {
        return store.history(find(name).orElseThrow(() -> unknown(name)).name(), limit);
    }

    @Override
    public CronInfo create(CronSpec spec) {
        if (!store.create(cronJobs.definition(spec))) {
            throw new InvalidCron("a cron '" + spec.name() + "' exists already; update or delete it");
        }
        changed.run();
        return after("created", spec.name());
    }

    @Override
    public CronInfo update(CronSpec spec) {
        return update(spec, Optional.empty());
    }

    @Override
    public CronInfo update(CronSpec spec, Instant unchangedSince) {
        return update(spec, Optional.of(unchangedSince));
    }

    private CronInfo update(CronSpec spec, Optional<Instant> unchangedSince) {
        if (!store.update(cronJobs.definition(spec), unchangedSince)) {
            throw notChanged(require(spec.name()), "changed", unchangedSince);
        }
        changed.run();
        return after("changed", spec.name());
    }

    @Override
    public boolean delete(String name) {
        return delete(name, Optional.empty());
    }

    @Override
    public boolean delete(String name, Instant unchangedSince) {
        return delete(name, Optional.of(unchangedSince));
    }

    private boolean delete(String name, Optional<Instant> unchangedSince) {
        if (store.delete(Names.require("cron name", name), unchangedSince)) {
            changed.run();
            return true;
        }
        store.current(name).ifPresent(cron -> {
            throw notChanged(cron, "deleted", unchangedSince);
        });
        return false;
    }

    private static MusterException notChanged(CronInfo cron, String what, Optional<Instant> unchangedSince) {
        if (cron.source() == Source.DYNAMIC && unchangedSince.isPresent()) {
            return new CronChanged(cron.name());
        }
        if (cron.source() == Source.UNKNOWN) {
            return new InvalidCron("cron '" + cron.name()
                    + "' comes from where this version of Muster does not know; it is " + what + " with the newer one");
        }
        return cron.source() == Source.STATIC
                ? new InvalidCron("cron '" + cron.name() + "' is defined in code and " + what
                        + " there; pause it to keep it from ticking")
                : new InvalidCron("cron '" + cron.name() + "' was changed by someone else just now; try again");
    }

    @Override
    public CronInfo pause(String name) {
        if (!store.pause(Names.require("cron name", name))) {
            throw unknown(name);
        }
        return after("paused", name);
    }

    @Override
    public CronInfo resume(String name) {
        if (!store.resume(Names.require("cron name", name))) {
            throw unknown(name);
        }
        changed.run();
        return after("resumed", name);
    }

    @Override
    public JobId trigger(String name) {
        return cronJobs.enqueueTriggered(jobs, require(name).definition(), store.now());
    }

    @Override
    public List<Instant> next(String name, int count) {
        return find(name).orElseThrow(() -> unknown(name)).next(store.readTime(), count);
    }
}
