package dev.muster.internal.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.internal.attempt.AttemptRules;
import dev.muster.internal.attempt.ErrorText;
import dev.muster.internal.attempt.OpenArgs;
import dev.muster.job.JobHandler;
import dev.muster.job.RawJson;
import dev.muster.runtime.MusterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs whose handler is a command. */
class CommandBodyTest {
    private final ChildProcesses children = new ChildProcesses(new PlainJson());
    private final RecordingContext context = new RecordingContext();

    @AfterEach
    void close() {
        children.close();
    }

    private JobHandler handler(OptionalLong memory, String... command) {
        return children.commandHandlers(List.of(command), List.of("ml::train"), memory)
                .get(0);
    }

    private Object run(String args, String... command) throws Exception {
        return handler(OptionalLong.empty(), command).body().run(context, new OpenArgs(args, false));
    }

    private Object sh(String script) throws Exception {
        return run("{}", "sh", "-c", script);
    }

    private String errorOf(ThrowingCallable call) {
        MusterException[] failure = new MusterException[1];
        assertThatThrownBy(call).isInstanceOfSatisfying(MusterException.class, e -> failure[0] = e);
        return ErrorText.of(failure[0]);
    }

    @Test
    void itGetsTheArgsAsTheyWereEnqueued() throws Exception {
        String args = "{\"b\": 1.50, \"a\": [1e3, \"é\"]}";
        assertThat(run(args, "cat")).isEqualTo(new RawJson(args));
    }

    @Test
    void argumentsOfTheCommandAreNotInterpreted() throws Exception {
        assertThat(run("{}", "printf", "%s", "$HOME; a  b 'c'")).isEqualTo(new RawJson("\"$HOME; a  b 'c'\""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "printf '{\"b\":1.50}\\n'     | {\"b\":1.50}",
                "printf 'null'                | null",
                "printf '12 apples\\n'        | \"12 apples\"",
                "printf '  two\\nlines\\n\\n' | \"  two\\nlines\"",
            })
    void outputThatIsJsonIsTheResultAndOtherTextBecomesAString(String script, String result) throws Exception {
        assertThat(sh(script)).isEqualTo(new RawJson(result));
    }

    @ParameterizedTest
    @ValueSource(strings = {"exit 0", "echo; echo"})
    void aCommandThatPrintsNothingHasNoResult(String script) throws Exception {
        assertThat(sh(script)).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "exit 3         | exit code 3 and wrote nothing",
                "exit 127       | exit code 127 and wrote nothing",
                "kill -9 $$     | exit code 137, which stands for the signal SIGKILL",
                "kill -15 $$    | exit code 143, which stands for the signal SIGTERM",
            })
    void theErrorNamesTheCommandAndItsExitCode(String script, String expected) {
        assertThat(errorOf(() -> sh(script))).startsWith("the command 'sh' ended with " + expected);
    }

    @Test
    void theErrorHasTheEndOfStandardErrorAndNoHalfCharacters() {
        String error = errorOf(
                () -> sh(
                        "i=0; while [ $i -lt 3000 ]; do echo \"line $i aé€\" >&2; i=$((i+1)); done; printf 'the end\\0' >&2; exit 1"));
        assertThat(error)
                .startsWith("the command 'sh' ended with ")
                .contains("exit code 1; the end of its standard error:\n", "line 2999 aé€\nthe end\uFFFD")
                .doesNotContain("line 100 ")
                .endsWith("the end\uFFFD");
        assertThat(error.length()).isBetween(6_000, 8_000);
        assertThat(error.chars().filter(c -> c == '\uFFFD').count()).isEqualTo(1);
    }

    @Test
    void aHugeResultFailsTheJobAndIsNotKept() {
        JobHandler handler = handler(OptionalLong.empty(), "head", "-c", "10000000", "/dev/zero");
        assertThatThrownBy(() -> handler.body().run(context, new OpenArgs("{}", false)))
                .hasMessageContaining("its result has more than " + AttemptRules.MAX_RESULT + " bytes")
                .satisfies(failure -> assertThat(handler.retry().retries(failure))
                        .as("its work is done")
                        .isFalse());
    }

    @Test
    void anExitCodeIsReportedAfterAHugeOutputToo() {
        assertThat(errorOf(() -> sh("head -c 10000000 /dev/zero; echo no space >&2; exit 5")))
                .contains("exit code 5", "no space");
    }

    @Test
    void largeArgsNeedNotBeRead() throws Exception {
        String args = "\"" + "x".repeat(5_000_000) + "\"";
        assertThat(run(args, "printf", "1")).isEqualTo(new RawJson("1"));
        assertThat(run(args, "sh", "-c", "exec <&-; printf 2")).isEqualTo(new RawJson("2"));
        assertThat(run(args, "head", "-c", "5")).isEqualTo(new RawJson("\"\\\"xxxx\""));
    }

    @ParameterizedTest
    @CsvSource({
        "no-such-program, there is no such program in the folders of PATH",
        "/no/such/program, there is no such file",
        "/etc, the file is not a program that this user may execute",
    })
    void aCommandThatCannotBeStartedSaysWhy(String program, String why) {
        assertThat(errorOf(() -> run("{}", program, "--password=sesame")))
                .isEqualTo("the command '" + program + "' could not be started: " + why);
    }

    @Test
    void aScriptWithoutItsInterpreterSaysWhy(@TempDir Path folder) throws IOException {
        Path script = Files.writeString(folder.resolve("job"), "#!/no/such/interpreter\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        assertThat(errorOf(() -> run("{}", script.toString()))).contains("exit code 127", "not found");
    }

    @Test
    void aCommandThatNeedsTooMuchMemoryFails() {
        JobHandler handler = handler(OptionalLong.of(64 << 20), "sh", "-c", "x=0123456789; while :; do x=$x$x; done");
        assertThatThrownBy(() -> handler.body().run(context, new OpenArgs("{}", false)))
                .hasMessageContaining("ended with exit code");
    }

    @Test
    void itKnowsItsJob() throws Exception {
        Object result = sh(
                "printf '%s ' $MUSTER_JOB_ID $MUSTER_JOB_NAME $MUSTER_JOB_ATTEMPT $MUSTER_JOB_FENCE $MUSTER_NODE_ID");
        assertThat(result).isEqualTo(new RawJson("\"" + context.id() + " ml::train 2 4:17 node-1\""));
    }

    @Test
    void itReportsProgressAndLogLinesThroughFileDescriptor3() throws Exception {
        sh("""
                echo '{"progress": 0.4, "message": "half of it"}' >&3
                echo '{"progress": 1}' > "$MUSTER_JOB_PIPE"
                echo '{"log": "loaded"}' >&3
                echo '{"log": "slow", "level": "warn", "progress": 0.005}' >&3
                printf '{"log": "last", "level": "error"}' >&3
                """);
        assertThat(context.progress).containsExactly("40 half of it", "100 null", "1 null");
        assertThat(context.lines).containsExactly("info loaded", "warn slow", "error last");
    }

    @Test
    void linesThatCannotBeUnderstoodAreIgnoredAndMentionedOnce() throws Exception {
        sh("""
                echo 'starting' >&3
                echo '[1]' >&3
                echo '{"progress": 40}' >&3
                { printf '{"log": "'; head -c 100000 /dev/zero; echo '"}'; } >&3
                echo '{"log": "understood"}' >&3
                """);
        assertThat(context.progress).isEmpty();
        assertThat(context.lines).hasSize(2);
        assertThat(context.lines.get(0))
                .startsWith("warn a line that the process wrote")
                .endsWith(": starting");
        assertThat(context.lines.get(1)).isEqualTo("info understood");
    }

    /** The child writes more than a pipe holds after a line that the node could not take. */
    @Test
    void aLineThatTheNodeCannotTakeLosesNoOthers() {
        context.failOnce = new OutOfMemoryError("no room for this line");
        AtomicReference<Object> result = new AtomicReference<>();
        Thread job = new Thread(() -> {
            try {
                result.set(sh(
                        "i=0; while [ $i -lt 10000 ]; do echo '{\"log\": \"'$i'\"}' >&3; i=$((i+1)); done; printf 1"));
            } catch (Exception e) {
                result.set(e);
            }
        });
        job.setDaemon(true);
        job.start();
        await().untilAsserted(() -> assertThat(result.get()).isEqualTo(new RawJson("1")));
        assertThat(context.lines).hasSize(9_999).last().isEqualTo("info 9999");
    }

    @Test
    void manyLinesArrive() throws Exception {
        sh("i=0; while [ $i -lt 5000 ]; do echo '{\"log\": \"'$i'\"}' >&3; i=$((i+1)); done");
        assertThat(context.lines).hasSize(5_000).last().isEqualTo("info 4999");
    }
}
