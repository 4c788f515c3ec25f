package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobExecutor;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobTask;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * Rules send slow reports to an executor with two slots and photos to the one thread that may use the camera, so that mails never
 * wait for either.
 *
 * <pre>
 * a mail was sent while 2 of 5 reports were being built
 * "taken by the thread that owns the camera"
 * 5 reports built, at most 2 at a time
 * </pre>
 */
final class RouteJobs implements Example {
    private final AtomicInteger building = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final CountDownLatch twoBegun = new CountDownLatch(2);
    private final CountDownLatch dataArrives = new CountDownLatch(1);

    @Job("report::build")
    void build() throws InterruptedException {
        most.accumulateAndGet(building.incrementAndGet(), Math::max);
        twoBegun.countDown();
        dataArrives.await();
        building.decrementAndGet();
    }

    @Job("send_mail")
    void sendMail() {}

    @Job("camera::photo")
    String takePhoto() {
        return "taken by the thread " + Thread.currentThread().getName();
    }

    /** Runs jobs on its only thread. */
    static final class CameraThread implements JobExecutor {
        private final ExecutorService thread =
                Executors.newSingleThreadExecutor(work -> new Thread(work, "that owns the camera"));

        @Override
        public int capacity() {
            return 1;
        }

        @Override
        public void execute(JobTask task) {
            thread.execute(task::run);
        }

        @Override
        public void close(Duration timeout) {
            thread.shutdown();
        }
    }

    @Override
    public void run(DataSource database, PrintStream out) throws InterruptedException {
        try (Muster muster = Muster.builder()
                .dataSource(database)
                .set("routing.rules", "report::*=reports, camera::*=camera")
                .set("executors.reports.size", "2")
                .set("executors.camera.kind", "custom")
                .executor("camera", new CameraThread())
                .register(this)
                .build()) {
            muster.start();
            List<JobId> reports = muster.jobs().enqueueAll(Collections.nCopies(5, JobRequest.of("report::build")));
            twoBegun.await();
            run(muster, "send_mail");
            out.println("a mail was sent while " + building + " of " + reports.size() + " reports were being built");
            out.println(run(muster, "camera::photo").result().orElseThrow());

            dataArrives.countDown();
            reports.forEach(report -> muster.jobs().await(report, Duration.ofSeconds(30)));
            out.println(reports.size() + " reports built, at most " + most + " at a time");
        }
    }

    private static JobInfo run(Muster muster, String name) {
        return muster.jobs().await(muster.jobs().enqueue(JobRequest.of(name)), Duration.ofSeconds(30));
    }
}
