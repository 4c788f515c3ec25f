package dev.muster.migrating;

import dev.muster.Muster;
import dev.muster.job.Backoff;
import dev.muster.job.DeadLetter;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobListener;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobType;
import dev.muster.job.Jobs;
import dev.muster.job.Priority;
import dev.muster.schedule.Cron;
import dev.muster.schedule.CronContext;
import dev.muster.schedule.CronSpec;
import dev.muster.schedule.Crons;
import dev.muster.schedule.Misfire;
import dev.muster.schedule.Overlap;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The jobs of the guides as Muster writes them. */
public final class MusterSide {
    private final Effects effects;

    public MusterSide(Effects effects) {
        this.effects = effects;
    }

    // show: one-off handler
    public static final JobType<Welcome, Void> WELCOME = JobType.of("welcome_mail", Welcome.class, Void.class);

    @Job("welcome_mail")
    void welcome(Welcome args) {
        send(args.address());
    }
    // end

    private void send(String address) {
        effects.add("muster sent " + address);
    }

    static Muster start(DataSource pool, Effects effects, Watch watch) {
        // show: start
        Muster muster = Muster.builder()
                .dataSource(pool) // the one that the rest of your service uses
                .register(new MusterSide(effects))
                .interceptor(watch)
                .listener(watch)
                .build();
        muster.start(); // close() it when the service stops
        // end
        return muster;
    }

    static JobId oneOff(Jobs jobs) {
        // show: one-off
        JobId id = jobs.enqueue(WELCOME, new Welcome("ada@example.com", 42));
        // end
        return id;
    }

    static JobId delayed(Jobs jobs) {
        // show: delayed
        JobId id = jobs.enqueue(JobRequest.of(WELCOME, new Welcome("bob@example.com", 43))
                .delay(Duration.ofHours(1)) // or .at(instant)
                .key("customer-43")
                .priority(Priority.HIGH));
        // end
        return id;
    }

    // show: retries
    @Job(
            value = "charge_card",
            maxAttempts = 5, // the first run counts
            backoff = @Backoff(kind = Backoff.Kind.EXPONENTIAL, delay = "2s", cap = "5m"),
            noRetryOn = IllegalArgumentException.class)
    void charge(JobContext ctx, long orderId) {
        effects.add("muster charges " + orderId + ", attempt " + ctx.attempt());
        if (ctx.attempt() < 3) {
            throw new IllegalStateException("the bank does not answer");
        }
    }
    // end

    // show: one at a time
    @Job(value = "sync_account", maxConcurrent = 1, concurrencyKey = "account")
    void sync(Account args) {
        effects.add("muster syncs " + args.account());
    }

    record Account(String account) {}
    // end

    static boolean moveToTomorrow(Jobs jobs, JobId id) {
        // show: cancel
        JobId found = jobs.list(JobQuery.all().name("welcome_mail").key("customer-43"))
                .get(0)
                .id(); // if you have not kept the id
        boolean moved = jobs.reschedule(found, Duration.ofDays(1)); // false if a node has it or it has ended
        jobs.cancel(found); // a job that runs is told to stop
        // end
        return moved && found.equals(id);
    }

    // show: recurring
    @Cron(
            value = "0 6 * * MON-FRI",
            zone = "Europe/Berlin",
            misfire = Misfire.FIRE_ONCE, // ticks missed while nothing ran: one job for all of them
            overlap = Overlap.SKIP) // no tick while the job of the last one has not ended
    void morningReport(CronContext ctx) {
        effects.add("muster reports for " + ctx.tick());
    }
    // end

    // show: state
    @Cron(value = "*/5 * * * *", overlap = Overlap.SKIP)
    void export(CronContext ctx) throws SQLException {
        try (Connection connection = ctx.connection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            long last = number(statement, "SELECT last_id FROM export_state FOR UPDATE");
            long next = exportAfter(last);
            try (PreparedStatement update = connection.prepareStatement("UPDATE export_state SET last_id = ?")) {
                update.setLong(1, next);
                update.executeUpdate();
            }
            ctx.completeIn(connection); // the new state and the end of the job commit together
            connection.commit();
        }
    }
    // end

    private static long number(Statement statement, String sql) throws SQLException {
        try (ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private long exportAfter(long last) {
        effects.add("muster exports after " + last);
        return last + 10;
    }

    static void atRunTime(Crons crons) {
        // show: at run time
        crons.create(CronSpec.of("acme_invoices", "0 6 * * MON", JobRequest.of("send_invoices", "acme"))
                .zone(ZoneId.of("Europe/Berlin")));
        crons.update(crons.spec("acme_invoices").orElseThrow().expression("0 7 * * MON"));
        crons.delete("acme_invoices");
        // end
    }

    // show: progress
    @Job("import_rows")
    void importRows(JobContext ctx, int rows) {
        for (int row = 1; row <= rows; row++) {
            ctx.progress(100 * row / rows);
        }
        ctx.log().info("imported {} rows", rows);
    }
    // end

    // show: listener
    static final class Watch implements JobInterceptor, JobListener {
        private final Effects effects;

        Watch(Effects effects) {
            this.effects = effects;
        }

        @Override
        public @Nullable Object run(JobContext ctx, Run run) throws Exception {
            effects.add("muster begins " + ctx.name());
            try {
                return run.proceed();
            } finally {
                effects.add("muster ends " + ctx.name());
            }
        }

        @Override
        public void deadLetter(DeadLetter event) { // after the database has accepted it
            effects.add("muster gives up " + event.name());
        }
    }
    // end

    // show: relay
    /** Both schedulers call this for each tick; the key makes one job of it. */
    public static JobId reportFor(Jobs jobs, Instant tick) {
        return jobs.enqueue(JobRequest.of("report", tick).key("report " + tick));
    }

    @Cron(value = "0 6 * * MON-FRI", zone = "Europe/Berlin") // the schedule that the other scheduler has, too
    void reportTick(CronContext ctx) {
        reportFor(ctx.jobs(), ctx.tick());
    }

    @Job("report")
    void report(Instant tick) {
        effects.add("muster reports " + tick);
    }
    // end
}
