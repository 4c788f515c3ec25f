package dev.muster.migrating.quartz;

import static org.quartz.CronScheduleBuilder.cronSchedule;
import static org.quartz.JobBuilder.newJob;
import static org.quartz.TriggerBuilder.newTrigger;

import dev.muster.job.Jobs;
import dev.muster.migrating.Effects;
import dev.muster.migrating.MusterSide;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;
import org.quartz.DisallowConcurrentExecution;
import org.quartz.Job;
import org.quartz.JobDataMap;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.JobExecutionException;
import org.quartz.JobKey;
import org.quartz.PersistJobDataAfterExecution;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerKey;
import org.quartz.listeners.JobListenerSupport;

/** The jobs of the guide as Quartz writes them. */
final class QuartzSide {
    static final String EFFECTS = "effects";
    static final String JOBS = "jobs";

    private QuartzSide() {}

    private static Effects effects(JobExecutionContext context) {
        return inContext(context, EFFECTS, Effects.class);
    }

    private static <T> T inContext(JobExecutionContext context, String name, Class<T> type) {
        try {
            return type.cast(context.getScheduler().getContext().get(name));
        } catch (SchedulerException e) {
            throw new IllegalStateException(e);
        }
    }

    // show: one-off handler
    static final JobDetail WELCOME = newJob(WelcomeMail.class)
            .withIdentity("welcome_mail")
            .storeDurably()
            .build();

    public static final class WelcomeMail implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            JobDataMap data = context.getMergedJobDataMap();
            send(context, data.getString("address"));
        }
    }
    // end

    private static void send(JobExecutionContext context, String address) {
        effects(context).add("quartz sent " + address);
    }

    static void oneOff(Scheduler scheduler) throws SchedulerException {
        // show: one-off
        scheduler.addJob(WELCOME, true); // once, at start
        scheduler.scheduleJob(newTrigger()
                .forJob(WELCOME)
                .withIdentity("customer-42")
                .usingJobData("address", "ada@example.com")
                .usingJobData("customerId", 42L)
                .startNow()
                .build());
        // end
    }

    static void delayed(Scheduler scheduler) throws SchedulerException {
        // show: delayed
        scheduler.scheduleJob(newTrigger()
                .forJob(WELCOME)
                .withIdentity("customer-43")
                .usingJobData("address", "bob@example.com")
                .usingJobData("customerId", 43L)
                .startAt(Date.from(Instant.now().plus(Duration.ofHours(1))))
                .withPriority(8) // among triggers that are due at the same time
                .build());
        // end
    }

    // show: retries
    public static final class ChargeCard implements Job {
        @Override
        public void execute(JobExecutionContext context) throws JobExecutionException {
            long orderId = context.getMergedJobDataMap().getLong("orderId");
            int attempt = context.getMergedJobDataMap().getIntegerFromString("attempt");
            try {
                charge(context, orderId, attempt);
            } catch (IllegalStateException e) {
                if (attempt < 5) { // Quartz has no backoff: schedule the next attempt yourself
                    retry(context, attempt);
                }
                throw new JobExecutionException(e);
            }
        }

        private static void retry(JobExecutionContext context, int attempt) throws JobExecutionException {
            Duration backoff = Duration.ofMillis(100L << attempt);
            Trigger next = newTrigger()
                    .forJob(context.getJobDetail())
                    .usingJobData(context.getTrigger().getJobDataMap())
                    .usingJobData("attempt", Integer.toString(attempt + 1))
                    .startAt(Date.from(Instant.now().plus(backoff)))
                    .build();
            try {
                context.getScheduler().scheduleJob(next);
            } catch (SchedulerException e) {
                throw new JobExecutionException(e);
            }
        }
    }
    // end

    private static void charge(JobExecutionContext context, long orderId, int attempt) {
        effects(context).add("quartz charges " + orderId + ", attempt " + attempt);
        if (attempt < 3) {
            throw new IllegalStateException("the bank does not answer");
        }
    }

    // show: one at a time
    @DisallowConcurrentExecution // per JobDetail: one JobDetail for each account
    public static final class SyncAccount implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            effects(context)
                    .add("quartz syncs " + context.getJobDetail().getKey().getName());
        }
    }
    // end

    static void cancel(Scheduler scheduler) throws SchedulerException {
        // show: cancel
        TriggerKey key = TriggerKey.triggerKey("customer-43");
        Trigger tomorrow = scheduler
                .getTrigger(key)
                .getTriggerBuilder()
                .startAt(Date.from(Instant.now().plus(Duration.ofDays(1))))
                .build();
        scheduler.rescheduleJob(key, tomorrow); // null if the trigger is gone
        scheduler.unscheduleJob(key); // a run that has begun continues
        // end
    }

    static void recurring(Scheduler scheduler) throws SchedulerException {
        // show: recurring
        scheduler.scheduleJob(
                newJob(MorningReport.class).withIdentity("morning_report").build(),
                newTrigger()
                        .withIdentity("morning_report")
                        .withSchedule(cronSchedule("0 0 6 ? * MON-FRI")
                                .inTimeZone(TimeZone.getTimeZone("Europe/Berlin"))
                                .withMisfireHandlingInstructionFireAndProceed())
                        .build());
        // end
    }

    public static final class MorningReport implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            effects(context)
                    .add("quartz reports for " + context.getScheduledFireTime().toInstant());
        }
    }

    // show: state
    @DisallowConcurrentExecution
    @PersistJobDataAfterExecution
    public static final class Export implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            JobDataMap state = context.getJobDetail().getJobDataMap();
            state.put("lastId", exportAfter(context, state.getLong("lastId")));
        }
    }
    // end

    private static long exportAfter(JobExecutionContext context, long last) {
        effects(context).add("quartz exports after " + last);
        return last + 10;
    }

    // show: listener
    static final class Watch extends JobListenerSupport {
        private final Effects effects;

        Watch(Effects effects) {
            this.effects = effects;
        }

        @Override
        public String getName() {
            return "watch";
        }

        @Override
        public void jobToBeExecuted(JobExecutionContext context) {
            effects.add("quartz begins " + context.getJobDetail().getKey().getName());
        }

        @Override
        public void jobWasExecuted(JobExecutionContext context, @Nullable JobExecutionException failure) {
            effects.add("quartz ends " + context.getJobDetail().getKey().getName());
        }
    }
    // end

    // show: relay
    /** In the place of the old job's class, under its name: what it did is the job "report" of Muster by now. */
    public static final class ReportTicks implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            Jobs jobs = inContext(context, JOBS, Jobs.class);
            MusterSide.reportFor(jobs, context.getScheduledFireTime().toInstant());
        }
    }
    // end

    static JobKey accountKey(String account) {
        return JobKey.jobKey(account, "sync_account");
    }
}
