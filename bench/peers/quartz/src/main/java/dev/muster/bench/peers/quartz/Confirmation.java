package dev.muster.bench.peers.quartz;

import dev.muster.bench.contender.Handled;
import org.quartz.Job;
import org.quartz.JobExecutionContext;
import org.quartz.SchedulerException;

/** The job: takes its data and does nothing. */
public final class Confirmation implements Job {
    static final String HANDLED = "handled";

    @Override
    public void execute(JobExecutionContext context) {
        context.getMergedJobDataMap().getString("email");
        try {
            ((Handled) context.getScheduler().getContext().get(HANDLED)).one();
        } catch (SchedulerException e) {
            throw new IllegalStateException(e);
        }
    }
}
