package dev.muster.internal.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.Measured;
import dev.muster.testing.Sizes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The children of a node that is killed do not live on. */
class KeeperTest {
    @TempDir
    Path folder;

    private String firstLine(Path file) {
        try {
            List<String> lines = Files.readAllLines(file);
            return lines.isEmpty() ? "" : lines.get(0);
        } catch (IOException e) {
            return "";
        }
    }

    @Test
    void afterSigkillOfTheNodeNoProcessOfItsJobsIsLeft() throws Exception {
        for (int round = 0; round < Sizes.of(1, 3); round++) {
            killANode();
        }
    }

    private void killANode() throws Exception {
        Path mark = folder.resolve("mark");
        Path temporary = Files.createDirectory(folder.resolve("tmp-" + UUID.randomUUID()));
        Process node = NodeWithChildren.start(
                Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + temporary),
                "sh",
                "-c",
                "(set -m; (trap '' HUP INT TERM; while :; do sleep 0.01; done) &);"
                        + " (set -m; (sleep 1000 &) &); sleep 1000 & echo $MUSTER_KEEPER > " + mark + "; wait");
        await().until(() -> !firstLine(mark).isEmpty());
        String keeper = firstLine(mark);
        await().until(() -> MarkedProcesses.with(keeper).size() >= 4);

        node.destroyForcibly().waitFor();
        long killed = System.nanoTime();
        await().until(() -> MarkedProcesses.with(keeper).isEmpty());
        Measured.within(
                Duration.ofSeconds(2),
                Duration.ofNanos(System.nanoTime() - killed),
                "the end of all processes of a killed node");
        await("its temporary folder is removed").until(() -> isEmpty(temporary));
        Files.delete(mark);
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.noneMatch(file -> file.getFileName().toString().startsWith("muster-jobs-"));
        }
    }

    /** Where the keeper finds no process, because there is no /proc, this is what is left. */
    @Test
    void aChildJvmEndsWithItsNodeEvenWithoutAKeeper() throws Exception {
        // Nobody removes the folder of the pipes if the keeper is killed, too.
        Process node = NodeWithChildren.start(Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + folder));
        String[] pidAndMark = NodeWithChildren.firstLine(node).split(" ");
        ProcessHandle keeper = ProcessHandle.of(Long.parseLong(pidAndMark[0])).orElseThrow();
        assertThat(MarkedProcesses.with(pidAndMark[1])).hasSize(1);

        keeper.destroyForcibly();
        keeper.onExit().get();
        assertThat(MarkedProcesses.with(pidAndMark[1])).hasSize(1);
        node.destroyForcibly().waitFor();
        await().until(() -> MarkedProcesses.with(pidAndMark[1]).isEmpty());
    }

    /** In a system without grep the keeper has to read the environments itself. */
    @Test
    void theKeeperNeedsOnlyAShell() throws Exception {
        String script;
        try (InputStream in = Keeper.class.getResourceAsStream("keeper.sh")) {
            script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        String mark = UUID.randomUUID().toString();
        ProcessBuilder child = new ProcessBuilder("sleep", "1000");
        child.environment().put("MANY_LINES", "a\nb\n" + mark + "\nc");
        Process process = child.start();
        ProcessBuilder keeper = new ProcessBuilder("/bin/sh", "-c", script, "keeper", mark, "");
        keeper.environment().put("PATH", "/nowhere");
        Process keeping = keeper.redirectErrorStream(true).start();
        assertThat(process.isAlive()).isTrue();
        keeping.getOutputStream().close();
        await().until(() -> !process.isAlive());
        assertThat(keeping.waitFor()).isZero();
    }

    /** Neither does a handler in a JVM of its own, which gets the other properties of the node. */
    @Test
    void aChildJvmDoesNotGetTheSettingsOfItsNode() throws Exception {
        Process node = NodeWithChildren.start(
                Map.of(
                        "JAVA_TOOL_OPTIONS",
                        "-Dof.the.user=kept -Dmuster.database.password=sesame -Dspring.datasource.password=sesame",
                        "JDK_JAVA_OPTIONS",
                        "-Dmuster.encryption.keys=k1=sesame"),
                NodeWithChildren.OWN_JVM,
                "options");
        assertThat(NodeWithChildren.firstLine(node))
                .contains("kept {")
                .doesNotContain("sesame", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS");
        assertThat(node.waitFor()).isZero();
    }

    @Test
    void aJobDoesNotGetTheSettingsOfItsNode() throws Exception {
        Process node = NodeWithChildren.start(
                Map.of(
                        "MUSTER_DATABASE_PASSWORD", "sesame",
                        "MUSTER_DATABASE_URL", "jdbc:postgresql://h/db?password=sesame",
                        "MUSTER_ENCRYPTION_KEYS", "k1=sesame",
                        "MUSTER_KEEPER", "outer-keeper",
                        "OF_THE_USER", "kept"),
                "sh",
                "-c",
                "export -p");
        assertThat(NodeWithChildren.firstLine(node))
                .contains("OF_THE_USER='kept'", "MUSTER_JOB_ID", "MUSTER_KEEPER='outer-keeper ")
                .doesNotContain("sesame", "PASSWORD", "MUSTER_DATABASE", "ENCRYPTION");
        assertThat(node.waitFor()).isZero();
    }
}
