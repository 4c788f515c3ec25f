package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobRequest;
import dev.muster.schedule.CronSpec;
import dev.muster.schedule.Crons;
import java.io.PrintStream;
import java.time.ZoneId;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import javax.sql.DataSource;

/**
 * A cron is created at run time, say one per customer, and names a job and its arguments. It stays until it is deleted, also
 * when all nodes restart.
 *
 * <pre>
 * invoices for acme
 * changed to 0 6 * * MON in Europe/Berlin
 * deleted: true
 * </pre>
 */
final class DynamicCron implements Example {
    private final BlockingQueue<String> tenants = new LinkedBlockingQueue<>();

    @Job("send_invoices")
    void sendInvoices(String tenant) {
        tenants.add(tenant);
    }

    @Override
    public void run(DataSource database, PrintStream out) throws InterruptedException {
        try (Muster muster =
                Muster.builder().dataSource(database).register(this).build()) {
            muster.start();
            Crons crons = muster.crons();
            crons.create(CronSpec.of("acme_invoices", "@every 1s", JobRequest.of("send_invoices", "acme")));
            out.println("invoices for " + tenants.take());

            CronSpec spec = crons.spec("acme_invoices").orElseThrow();
            crons.update(spec.expression("0 6 * * MON")
                    .zone(ZoneId.of("Europe/Berlin"))
                    .catchUp(3));

            var changed = crons.find("acme_invoices").orElseThrow().definition();
            out.println("changed to " + changed.expression() + " in " + changed.zone());
            boolean deleted = crons.delete("acme_invoices"); // the jobs that it has enqueued stay
            out.println("deleted: " + deleted);
        }
    }
}
