package dev.muster.examples.feature;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobRequest;
import java.io.PrintStream;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * An interceptor wraps every enqueue and every run, here to carry the tenant of the thread that enqueues to the thread that
 * runs the job. Trace ids travel the same way.
 *
 * <pre>
 * "report for acme"
 * </pre>
 */
final class Interceptor implements Example {
    private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

    static final class TenantInterceptor implements JobInterceptor {
        @Override
        public JobRequest enqueue(JobRequest request) {
            String tenant = TENANT.get();
            return tenant == null ? request : request.metadata("tenant", tenant);
        }

        @Override
        public @Nullable Object run(JobContext ctx, Run run) throws Exception {
            TENANT.set(ctx.metadata().get("tenant"));
            try {
                return run.proceed();
            } finally {
                TENANT.remove();
            }
        }
    }

    @Job("report")
    String report() {
        return "report for " + TENANT.get();
    }

    @Override
    public void run(DataSource database, PrintStream out) {
        try (Muster muster = Muster.builder()
                .dataSource(database)
                .register(this)
                .interceptor(new TenantInterceptor())
                .build()) {
            muster.start();
            TENANT.set("acme");
            var id = muster.jobs().enqueue(JobRequest.of("report"));
            TENANT.remove();
            out.println(muster.jobs().await(id, Duration.ofSeconds(30)).result().orElseThrow());
        }
    }
}
