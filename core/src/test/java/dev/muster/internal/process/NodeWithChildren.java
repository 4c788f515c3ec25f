package dev.muster.internal.process;

import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.muster.internal.assembly.HandlerScanner;
import dev.muster.internal.attempt.OpenArgs;
import dev.muster.internal.worker.JobMethods;
import dev.muster.job.JobHandler;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.slf4j.LoggerFactory;

/**
 * A small JVM that runs one command as a node does, and prints its result. Without a command it runs a handler that waits forever in a
 * JVM of its own, and prints the id of its keeper and the mark of the child.
 */
public final class NodeWithChildren {
    /** In place of a command: the next argument is the name of a handler that runs in a JVM of its own. */
    static final String OWN_JVM = "own-jvm";

    private NodeWithChildren() {}

    public static void main(String[] args) throws Exception {
        // Its output is read, and a slow start is mentioned in the log.
        ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.WARN);
        try (ChildProcesses children = new ChildProcesses(new PlainJson())) {
            if (args.length == 0) {
                runOwnJvm(children);
                return;
            }
            if (args[0].equals(OWN_JVM)) {
                System.out.println(inChild(children, args[1])
                        .body()
                        .run(new RecordingContext().named(args[1]), new OpenArgs("{}", false)));
                return;
            }
            System.out.println(children.commandHandlers(List.of(args), List.of("ml::train"), OptionalLong.empty())
                    .get(0)
                    .body()
                    .run(new RecordingContext(), new OpenArgs("{}", false)));
        }
    }

    private static void runOwnJvm(ChildProcesses children) throws Exception {
        JobHandler inChild = inChild(children, "wait");
        RecordingContext context = new RecordingContext().named("wait");
        Thread printer = new Thread(() -> {
            await().atMost(Duration.ofMinutes(2)).until(() -> !context.lines.isEmpty());
            System.out.println(children.keeperPid() + " " + context.lines.get(0).substring("info ".length()));
        });
        printer.start();
        inChild.body().run(context, new OpenArgs("null", false));
    }

    private static JobHandler inChild(ChildProcesses children, String job) {
        JobHandler handler = HandlerScanner.scan(new ChildJobs()).of(JobMethods.JOBS).stream()
                .filter(found -> found.name().equals(job))
                .findFirst()
                .orElseThrow();
        return children.ownJvmHandlers(List.of(handler), OptionalLong.empty()).get(0);
    }

    /** Starts such a JVM with these variables in its environment. */
    static Process start(Map<String, String> environment, String... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
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
