package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.Scope;
import dev.muster.document.internal.Json;
import dev.muster.function.Query;
import dev.muster.gateway.internal.openapi.OpenApiTest;
import dev.muster.job.Job;
import dev.muster.testing.LongTest;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that openapi-generator makes from the OpenAPI document call every group of routes of a live gateway. The programs that call are in
 * {@code src/test/clients}; the generator and the libraries of its clients come from Maven Central, and TypeScript from npm.
 */
@LongTest(
        twin = OpenApiTest.class,
        test = {"theDocumentIsValid", "nothingIsWrittenThatGeneratorsMisread"},
        why = "clients in three languages, which openapi-generator makes, and what it needs is fetched")
class GeneratedClientsIT {
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final Path PROGRAMS = Path.of("src/test/clients");
    private static final Path TOOLS = Path.of("target/clients");

    /** Streams that do not end, and files for browsers: no generated client is for these. */
    private static final Set<String> WITHOUT_CLIENT = Set.of("events", "dashboard");

    @RegisterExtension
    static final SharedGateway SHARED = SharedGateway.with(new App());

    @TempDir
    private static Path folder;

    private final GatewayNode gateway = SHARED.gateway();

    static final class App {
        @Job(value = "greet", maxAttempts = 1)
        String greet(@Nullable Object who) {
            return "hello " + who;
        }

        @Workflow(name = "checkout", version = "v1")
        String checkout(WorkflowContext wf, String cart) {
            return "paid " + wf.awaitEvent("paid", Integer.class);
        }

        @Query
        String hello() {
            return "hello";
        }
    }

    @BeforeAll
    static void fetchTheGenerator() throws IOException {
        fetch("org.openapitools:openapi-generator-cli", "openapi-generator.version");
        Files.writeString(folder.resolve("openapi.json"), Json.write(Routes.openApi("")));
    }

    @Test
    void java() throws IOException {
        Path jackson = TOOLS.resolve("openapi-generator-cli.jar");
        Path annotations = fetch("jakarta.annotation:jakarta.annotation-api", "jakarta-annotation.version");
        Path sources = generate(
                "java",
                "library=native,containerDefaultToNull=true,openApiNullable=false,useJakartaEe=true,"
                        + "hideGenerationTimestamp=true,"
                        + "invokerPackage=dev.muster.generated,apiPackage=dev.muster.generated.api,"
                        + "modelPackage=dev.muster.generated.model");
        List<String> compile = new ArrayList<>(List.of(
                tool("javac"),
                "-nowarn",
                "-d",
                folder.resolve("classes").toString(),
                "-cp",
                jackson.toAbsolutePath() + File.pathSeparator + annotations.toAbsolutePath(),
                PROGRAMS.resolve("Calls.java").toAbsolutePath().toString()));
        compile.addAll(files(sources.resolve("src/main/java"), ".java"));
        run(folder, compile);

        String output = run(
                folder,
                List.of(
                        tool("java"),
                        "-cp",
                        folder.resolve("classes")
                                + File.pathSeparator
                                + jackson.toAbsolutePath()
                                + File.pathSeparator
                                + annotations.toAbsolutePath(),
                        "Calls",
                        gateway.uri("").toString(),
                        gateway.key(Scope.ADMIN),
                        "java"));

        assertThat(groupsNotCalled(output)).isEmpty();
    }

    @Test
    void typeScript() throws IOException {
        require("node", "--version");
        Path sources = generate("typescript-fetch", "supportsES6=true,importFileExtension=.js");
        Path project = Files.createDirectories(folder.resolve("typescript"));
        Files.writeString(project.resolve("package.json"), "{\"type\": \"module\", \"private\": true}");
        Files.writeString(project.resolve("tsconfig.json"), """
                {"compilerOptions": {"strict": true, "noUncheckedIndexedAccess": true, "target": "es2022", "module": "es2022",
                 "moduleResolution": "node10", "lib": ["es2022", "dom", "dom.iterable"], "types": [], "outDir": "out"},
                 "include": ["calls.ts", "client"]}
                """);
        copy(sources, project.resolve("client"));
        Files.writeString(
                project.resolve("calls.ts"),
                Files.readString(PROGRAMS.resolve("calls.ts")).replace("'./client/index'", "'./client/index.js'"));
        Path compiler = Files.createDirectories(TOOLS.resolve("typescript")).toAbsolutePath();
        fetched(
                "TypeScript",
                List.of(
                        "npm",
                        "install",
                        "--no-save",
                        "--ignore-scripts",
                        "--prefix",
                        compiler.toString(),
                        "typescript@" + version("typescript.version")));
        run(
                project,
                List.of(
                        "node",
                        compiler.resolve("node_modules/typescript/bin/tsc").toString(),
                        "-p",
                        "."));

        String output = run(
                project,
                List.of("node", "out/calls.js", gateway.uri("").toString(), gateway.key(Scope.ADMIN), "typescript"));

        assertThat(groupsNotCalled(output)).isEmpty();
    }

    @Test
    void python() throws IOException {
        require("python3", "--version");
        Path sources = generate("python", "packageName=muster_client");
        Path environment = TOOLS.resolve("python").toAbsolutePath();
        fetched(
                "a virtual environment of Python",
                List.of("python3", "-m", "venv", "--system-site-packages", environment.toString()));
        Path python = environment.resolve("bin/python");
        fetched(
                "the packages of the generated Python client",
                List.of(
                        python.toString(),
                        "-m",
                        "pip",
                        "install",
                        "-q",
                        "-r",
                        sources.resolve("requirements.txt").toString()));

        // Programs find packages in their own folder.
        Files.copy(PROGRAMS.resolve("calls.py"), sources.resolve("calls.py"));
        String output = run(
                sources,
                List.of(python.toString(), "calls.py", gateway.uri("").toString(), gateway.key(Scope.ADMIN), "python"));

        assertThat(groupsNotCalled(output)).isEmpty();
    }

    /** The groups of which the program has called no operation. */
    private static Set<String> groupsNotCalled(String output) {
        Set<String> groups = new TreeSet<>();
        Set<String> called = new TreeSet<>();
        Map<?, ?> paths = (Map<?, ?>) Routes.openApi("").get("paths");
        for (Object path : paths.values()) {
            for (Object operation : ((Map<?, ?>) path).values()) {
                Map<?, ?> one = (Map<?, ?>) operation;
                String group = String.valueOf(((List<?>) one.get("tags")).get(0));
                groups.add(group);
                if (output.contains("called " + one.get("operationId") + "\n")) {
                    called.add(group);
                }
            }
        }
        groups.removeAll(called);
        groups.removeAll(WITHOUT_CLIENT);
        return groups;
    }

    private static Path generate(String language, String properties) throws IOException {
        Path output = folder.resolve(language);
        run(
                folder,
                List.of(
                        tool("java"),
                        "-XX:TieredStopAtLevel=1",
                        "-jar",
                        TOOLS.resolve("openapi-generator-cli.jar")
                                .toAbsolutePath()
                                .toString(),
                        "generate",
                        "-i",
                        "openapi.json",
                        "-g",
                        language,
                        "-o",
                        output.toString(),
                        "--additional-properties=" + properties));
        return output;
    }

    /** Fetches an artefact in the version that the root pom names. */
    private static Path fetch(String artifact, String property) throws IOException {
        String name = artifact.substring(artifact.indexOf(':') + 1);
        Files.createDirectories(TOOLS);
        fetched(
                artifact,
                List.of(
                        "mvn",
                        "-B",
                        "-q",
                        "-ntp",
                        "dependency:copy",
                        "-Dartifact=" + artifact + ":" + version(property),
                        "-DoutputDirectory=" + TOOLS.toAbsolutePath(),
                        "-Dmdep.stripVersion=true"));
        return TOOLS.resolve(name + ".jar");
    }

    private static String version(String property) throws IOException {
        Matcher version = Pattern.compile("<" + Pattern.quote(property) + ">(.+?)</")
                .matcher(Files.readString(Path.of("..", "pom.xml")));
        assertThat(version.find()).as("pom.xml has no property %s", property).isTrue();
        return version.group(1);
    }

    /** Runs what fetches something; without a network the test is skipped, and the summary says for want of what. */
    private static void fetched(String what, List<String> command) throws IOException {
        Result result = start(Path.of(""), command);
        Assumptions.assumeTrue(result.code() == 0, () -> what + " could not be had: " + result.lastLine());
    }

    private static void require(String... command) throws IOException {
        boolean there;
        try {
            there = start(Path.of(""), List.of(command)).code() == 0;
        } catch (IOException e) {
            there = false;
        }
        Assumptions.assumeTrue(there, command[0] + " is not installed");
    }

    private static String run(Path in, List<String> command) throws IOException {
        Result result = start(in, command);
        assertThat(result.code()).as("%s\n%s", command.get(0), result.output()).isZero();
        return result.output();
    }

    private record Result(int code, String output) {
        String lastLine() {
            return output.strip().lines().reduce("", (before, line) -> line);
        }
    }

    private static Result start(Path in, List<String> command) throws IOException {
        Path output = Files.createTempFile(folder, "output", ".txt");
        Process process = new ProcessBuilder(command)
                .directory(in.toAbsolutePath().toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("%s ends", command)
                    .isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            process.destroyForcibly();
        }
        return new Result(process.exitValue(), Files.readString(output));
    }

    private static String tool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    private static List<String> files(Path below, String end) throws IOException {
        try (Stream<Path> all = Files.walk(below)) {
            return all.map(Path::toString).filter(path -> path.endsWith(end)).toList();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        for (String file : files(from, ".ts")) {
            Path target = to.resolve(from.relativize(Path.of(file)));
            Files.createDirectories(target.getParent());
            Files.copy(Path.of(file), target);
        }
    }
}
