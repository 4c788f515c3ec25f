package dev.muster.internal.process;

import dev.muster.internal.attempt.AttemptRules;
import dev.muster.internal.attempt.OpenArgs;
import dev.muster.internal.process.ChildLauncher.Launch;
import dev.muster.internal.runtime.StorableText;
import dev.muster.job.JobContext;
import dev.muster.job.JobHandler;
import dev.muster.job.RawJson;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.JsonCodec.JsonException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Runs a command for each job: the args are its standard input, its standard output is the result. */
final class CommandBody implements JobHandler.Body {
    /** A character of the result has at most this many bytes. */
    private static final int MAX_OUTPUT = 3 * AttemptRules.MAX_RESULT;

    private static final String START = """
            if [ "$1" != - ]; then
                ulimit -v "$1" || { echo "the memory limit cannot be set" >&2; exit 126; }
            fi
            shift
            exec "$@" 3>"$MUSTER_JOB_PIPE"
            """;

    private final ChildLauncher launcher;
    private final List<String> command;
    private final OptionalLong memoryBytes;
    private final JsonCodec json;

    CommandBody(ChildLauncher launcher, List<String> command, OptionalLong memoryBytes, JsonCodec json) {
        this.launcher = launcher;
        this.command = List.copyOf(command);
        this.memoryBytes = memoryBytes;
        this.json = json;
    }

    @Override
    public boolean bindsArgs() {
        return true;
    }

    @Override
    public @Nullable Object run(JobContext context, @Nullable Object args) throws InterruptedException {
        byte[] input = args instanceof OpenArgs open ? open.json().getBytes(StandardCharsets.UTF_8) : new byte[0];
        ChildEnd end;
        try {
            end = launcher.run(new Launch(shellCommand(), input, false, MAX_OUTPUT, Set.of()), context);
        } catch (IOException e) {
            throw new ProcessFailure(name() + " could not be started: " + e.getMessage());
        }
        if (end.exitCode() != 0) {
            throw end.failure(name());
        }
        if (end.outputCut()) {
            throw ProcessFailure.notRetried("its result has more than " + AttemptRules.MAX_RESULT + " bytes, which "
                    + name() + " wrote to standard output. Store large data elsewhere and print a reference");
        }
        return result(end.output());
    }

    private @Nullable RawJson result(String output) {
        if (output.isBlank()) {
            return null;
        }
        String text = output.strip();
        try {
            json.check(text, Object.class);
            return new RawJson(text);
        } catch (JsonException e) {
            return new RawJson(json.write(StorableText.of(output.stripTrailing())));
        }
    }

    private List<String> shellCommand() throws IOException {
        String limit = memoryBytes.isPresent() ? Long.toString(memoryBytes.getAsLong() / 1024) : "-";
        List<String> all = new ArrayList<>(List.of("/bin/sh", "-c", START, "muster-job", limit, program()));
        all.addAll(command.subList(1, command.size()));
        return all;
    }

    /** The program's file. It is looked for here, because an exit code of the shell could also be that of the program. */
    private String program() throws IOException {
        String name = command.get(0);
        if (name.contains(File.separator)) {
            return startable(name);
        }
        String path = System.getenv("PATH");
        for (String folder :
                Pattern.compile(File.pathSeparator, Pattern.LITERAL).split(path == null ? "/usr/bin:/bin" : path)) {
            File file = new File(folder, name);
            if (file.isFile() && file.canExecute()) {
                return file.getAbsolutePath();
            }
        }
        throw new IOException("there is no such program in the folders of PATH");
    }

    private static String startable(String name) throws IOException {
        File file = new File(name);
        if (!file.exists()) {
            throw new IOException("there is no such file");
        }
        if (!file.isFile() || !file.canExecute()) {
            throw new IOException("the file is not a program that this user may execute");
        }
        return file.getAbsolutePath();
    }

    /** Without its arguments: errors are shown to more people than settings are, and an argument may be a password. */
    private String name() {
        return "the command '" + command.get(0) + "'";
    }
}
