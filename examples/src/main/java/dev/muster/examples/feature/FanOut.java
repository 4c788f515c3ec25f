package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;

/**
 * A handler enqueues one job per customer, and one that runs when all of them have completed. The keys keep a second attempt
 * of the handler from enqueuing them again.
 *
 * <pre>
 * invoices for [ada, alan, grace]
 * </pre>
 */
final class FanOut implements Example {
    private final Set<String> invoiced = new ConcurrentSkipListSet<>();
    private final CountDownLatch finished = new CountDownLatch(1);

    @Job("invoice_all")
    void invoiceAll(JobContext ctx, String month) {
        List<JobRequest> requests = new ArrayList<>();
        for (String customer : List.of("ada", "grace", "alan")) {
            requests.add(JobRequest.of("invoice", customer).key(month + "-" + customer));
        }
        JobId[] invoices = ctx.jobs().enqueueAll(requests).toArray(JobId[]::new);
        ctx.jobs().enqueue(JobRequest.of("close_month").key(month).dependsOn(invoices));
    }

    @Job("invoice")
    void invoice(String customer) {
        invoiced.add(customer);
    }

    @Job("close_month")
    void closeMonth() {
        finished.countDown();
    }

    @Override
    public void run(DataSource database, PrintStream out) throws InterruptedException {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            muster.jobs().enqueue("invoice_all", "2026-11");
            finished.await();
            out.println("invoices for " + invoiced);
        }
    }
}
