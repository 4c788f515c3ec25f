package dev.muster.internal.process;

import dev.muster.job.JobHandler;
import dev.muster.runtime.MusterException;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The command line of a JVM like this one, with the same classes. */
final class JavaCommand {
    /** In the root package, which knows applications. */
    private static final String MAIN_CLASS = "dev.muster.ProcessChild";

    private JavaCommand() {}

    /** @param handlers whose classes it must be able to load */
    static List<String> of(Collection<JobHandler> handlers, OptionalLong memoryBytes) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(JavaCommand::isForChildren)
                .forEach(command::add);
        memoryBytes.ifPresent(bytes -> command.add("-Xmx" + bytes / 1024 + "k"));
        command.add("-cp");
        command.add(classPath(handlers));
        command.add(MAIN_CLASS);
        return List.copyOf(command);
    }

    /**
     * Variables with options for any JVM. Those among them that a child needs are among the arguments of this JVM, too; the others,
     * such as an agent that opens a port, would make each child fail.
     */
    static final Set<String> VARIABLES = Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

    /** Ports that only one process can open, and the settings of the node, some of which are secret. */
    private static final List<String> NOT_FOR_CHILDREN =
            List.of("-Dcom.sun.management.", "-Dmuster.", "-Dspring.datasource.");

    /** What code may depend on; not the memory of the node. */
    private static boolean isForChildren(String argument) {
        return argument.startsWith("-D") && NOT_FOR_CHILDREN.stream().noneMatch(argument::startsWith)
                || argument.startsWith("--add-")
                || argument.equals("--enable-preview")
                || argument.startsWith("-ea")
                || argument.startsWith("-enableassertions");
    }

    private static String classPath(Collection<JobHandler> handlers) {
        Set<String> entries = new LinkedHashSet<>(
                List.of(System.getProperty("java.class.path", "").split(File.pathSeparator)));
        // Handlers that are no methods do not tell where their code is from; muster node sets this loader.
        addEntries(Thread.currentThread().getContextClassLoader(), entries);
        handlers.forEach(
                handler -> handler.body().declaredIn().ifPresent(type -> addEntries(type.getClassLoader(), entries)));
        return String.join(File.pathSeparator, entries);
    }

    private static void addEntries(@Nullable ClassLoader loader, Set<String> entries) {
        for (ClassLoader next = loader; next != null; next = next.getParent()) {
            if (next instanceof URLClassLoader urls) {
                for (URL url : urls.getURLs()) {
                    entries.add(file(url));
                }
            }
        }
    }

    private static String file(URL url) {
        try {
            URI uri = url.toURI();
            if ("file".equals(uri.getScheme())) {
                return Path.of(uri).toString();
            }
        } catch (URISyntaxException | IllegalArgumentException e) {
            // It is refused below.
        }
        throw new MusterException(
                "an executor of kind process without a command cannot be used here: classes come from " + url
                        + ", which another JVM cannot load. Start the program from jars on its class path, or give the executor a command");
    }
}
