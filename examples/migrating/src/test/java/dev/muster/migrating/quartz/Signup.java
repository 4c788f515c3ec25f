package dev.muster.migrating.quartz;

import static org.quartz.TriggerBuilder.newTrigger;

import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.migrating.MusterSide;
import dev.muster.migrating.Welcome;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

// show: switch
@Component
class Signup {
    private final JdbcTemplate database;
    private final Scheduler quartz;
    private final Jobs jobs;
    private final Ownership ownership; // your own: a property for each kind of job

    Signup(JdbcTemplate database, Scheduler quartz, Jobs jobs, Ownership ownership) {
        this.database = database;
        this.quartz = quartz;
        this.jobs = jobs;
        this.ownership = ownership;
    }

    @Transactional
    public void signUp(Welcome welcome) throws SchedulerException {
        database.update("INSERT INTO customers VALUES (?)", welcome.customerId());
        String key = "customer-" + welcome.customerId();
        if (ownership.muster("welcome_mail")) {
            jobs.enqueue(JobRequest.of(MusterSide.WELCOME, welcome).key(key));
        } else {
            quartz.scheduleJob(newTrigger()
                    .forJob("welcome_mail")
                    .withIdentity(key)
                    .usingJobData("address", welcome.address())
                    .usingJobData("customerId", welcome.customerId())
                    .build());
        }
    }
}
// end
