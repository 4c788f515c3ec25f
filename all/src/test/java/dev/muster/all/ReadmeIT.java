package dev.muster.all;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.embedded.EmbeddedPostgres;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** The programs in the README compile as they stand, with muster-all as the only dependency, and do what they say. */
class ReadmeIT {
    private static final Pattern BLOCK = Pattern.compile("```java\n(import .*?)```", Pattern.DOTALL);
    private static final Pattern CLASS =
            Pattern.compile("(?m)^(?:public |final )*class (\\w+) \\{\n(.*)^}$", Pattern.DOTALL);

    @TempDir
    private Path folder;

    /** The program with this class, as it stands in the README. */
    private static String program(String name) throws IOException {
        List<String> programs = BLOCK.matcher(Files.readString(Path.of("../README.md")))
                .results()
                .map((MatchResult block) -> block.group(1))
                .filter(code -> code.contains("class " + name + " {"))
                .toList();
        assertThat(programs).as("programs in the README with a class " + name).hasSize(1);
        return programs.get(0);
    }

    private Class<?> compile(String name) throws Exception {
        Path source = folder.resolve(name + ".java");
        Files.writeString(source, program(name));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            boolean compiled = compiler.getTask(
                            messages,
                            files,
                            null,
                            List.of(
                                    "-Xlint:all,-processing,-classfile",
                                    "-Werror",
                                    "-cp",
                                    classPathOfUsers(),
                                    "-d",
                                    folder.toString()),
                            null,
                            files.getJavaFileObjects(source))
                    .call();
            assertThat(compiled).as(messages.toString()).isTrue();
        }
        return new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader()).loadClass(name);
    }

    /** What this module's tests have beside muster-all is not there. */
    private static String classPathOfUsers() {
        List<String> ofTests =
                List.of("junit", "opentest4j", "apiguardian", "assertj", "embedded", "test-classes", "surefire");
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> ofTests.stream().noneMatch(entry::contains))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String output(Method method, Object argument) throws Exception {
        method.setAccessible(true);
        PrintStream before = System.out;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
        try {
            method.invoke(null, argument);
        } finally {
            System.setOut(before);
        }
        return output.toString(StandardCharsets.UTF_8);
    }

    @Test
    void helloWorldHasEightLinesAndSaysHello() throws Exception {
        Matcher code = CLASS.matcher(program("Hello"));
        assertThat(code.find()).isTrue();
        assertThat(code.group(2).lines().filter(line -> !line.isBlank()))
                .as("lines of code in the class")
                .hasSizeLessThanOrEqualTo(8);
        Method main = compile("Hello").getMethod("main", String[].class);
        String url = EmbeddedPostgres.shared().jdbcUrl();
        assertThat(output(main, new String[] {url})).contains("\"Hello, Ada\"");
    }

    @Test
    void theTourOfTheServiceRuns() throws Exception {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(EmbeddedPostgres.shared().jdbcUrl());
        Method run = Arrays.stream(compile("Orders").getDeclaredMethods())
                .filter(method -> method.getName().equals("run"))
                .findFirst()
                .orElseThrow();
        assertThat(output(run, dataSource)).contains("COMPLETED Order[id=42");
    }
}
