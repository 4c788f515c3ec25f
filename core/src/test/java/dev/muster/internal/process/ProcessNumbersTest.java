package dev.muster.internal.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end of a job looks at processes that are younger than it, and at no others. */
class ProcessNumbersTest {
    @TempDir
    Path proc;

    @BeforeEach
    void aSystemWithAThousandNumbers() throws IOException {
        Files.createDirectories(proc.resolve("sys/kernel"));
        Files.writeString(proc.resolve("sys/kernel/pid_max"), "1000\n");
    }

    private void system(long last, long given) throws IOException {
        Files.writeString(proc.resolve("loadavg"), "0.20 0.18 0.12 1/80 " + last + "\n");
        Files.writeString(
                proc.resolve("stat"),
                "cpu  1 2 3\nintr 4 0 0\nctxt 5\nbtime 6\nprocesses " + given + "\nprocs_running 1\n");
    }

    private ProcessNumbers numbers(long last, long given) throws IOException {
        system(last, given);
        return ProcessNumbers.now(proc.toFile());
    }

    private List<Long> since(ProcessNumbers before, long known) {
        LongPredicate since = ProcessNumbers.givenSince(before, known, proc.toFile());
        return LongStream.of(3, 499, 500, 501, 510, 511, 999)
                .filter(since)
                .boxed()
                .toList();
    }

    @Test
    void thoseBetweenTheLastOneThenAndTheLastOneNow() throws IOException {
        ProcessNumbers before = numbers(500, 70_000);
        system(510, 70_012);
        assertThat(since(before, 501)).containsExactly(501L, 510L);
    }

    @Test
    void afterTheHighestNumberTheyBeginAgain() throws IOException {
        ProcessNumbers before = numbers(510, 70_000);
        system(3, 70_300);
        assertThat(since(before, 511)).containsExactly(3L, 511L, 999L);
    }

    @Test
    void anyNumberWhereItCannotBeTold() throws IOException {
        ProcessNumbers before = numbers(500, 70_000);
        system(510, 70_470);
        assertThat(since(before, 501))
                .as("all free numbers may have been given out")
                .hasSize(7);
        system(510, 70_012);
        assertThat(since(before, 499)).as("the numbers do not rise").hasSize(7);
        assertThat(since(null, 501)).hasSize(7);
        Files.delete(proc.resolve("stat"));
        assertThat(since(before, 501)).hasSize(7);
    }

    @Test
    void thisSystemTellsThem() {
        File real = new File("/proc");
        long self = ProcessHandle.current().pid();
        // The numbers may just begin again.
        await().until(() -> {
            ProcessNumbers before = ProcessNumbers.now(real);
            Process child = new ProcessBuilder("true").start();
            LongPredicate since = ProcessNumbers.givenSince(before, child.pid(), real);
            assertThat(since.test(child.pid())).isTrue();
            child.waitFor();
            return !since.test(self);
        });
    }

    /** A process whose memory is locked, because it waits for a broken disk, keeps whoever reads its environment waiting. */
    @Test
    void anOlderProcessWhoseEnvironmentCannotBeReadHoldsUpNoJob() throws Exception {
        system(1, 1);
        ProcessNumbers before = ProcessNumbers.now(proc.toFile());
        Path old = Files.createDirectories(proc.resolve("999999999"));
        assertThat(new ProcessBuilder("mkfifo", old.resolve("environ").toString())
                        .start()
                        .waitFor())
                .isZero();
        Process child = new ProcessBuilder("true").start();
        child.waitFor();
        system(child.pid(), 2);
        Thread end = new Thread(new ProcessTree(child, "mark", before, proc.toFile())::kill);
        end.setDaemon(true);
        end.start();
        end.join(Duration.ofMinutes(1).toMillis());
        assertThat(end.isAlive()).isFalse();
    }
}
