package dev.muster.process;

import dev.muster.attempt.OpenArgs;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** A small JVM that runs one command as a node does, and prints its result. */
public final class NodeWithChildren {
    private NodeWithChildren() {}

    public static void main(String[] args) throws Exception {
        try (ChildProcesses children = new ChildProcesses(new PlainJson())) {
            System.out.println(children.commandHandlers(List.of(args), List.of("ml::train"), OptionalLong.empty())
                    .get(0)
                    .body()
                    .run(new RecordingContext(), new OpenArgs("{}", false)));
        }
    }

    /** Starts such a JVM with these variables in its environment. */
    static Process start(Map<String, String> environment, String... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                NodeWithChildren.class.getName());
        builder.command().addAll(List.of(command));
        builder.environment().putAll(environment);
        return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    static String firstLine(Process process) throws IOException {
        BufferedReader reader = process.inputReader();
        return String.valueOf(reader.readLine());
    }
}
