package dev.muster.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.job.Job;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What the modes of {@code muster.database.migrate} make of tables that are missing, outdated or current. */
@OnceForBoth
class MigrateIT {

    private static ApplicationContextRunner application(FreshDatabase database) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(MusterAutoConfiguration.class))
                .withBean("pool", HikariDataSource.class, () -> pool(database))
                .withBean(Work.class);
    }

    private static HikariDataSource pool(FreshDatabase database) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(database.url);
        pool.setMaximumPoolSize(5);
        return pool;
    }

    static class Work {
        @Job("echo")
        String echo(String text) {
            return text;
        }
    }

    /** What the application finds. */
    enum Tables {
        MISSING,
        /** As the version before the last change of a view has left them. */
        OUTDATED,
        CURRENT;

        FreshDatabase make() {
            FreshDatabase database = this == MISSING ? FreshDatabase.empty() : FreshDatabase.migrated();
            if (this == OUTDATED) {
                database.execute("UPDATE muster_migrations SET checksum = 'another' WHERE version = 'R__views'");
            }
            return database;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "auto, MISSING, ",
        "auto, OUTDATED, ",
        "auto, CURRENT, ",
        "check, MISSING, lacks V001__clock",
        "check, OUTDATED, lacks R__views",
        "check, CURRENT, ",
        "off, MISSING, tables are missing or older than this program",
        "off, OUTDATED, ",
        "off, CURRENT, "
    })
    void startsOrSaysWhy(String mode, Tables tables, String refusal) {
        try (FreshDatabase database = tables.make()) {
            startOrSayWhy(database, mode, refusal);
            boolean outdated = tables == Tables.OUTDATED && !mode.equals("auto");
            if (tables != Tables.MISSING || mode.equals("auto")) {
                assertThat(database.number("SELECT count(*) FROM muster_migrations WHERE checksum = 'another'"))
                        .isEqualTo(outdated ? 1 : 0);
                assertThat(database.number("SELECT count(*) FROM muster_nodes")).isZero();
            } else {
                assertThat(database.number("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'muster%'"))
                        .isZero();
            }
        }
    }

    private static void startOrSayWhy(FreshDatabase database, String mode, String refusal) {
        application(database)
                .withPropertyValues("muster.database.migrate=" + mode)
                .run(context -> {
                    if (refusal == null) {
                        assertThat(context).hasNotFailed();
                        Jobs jobs = context.getBean(Jobs.class);
                        assertThat(jobs.await(jobs.enqueue(JobRequest.of("echo", "text")), Duration.ofSeconds(60))
                                        .status())
                                .isEqualTo(JobStatus.COMPLETED);
                    } else {
                        assertThat(context).hasFailed();
                        assertThat(said(context.getStartupFailure()))
                                .startsWith("Muster cannot start: ")
                                .contains(refusal, "muster.database.migrate")
                                .doesNotContain("set database.migrate");
                    }
                });
    }

    private static String said(Throwable failure) {
        FailureAnalysis analysis = new MusterFailureAnalyzer().analyze(failure);
        return Objects.requireNonNull(analysis, "no analysis").getDescription();
    }
}
