package dev.muster.migrating.quartz;

import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.migrating.MusterSide;
import dev.muster.migrating.Welcome;
import java.time.Instant;
import org.quartz.JobDataMap;
import org.quartz.JobKey;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.Trigger.TriggerState;

/** Moves triggers that wait in Quartz's tables to Muster. */
final class MoveTriggers {
    private MoveTriggers() {}

    // show: move
    /** Moves the triggers of a job that have not fired; returns how many. After a crash, call it again. */
    static int move(Scheduler quartz, JobKey job, Jobs jobs) throws SchedulerException {
        quartz.pauseJob(job); // from here on no node fires its triggers; runs that have begun continue
        int moved = 0;
        for (Trigger trigger : quartz.getTriggersOfJob(job)) {
            if (quartz.getTriggerState(trigger.getKey()) != TriggerState.PAUSED) {
                continue; // its run has begun: it ends in Quartz
            }
            Instant due = trigger.getNextFireTime().toInstant();
            JobDataMap data = trigger.getJobDataMap();
            jobs.enqueue(JobRequest.of(
                            MusterSide.WELCOME, new Welcome(data.getString("address"), data.getLong("customerId")))
                    .key("quartz " + trigger.getKey() + " " + due) // a second time, this is the same job
                    .at(due));
            quartz.unscheduleJob(trigger.getKey()); // only now
            moved++;
        }
        return moved;
    }
    // end
}
