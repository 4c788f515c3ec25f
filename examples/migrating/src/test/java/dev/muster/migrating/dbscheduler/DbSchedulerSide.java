package dev.muster.migrating.dbscheduler;

import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.event.AbstractSchedulerListener;
import com.github.kagkarlsson.scheduler.task.ExecutionComplete;
import com.github.kagkarlsson.scheduler.task.FailureHandler;
import com.github.kagkarlsson.scheduler.task.TaskDescriptor;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.PlainScheduleAndData;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTask;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTaskWithPersistentSchedule;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.Schedules;
import dev.muster.job.Jobs;
import dev.muster.migrating.Effects;
import dev.muster.migrating.MusterSide;
import dev.muster.migrating.Welcome;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The jobs of the guide as db-scheduler writes them. */
final class DbSchedulerSide {
    private final Effects effects;
    private final AtomicInteger charges = new AtomicInteger();

    DbSchedulerSide(Effects effects) {
        this.effects = effects;
    }

    // show: one-off handler
    static final TaskDescriptor<Welcome> WELCOME = TaskDescriptor.of("welcome_mail", Welcome.class);

    OneTimeTask<Welcome> welcome() {
        return Tasks.oneTime(WELCOME)
                .execute((instance, context) -> send(instance.getData().address()));
    }
    // end

    private void send(String address) {
        effects.add("db-scheduler sent " + address);
    }

    static void oneOff(SchedulerClient scheduler) {
        // show: one-off
        scheduler.scheduleIfNotExists(
                WELCOME.instance("customer-42")
                        .data(new Welcome("ada@example.com", 42))
                        .build(),
                Instant.now());
        // end
    }

    static void delayed(SchedulerClient scheduler) {
        // show: delayed
        scheduler.scheduleIfNotExists(
                WELCOME.instance("customer-43")
                        .data(new Welcome("bob@example.com", 43))
                        .priority(90) // counts only with enablePriority()
                        .build(),
                Instant.now().plus(Duration.ofHours(1)));
        // end
    }

    // show: retries
    OneTimeTask<Long> charge() {
        return Tasks.oneTime("charge_card", Long.class)
                .onFailure(FailureHandler.<Long>maxRetries(4)
                        .withBackoff(Duration.ofSeconds(2), 2.0)
                        .thenRemove(complete -> effects.add("db-scheduler gives up charge_card")))
                .execute((instance, context) -> {
                    effects.add("db-scheduler charges " + instance.getData());
                    if (charges.incrementAndGet() < 2) {
                        throw new IllegalStateException("the bank does not answer");
                    }
                });
    }
    // end

    // show: one at a time
    OneTimeTask<Void> sync() { // one row per task and id: two runs of account "acme" cannot overlap
        return Tasks.oneTime("sync_account")
                .execute((instance, context) -> effects.add("db-scheduler syncs " + instance.getId()));
    }
    // end

    static void cancel(SchedulerClient scheduler) {
        // show: cancel
        scheduler.reschedule(
                WELCOME.instanceId("customer-43"), Instant.now().plus(Duration.ofDays(1))); // throws if it runs
        scheduler.cancel(WELCOME.instanceId("customer-43")); // throws if it runs
        // end
    }

    // show: recurring
    RecurringTask<Void> morningReport() {
        return Tasks.recurring("morning_report", Schedules.cron("0 0 6 * * MON-FRI", ZoneId.of("Europe/Berlin")))
                .execute((instance, context) ->
                        effects.add("db-scheduler reports for " + context.getExecution().executionTime));
    }
    // end

    // show: state
    RecurringTask<Long> export() {
        return Tasks.recurring("export", Schedules.cron("0 */5 * * * *"), Long.class)
                .initialData(0L)
                .executeStateful((instance, context) -> exportAfter(instance.getData()));
    }
    // end

    long exportAfter(long last) {
        effects.add("db-scheduler exports after " + last);
        return last + 10;
    }

    // show: at run time
    RecurringTaskWithPersistentSchedule<PlainScheduleAndData> invoices() {
        return Tasks.recurringWithPersistentSchedule("invoices", PlainScheduleAndData.class)
                .execute((instance, context) -> effects.add("db-scheduler bills " + instance.getId()));
    }

    void atRunTime(SchedulerClient scheduler) {
        PlainScheduleAndData mondays =
                new PlainScheduleAndData(Schedules.cron("0 0 6 * * MON", ZoneId.of("Europe/Berlin")));
        scheduler.scheduleIfNotExists(invoices().schedulableInstance("acme", mondays));
    }
    // end

    // show: listener
    static final class Watch extends AbstractSchedulerListener {
        private final Effects effects;

        Watch(Effects effects) {
            this.effects = effects;
        }

        @Override
        public void onExecutionComplete(ExecutionComplete complete) {
            effects.add("db-scheduler ends " + complete.getExecution().getTaskName() + " " + complete.getResult());
        }
    }
    // end

    // show: relay
    /** In the place of the old task: what it did is the job "report" of Muster by now. */
    static RecurringTask<Void> reportTicks(Jobs jobs) {
        return Tasks.recurring("report", Schedules.cron("* * * * * *")).execute((instance, context) -> {
            Instant tick = context.getExecution().executionTime; // every second: with a fraction
            MusterSide.reportFor(jobs, tick.truncatedTo(ChronoUnit.SECONDS));
        });
    }
    // end
}
