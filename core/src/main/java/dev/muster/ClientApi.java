package dev.muster;

import dev.muster.daemon.Daemons;
import dev.muster.daemon.StoredDaemons;
import dev.muster.job.Jobs;
import dev.muster.job.Queues;
import dev.muster.job.internal.ObserverJobs;
import dev.muster.job.internal.ObserverQueues;
import dev.muster.job.internal.StoredJobs;
import dev.muster.job.internal.StoredQueues;
import dev.muster.lock.Locks;
import dev.muster.lock.StoredLocks;
import dev.muster.schedule.CronJobs;
import dev.muster.schedule.Crons;
import dev.muster.schedule.StoredCrons;

/** The APIs through which a program uses the cluster, whether its node runs or not. An observer can only read. */
record ClientApi(Jobs jobs, Queues queues, Crons crons, Daemons daemons, Locks locks) {

    static ClientApi to(NodeContext base) {
        Store store = base.store;
        Jobs jobs = new StoredJobs(
                store.jobs(),
                store.jobReader(),
                store.dependencies(),
                base.json,
                base.payloads,
                base.registry,
                store.nodes(),
                base.interceptors,
                base.transactionScope,
                base.signal,
                base.clock);
        CronJobs cronJobs = new CronJobs(base.json, base.payloads);
        ClientApi all = new ClientApi(
                jobs,
                new StoredQueues(store.queues(), base.signal),
                new StoredCrons(store.crons(), cronJobs, jobs, base::cronsChanged),
                new StoredDaemons(store.daemons(), base::daemonsChanged),
                new StoredLocks(store.locks(), base.nodeId, base.clock));
        return base.config.node().observes() ? all.forObserver() : all;
    }

    private ClientApi forObserver() {
        return new ClientApi(
                new ObserverJobs(jobs),
                new ObserverQueues(queues),
                new ObserverCrons(crons),
                new ObserverDaemons(daemons),
                new ObserverLocks(locks));
    }
}
