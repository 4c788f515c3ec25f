package dev.muster.migrating.jobrunr;

import dev.muster.job.Jobs;
import dev.muster.migrating.Effects;
import dev.muster.migrating.MusterSide;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.UUID;
import org.jobrunr.jobs.Job;
import org.jobrunr.jobs.JobId;
import org.jobrunr.jobs.context.JobContext;
import org.jobrunr.jobs.filters.JobServerFilter;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.jobs.states.ScheduledState;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.scheduling.JobScheduler;
import org.jobrunr.server.runner.ThreadLocalJobContext;
import org.jobrunr.storage.StorageProvider;

/** The jobs of the guide as JobRunr writes them. */
public final class JobRunrSide {
    private JobRunrSide() {}

    // show: one-off handler
    public static final class Mails {
        private final Effects effects;

        Mails(Effects effects) {
            this.effects = effects;
        }

        public void sendWelcome(String address, long customerId) { // called by a lambda that JobRunr takes apart
            effects.add("jobrunr sent " + address);
        }
    }

    public record WelcomeRequest(String address, long customerId) implements JobRequest {
        @Override
        public Class<WelcomeHandler> getJobRequestHandler() {
            return WelcomeHandler.class;
        }
    }

    public static final class WelcomeHandler implements JobRequestHandler<WelcomeRequest> {
        private final Mails mails;

        WelcomeHandler(Mails mails) {
            this.mails = mails;
        }

        @Override
        public void run(WelcomeRequest request) {
            mails.sendWelcome(request.address(), request.customerId());
        }
    }
    // end

    static void oneOff(JobScheduler scheduler, JobRequestScheduler requests) {
        // show: one-off
        scheduler.<Mails>enqueue(mails -> mails.sendWelcome("ada@example.com", 42L));
        requests.enqueue(new WelcomeRequest("ada@example.com", 42)); // the same without a lambda
        // end
    }

    static JobId delayed(JobRequestScheduler requests) {
        // show: delayed
        JobId id =
                requests.schedule(Instant.now().plus(Duration.ofHours(1)), new WelcomeRequest("bob@example.com", 43));
        // end
        return id;
    }

    // show: retries
    public static final class ChargeHandler implements JobRequestHandler<ChargeRequest> {
        private final Effects effects;

        ChargeHandler(Effects effects) {
            this.effects = effects;
        }

        @Override
        @org.jobrunr.jobs.annotations.Job(name = "Charge order", retries = 4) // after 3 s, 9 s, 27 s, 81 s
        public void run(ChargeRequest request) {
            JobContext context = ThreadLocalJobContext.getJobContext();
            effects.add("jobrunr charges " + request.orderId() + ", retry " + context.currentRetry());
            if (context.currentRetry() < 1) {
                throw new IllegalStateException("the bank does not answer");
            }
        }
    }
    // end

    public record ChargeRequest(long orderId) implements JobRequest {
        @Override
        public Class<ChargeHandler> getJobRequestHandler() {
            return ChargeHandler.class;
        }
    }

    static void oneAtATime(JobRequestScheduler requests) {
        // show: one at a time
        UUID id = UUID.nameUUIDFromBytes("sync acme".getBytes(StandardCharsets.UTF_8));
        requests.enqueue(id, new SyncRequest("acme")); // as long as a job has this id, there is no second one
        // end
    }

    public record SyncRequest(String account) implements JobRequest {
        @Override
        public Class<SyncHandler> getJobRequestHandler() {
            return SyncHandler.class;
        }
    }

    public static final class SyncHandler implements JobRequestHandler<SyncRequest> {
        private final Effects effects;

        SyncHandler(Effects effects) {
            this.effects = effects;
        }

        @Override
        public void run(SyncRequest request) {
            importRows(3);
            effects.add("jobrunr syncs " + request.account());
        }
    }

    static JobId cancel(JobRequestScheduler requests, JobId id) {
        // show: cancel
        requests.delete(id); // a job that runs is interrupted
        JobId replacement = requests.schedule( // there is no call that moves a job
                Instant.now().plus(Duration.ofDays(1)), new WelcomeRequest("bob@example.com", 43));
        // end
        return replacement;
    }

    static void recurring(JobRequestScheduler requests) {
        // show: recurring
        requests.scheduleRecurrently(
                "morning-report", "0 6 * * MON-FRI", ZoneId.of("Europe/Berlin"), new ReportRequest());
        // end
    }

    // show: progress
    static void importRows(int rows) {
        JobContext context = ThreadLocalJobContext.getJobContext();
        var progress = context.progressBar(rows);
        for (int row = 0; row < rows; row++) {
            progress.incrementSucceeded();
        }
        context.logger().info("imported " + rows + " rows");
    }
    // end

    // show: listener
    static final class Watch implements JobServerFilter {
        private final Effects effects;

        Watch(Effects effects) {
            this.effects = effects;
        }

        @Override
        public void onProcessing(Job job) {
            effects.add("jobrunr begins " + job.getJobName());
        }

        @Override
        public void onFailedAfterRetries(Job job) {
            effects.add("jobrunr gives up " + job.getJobName());
        }
    }
    // end

    public record ReportRequest() implements JobRequest {
        @Override
        public Class<ReportTicks> getJobRequestHandler() {
            return ReportTicks.class;
        }
    }

    // show: relay
    /** In the place of the old handler, under its name: what it did is the job "report" of Muster by now. */
    public static final class ReportTicks implements JobRequestHandler<ReportRequest> {
        private final StorageProvider storage;
        private final Jobs jobs;

        ReportTicks(StorageProvider storage, Jobs jobs) {
            this.storage = storage;
            this.jobs = jobs;
        }

        @Override
        public void run(ReportRequest request) {
            Job job = storage.getJobById(ThreadLocalJobContext.getJobContext().getJobId());
            Instant tick = job.getJobStatesOfType(ScheduledState.class) // the first one: later ones are retries
                    .findFirst()
                    .orElseThrow()
                    .getScheduledAt();
            MusterSide.reportFor(jobs, tick);
        }
    }
    // end
}
