package dev.muster.cli.internal.node;

import dev.muster.Muster;
import dev.muster.MusterApp;
import dev.muster.MusterBuilder;
import dev.muster.job.Job;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.Leadership;
import dev.muster.lock.HeldLock;
import dev.muster.lock.Locks;
import java.time.Duration;
import java.util.Locale;
import javax.sql.DataSource;

/** An application as users write one. */
public final class ShoutApp implements MusterApp {
    static final String FAILS_TO_START = "fails-to-start";

    @Override
    public void register(MusterBuilder node, DataSource database) {
        node.register(new Handlers(node.jobs(), node.locks(), node.leadership(LeaderRole.SCHEDULER)));
    }

    @Override
    public void started(Muster muster) {
        if (muster.nodeId().equals(FAILS_TO_START)) {
            muster.jobs().enqueue(JobRequest.of("Not A Name"));
        }
        muster.jobs().enqueue(JobRequest.of("shout", "started").key("shout-started"));
    }

    /** Its handlers. */
    public static final class Handlers {
        private final Jobs jobs;
        private final Locks locks;
        private final Leadership leadership;

        Handlers(Jobs jobs, Locks locks, Leadership leadership) {
            this.jobs = jobs;
            this.locks = locks;
            this.leadership = leadership;
        }

        @Job("shout")
        String shout(String text) {
            return text.toUpperCase(Locale.ROOT);
        }

        @Job("shout_later")
        String shoutLater(String text) {
            try (HeldLock lock =
                    locks.tryAcquire("shout", Duration.ofMinutes(5)).orElseThrow()) {
                jobs.enqueue(JobRequest.of("shout", text).key("later-" + lock.fence()));
            }
            return leadership.isLeader() ? "leader" : "follower";
        }
    }
}
