package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KilledJvmIT {
    private final List<Process> started = new ArrayList<>();

    @TempDir
    Path folder;

    private record Other(Process jvm, BufferedReader output, long server, long keeper, Path folder) {
        void kill() {
            // Process.destroyForcibly would close the output as well.
            jvm.toHandle().destroyForcibly();
        }

        void assertNothingIsLeft() {
            await().until(() -> ProcessHandle.of(server).isEmpty()
                    && ProcessHandle.of(keeper).isEmpty());
        }
    }

    @AfterEach
    void stop() {
        started.forEach(Process::destroyForcibly);
    }

    @Test
    void killedJvmTakesItsTemporaryServerAndDataWithIt() throws Exception {
        Other other = startOther();
        assertThat(ProcessHandle.of(other.server())).isPresent();

        other.kill();

        other.assertNothingIsLeft();
        assertThat(other.folder()).doesNotExist();
    }

    @Test
    void nothingHoldsTheOutputOfAKilledJvmOpen() throws Exception {
        Other other = startOther();
        other.kill();
        assertThat(other.output().readLine()).isNull();
        other.assertNothingIsLeft();
    }

    @Test
    void keptDataIsShutDownCleanlyWhenTheJvmIsKilled() throws Exception {
        Other other = startOther(folder.toString());

        other.kill();

        other.assertNothingIsLeft();
        try (EmbeddedPostgres server =
                EmbeddedPostgres.builder().dataDirectory(folder).start()) {
            assertThat(new Sql(server.jdbcUrl()).query("SELECT answer FROM kept"))
                    .isEqualTo("42");
            assertThat(folder.resolve("server.log")).content().doesNotContain("recovery");
        }
    }

    @Test
    void jvmThatEndsByItselfWithoutClosingLeavesNothing() throws Exception {
        Other other = startOther();
        other.jvm().getOutputStream().close();
        assertThat(other.jvm().waitFor()).isZero();
        other.assertNothingIsLeft();
        assertThat(other.folder()).doesNotExist();
    }

    /** It may not look into processes of other users, and has no more of root's capabilities than these. */
    @Test
    void rootOfAContainerRunsTheServerAsNobody() throws Exception {
        assumeTrue(ServerUser.isRoot(), "this is not root");
        String capabilities = "-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap";

        Other other = startOther(
                List.of("setpriv", "--inh-caps=-all", "--bounding-set=" + capabilities), ServerInAnotherJvm.AS_NOBODY);

        assertThat(ProcessHandle.of(other.server()).orElseThrow().info().user()).contains("nobody");
        other.kill();
        other.assertNothingIsLeft();
        assertThat(other.folder()).doesNotExist();
    }

    private Other startOther(String... arguments) throws Exception {
        return startOther(List.of(), arguments);
    }

    private Other startOther(List<String> prefix, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                ServerInAnotherJvm.class.getName()));
        command.addAll(List.of(arguments));
        Process jvm = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        started.add(jvm);
        BufferedReader output = jvm.inputReader();
        String[] words = output.readLine().split(" ", 3);
        assertThat(output.readLine()).isEqualTo("ready");
        return new Other(jvm, output, Long.parseLong(words[0]), Long.parseLong(words[1]), Path.of(words[2]));
    }
}
