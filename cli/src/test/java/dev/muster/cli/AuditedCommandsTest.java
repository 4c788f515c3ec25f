package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a command changes directly in the database is in the audit, as it is when the gateway changes it. */
class AuditedCommandsTest {
    private static final Path SOURCES = Path.of("src/main/java/dev/muster/cli");

    /** Commands that change something and write no entry, and why. */
    private static final Map<String, String> NOT_AUDITED = Map.of(
            "EnqueueCommand", "programs enqueue all the time; the gateway writes no entry either",
            "StartCommand", "the same for runs",
            "SubmitCommand", "the same for graphs",
            "batches/CreateCommand", "the same for batches",
            "MigrateUpCommand", "before it there may be no audit; PostgreSQL's log has it",
            "DemoGateway", "its database is thrown away",
            "RunningNode", "a node, which is no operator",
            "database/Session", "is what writes the entries");

    @Test
    void everyCommandThatChangesSomethingWritesAnEntry() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            List<Path> changing = files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> text(file).contains("Session.open(settings)")
                            || text(file).contains(".migrateUp()")
                            || text(file).contains("Muster.builder()"))
                    .filter(file -> NOT_AUDITED.keySet().stream()
                            .noneMatch(name -> file.toString().endsWith(name + ".java")))
                    .toList();

            assertThat(changing)
                    .hasSizeGreaterThan(15)
                    .allSatisfy(file -> assertThat(text(file))
                            .as("%s changes something outside of Session.audited or Session.apiKeys", file)
                            .containsAnyOf("session.audited(", "session.apiKeys()"));
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
