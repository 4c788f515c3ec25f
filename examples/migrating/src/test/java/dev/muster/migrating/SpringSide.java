package dev.muster.migrating;

import dev.muster.job.Job;
import dev.muster.job.Jobs;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** The same in an application of Spring. */
final class SpringSide {
    private SpringSide() {}

    // show: spring
    @Component
    static class Mails {
        private final Effects effects;

        Mails(Effects effects) {
            this.effects = effects;
        }

        @Job(value = "welcome_mail", maxAttempts = 5)
        void welcome(Welcome args) {
            effects.add("spring sent " + args.address());
        }
    }

    @Component
    static class Customers {
        private final JdbcTemplate database;
        private final Jobs jobs;

        Customers(JdbcTemplate database, Jobs jobs) {
            this.database = database;
            this.jobs = jobs;
        }

        @Transactional
        public void signUp(Welcome welcome) {
            database.update("INSERT INTO customers VALUES (?)", welcome.customerId());
            jobs.enqueue(MusterSide.WELCOME, welcome); // there is a job if and when the customer is there
        }
    }
    // end
}
