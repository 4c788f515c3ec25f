package dev.muster.cli.internal.node;

import dev.muster.MusterApp;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.examples.ExampleApp;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** The options for the applications that a node runs. */
final class AppOptions {
    @Option(
            names = "--app",
            paramLabel = "JAR",
            arity = "1..*",
            description = "The jars of your application; one must name a dev.muster.MusterApp in META-INF/services.")
    private List<Path> jars = List.of();

    @Option(names = "--example", description = "Run the example application: hello, sleep, process_order and others.")
    private boolean example;

    boolean isEmpty() {
        return jars.isEmpty() && !example;
    }

    /** The given applications, or the example application if none is given. */
    List<MusterApp> loadOrExample() {
        return isEmpty() ? List.of(new ExampleApp()) : load();
    }

    /** The given applications. The class loader of their jars lives as long as the process. */
    List<MusterApp> load() {
        List<MusterApp> apps = new ArrayList<>();
        if (example) {
            apps.add(new ExampleApp());
        }
        if (!jars.isEmpty()) {
            apps.addAll(fromJars());
        }
        return apps;
    }

    private List<MusterApp> fromJars() {
        ClassLoader own = MusterApp.class.getClassLoader();
        ClassLoader loader = new URLClassLoader(urls(), own);
        Thread.currentThread().setContextClassLoader(loader);
        List<MusterApp> apps = new ArrayList<>();
        try {
            for (MusterApp app : ServiceLoader.load(MusterApp.class, loader)) {
                // Skip the example application, which is on the node's own class path.
                if (app.getClass().getClassLoader() == loader) {
                    apps.add(app);
                }
            }
        } catch (ServiceConfigurationError | LinkageError e) {
            throw CommandFailed.failed("the application in " + names() + " cannot be loaded: " + e.getMessage());
        }
        if (apps.isEmpty()) {
            throw CommandFailed.badInput("no application in " + names()
                    + ": a jar must have a file META-INF/services/dev.muster.MusterApp that names a class in it");
        }
        return apps;
    }

    private URL[] urls() {
        List<URL> urls = new ArrayList<>();
        for (Path jar : jars) {
            if (!Files.isReadable(jar)) {
                throw CommandFailed.badInput("--app " + jar + " does not exist or cannot be read");
            }
            try {
                urls.add(jar.toUri().toURL());
            } catch (MalformedURLException e) {
                throw CommandFailed.badInput("--app " + jar + " is not a usable path: " + e.getMessage(), e);
            }
        }
        return urls.toArray(URL[]::new);
    }

    private String names() {
        return jars.stream().map(Path::toString).collect(Collectors.joining(", "));
    }
}
