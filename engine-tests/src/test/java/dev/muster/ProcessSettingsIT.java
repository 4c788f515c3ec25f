package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.job.JobType;
import dev.muster.testkit.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** A service that builds a Muster with its own DataSource, in a process with settings in a file and in the environment. */
class ProcessSettingsIT {
    private static final String KEY = "bWF0ZXJpYWwtb25lLW1hdGVyaWFsLW9uZS1tYXQtMTE=";

    /** The service. */
    static final class Service {
        public static void main(String[] args) {
            PGSimpleDataSource dataSource = new PGSimpleDataSource();
            dataSource.setUrl(args[0]);
            try (Muster muster = Muster.builder()
                    .dataSource(dataSource)
                    .set("node.name", "code")
                    .build()) {
                muster.jobs().enqueue(JobType.of("pay", String.class, Void.class), "4111-1111");
                System.out.println("I am " + muster.nodeId());
            }
        }
    }

    private static String run(Path directory, String url, String key) throws IOException, InterruptedException {
        Path output = Files.createTempFile(directory, "service", ".txt");
        ProcessBuilder service = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Service.class.getName(),
                        url)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        service.environment().keySet().removeIf(name -> name.startsWith("MUSTER_"));
        service.environment().put("MUSTER_ENCRYPTION_KEYS", "k1=" + key);
        Process process = service.start();
        try {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(output);
    }

    @Test
    void readsBothAndStoresNoArgsInPlainText(@TempDir Path directory) throws Exception {
        Files.writeString(directory.resolve("muster.toml"), "[node]\nid = \"from-the-file\"\nname = \"file\"\n");
        try (TestDatabase database = TestDatabase.fromEnv()) {
            String output = run(directory, database.url(), KEY);

            assertThat(output).contains("I am from-the-file").doesNotContain(KEY);
            assertThat(database.column("SELECT args FROM muster_jobs"))
                    .singleElement()
                    .asString()
                    .contains("aes-gcm-1", "k1")
                    .doesNotContain("4111");
        }
    }
}
