package dev.muster.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobStatus;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A pool that the application has emptied does not cost a healthy node its claims. */
class EmptyPoolIT extends EngineTest {

    /** A job that lasts until it is told to end. */
    static final class Patient {
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch finish = new CountDownLatch(1);
        final AtomicBoolean interrupted = new AtomicBoolean();

        @Job("patient")
        int patient(JobContext ctx) {
            started.countDown();
            try {
                finish.await();
            } catch (InterruptedException e) {
                interrupted.set(true);
            }
            return ctx.attempt();
        }
    }

    @Test
    void leasesAreRenewedWhileThePoolIsEmpty() throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url());
        config.setMaximumPoolSize(5);
        config.setConnectionTimeout(20_000);
        Patient patient = new Patient();
        try (HikariDataSource pool = new HikariDataSource(config);
                Muster node = builder(Map.of(), patient).dataSource(pool).build()) {
            node.start();
            JobId id = node.jobs().enqueue("patient", null);
            assertThat(patient.started.await(10, TimeUnit.SECONDS)).isTrue();
            await().until(() -> status(id).equals("running"));
            List<Connection> taken = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                taken.add(pool.getConnection());
            }

            // Three leases without a single connection left in the pool.
            await().pollDelay(Duration.ofMillis(4_500))
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> true);
            assertThat(patient.interrupted).isFalse();
            assertThat(status(id)).isEqualTo("running");
            for (Connection connection : taken) {
                connection.close();
            }
            patient.finish.countDown();

            JobInfo job = ended(node, id);
            assertThat(job.status()).isEqualTo(JobStatus.COMPLETED);
            assertThat(job.attempt()).isEqualTo(1);
            assertThat(job.crashes()).isZero();
        }
    }

    private String status(JobId id) {
        return database.column("SELECT status FROM muster_jobs WHERE id = '" + id + "'").stream()
                .findFirst()
                .orElse("gone");
    }
}
