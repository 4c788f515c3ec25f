package dev.muster.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.Jobs;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Devtools restart an application whose classes have changed: the old context is closed, and a new one is started in the same JVM with
 * another class loader. Muster's own classes stay as they are loaded.
 */
@OnceForBoth
class RestartIT {
    private static final Duration SOON = Duration.ofSeconds(60);

    private static final String APPLICATION = """
            package changing;

            import org.springframework.boot.SpringApplication;
            import org.springframework.boot.autoconfigure.SpringBootApplication;

            @SpringBootApplication
            public class Application {
                public static void main(String[] args) {
                    SpringApplication.run(Application.class, args);
                    System.out.println("started with " + Work.VERSION);
                }
            }
            """;

    /** Every loader with this class is noted in the JVM's properties, which outlive a restart. */
    private static final String WORK = """
            package changing;

            import dev.muster.job.Job;
            import dev.muster.job.JobType;
            import dev.muster.schedule.Cron;
            import dev.muster.schedule.CronContext;
            import dev.muster.workflow.Workflow;
            import dev.muster.workflow.WorkflowContext;
            import java.lang.ref.WeakReference;
            import java.util.ArrayList;
            import java.util.List;
            import java.util.concurrent.locks.LockSupport;
            import org.springframework.jdbc.core.simple.JdbcClient;
            import org.springframework.stereotype.Component;
            import org.springframework.transaction.annotation.Transactional;

            @Component
            public class Work {
                static final String VERSION = String.valueOf("VERSION-TEXT");

                public record Greeting(String text) {}

                private final JdbcClient sql;

                public Work(JdbcClient sql) {
                    this.sql = sql;
                    loaders().add(new WeakReference<>(Work.class.getClassLoader()));
                }

                @SuppressWarnings("unchecked")
                private static List<WeakReference<ClassLoader>> loaders() {
                    return (List<WeakReference<ClassLoader>>)
                            System.getProperties().computeIfAbsent("loaders", key -> new ArrayList<>());
                }

                @Job("greet")
                @Transactional
                public Greeting greet(Greeting whom) {
                    return new Greeting(VERSION + " greets " + whom.text());
                }

                @Job("wait")
                public String waitForRelease() {
                    while (sql.sql("SELECT count(*) FROM go").query(Long.class).single() == 0) {
                        LockSupport.parkNanos(20_000_000);
                    }
                    return VERSION;
                }

                @Workflow(name = "steps", version = "v1")
                public Greeting steps(WorkflowContext ctx, Greeting whom) {
                    return ctx.step("greet", Greeting.class, step -> greet(whom));
                }

                @Cron("* * * * *")
                public void tick(CronContext ctx) {}

                /**
                 * Threads of other loaders, and whether those pile up: one may stay until the next restart, and what is closed may need a
                 * while to end. OpenTelemetry's and Prometheus' own threads are not Muster's.
                 */
                @Job("leftovers")
                public List<String> leftovers() {
                    ClassLoader own = Work.class.getClassLoader();
                    List<String> found = List.of();
                    for (int i = 0; i < 300; i++) {
                        found = leftBehind(own);
                        if (found.isEmpty()) {
                            return found;
                        }
                        LockSupport.parkNanos(100_000_000);
                    }
                    return found;
                }

                private static List<String> leftBehind(ClassLoader own) {
                    List<String> found = new ArrayList<>();
                    for (Thread thread : Thread.getAllStackTraces().keySet()) {
                        ClassLoader loader = thread.getContextClassLoader();
                        boolean library = thread.getName().startsWith("BatchSpanProcessor") || thread.getName().startsWith("prometheus-");
                        if (!library && loader != null && loader != own && loader.getClass().getName().endsWith("RestartClassLoader")) {
                            found.add("thread " + thread.getName());
                        }
                    }
                    System.gc();
                    int old = 0;
                    for (WeakReference<ClassLoader> loader : loaders()) {
                        old += loader.get() == null || loader.get() == own ? 0 : 1;
                    }
                    if (old > 1) {
                        found.add(old + " of " + loaders().size() + " loaders");
                    }
                    return found;
                }
            }
            """;

    /** The application is restarted when this file has changed, and not while some classes are old and others new. */
    private static final String TRIGGER = "restart-now";

    /** Everything but the changing classes is loaded once, as the jars of an application are. */
    private static final String DEVTOOLS = "restart.exclude.others=/target/\n";

    private static void compile(Path folder, String name, String text) throws IOException {
        Path source = Files.writeString(folder.resolve(name + ".java"), text);
        Path classes = folder.resolve("classes");
        Files.createDirectories(classes);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        String classPath = Stream.concat(Stream.of(classes.toString()), ApplicationProcess.testClassPath())
                .collect(Collectors.joining(File.pathSeparator));
        int failed = compiler.run(
                null,
                null,
                null,
                "-proc:none",
                "-parameters",
                "-cp",
                classPath,
                "-d",
                classes.toString(),
                source.toString());
        assertThat(failed).isZero();
    }

    private static void change(Path folder, String version) throws IOException {
        compile(folder, "Work", WORK.replace("VERSION-TEXT", version));
        Path written = Files.writeString(folder.resolve(TRIGGER), version);
        Files.move(written, folder.resolve("classes").resolve(TRIGGER), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Notes how many nodes there are whenever one joins. */
    private static void watchNodes(FreshDatabase database) {
        database.execute("CREATE TABLE go (at timestamptz)");
        database.execute("CREATE TABLE joined (nodes bigint)");
        database.execute("CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                + " INSERT INTO joined SELECT count(*) FROM muster_nodes; RETURN NULL; END $$");
    }

    @Test
    void jobsGoOnWithTheNewClassesAndThereIsOneNodeAtATime(@TempDir Path folder) throws Exception {
        change(folder, "first");
        compile(folder, "Application", APPLICATION);
        Path classes = folder.resolve("classes");
        Files.createDirectories(classes.resolve("META-INF"));
        Files.writeString(classes.resolve("META-INF/spring-devtools.properties"), DEVTOOLS);
        try (FreshDatabase database = FreshDatabase.migrated();
                Muster client = client(database)) {
            watchNodes(database);
            database.execute("CREATE TRIGGER note AFTER INSERT ON muster_nodes EXECUTE FUNCTION note()");
            Jobs jobs = client.jobs();
            try (ApplicationProcess application = new ApplicationProcess(
                    folder,
                    Stream.concat(Stream.of(classes.toString()), ApplicationProcess.testClassPath()),
                    "changing.Application",
                    database.arguments(WithoutJpa.arguments(
                            "--spring.main.web-application-type=none",
                            "--spring.flyway.enabled=false",
                            "--spring.devtools.restart.trigger-file=" + TRIGGER,
                            "--spring.devtools.restart.poll-interval=50ms",
                            "--spring.devtools.restart.quiet-period=20ms")))) {
                application.awaitOutput(Pattern.compile("(started with first)"));
                greets(client, "first");
                JobId running = jobs.enqueue(JobRequest.of("wait"));
                await().atMost(SOON)
                        .until(() -> jobs.find(running).orElseThrow().status() == JobStatus.RUNNING);

                change(folder, "second");
                await().atMost(SOON)
                        .until(() ->
                                database.number("SELECT count(*) FROM muster_nodes WHERE status = 'draining'") == 1);
                database.execute("INSERT INTO go VALUES (now())");
                application.awaitOutput(Pattern.compile("(started with second)"));
                assertThat(ended(jobs, running).result())
                        .as("the old node drained")
                        .contains("\"first\"");
                greets(client, "second");

                change(folder, "third");
                application.awaitOutput(Pattern.compile("(started with third)"));
                greets(client, "third");

                assertThat(ended(jobs, jobs.enqueue(JobRequest.of("leftovers"))).result())
                        .contains("[]");
                assertThat(database.column("SELECT nodes::text FROM joined"))
                        .as("nodes whenever one joined")
                        .containsExactly("1", "1", "1");
                application.terminate();
                assertThat(application.awaitExit()).isEqualTo(143);
                assertThat(application.output()).doesNotContain("\tat ").doesNotContain("ClassCast");
                assertThat(database.number("SELECT count(*) FROM muster_nodes")).isZero();
            }
        }
    }

    private static Muster client(FreshDatabase database) {
        return Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(new DriverManagerDataSource(database.url))
                .build();
    }

    /** In a job and in a step of a workflow. */
    private static void greets(Muster client, String version) {
        Map<String, String> ada = Map.of("Text", "Ada");
        assertThat(ended(client.jobs(), client.jobs().enqueue(JobRequest.of("greet", ada)))
                        .result()
                        .orElseThrow())
                .contains(version + " greets Ada");
        assertThat(client.workflows()
                        .await(client.workflows().start("steps", ada), SOON)
                        .result()
                        .orElseThrow())
                .contains(version + " greets Ada");
    }

    private static JobInfo ended(Jobs jobs, JobId id) {
        JobInfo job = jobs.await(id, SOON);
        assertThat(job.status()).as(job.toString()).isEqualTo(JobStatus.COMPLETED);
        return job;
    }
}
