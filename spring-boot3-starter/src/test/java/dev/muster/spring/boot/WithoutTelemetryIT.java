package dev.muster.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An application whose class path has neither Actuator nor Micrometer's meters nor OpenTelemetry. */
class WithoutTelemetryIT {
    /** Spring itself needs Micrometer's observations. */
    private static final List<String> ABSENT = List.of(
            "micrometer-core",
            "micrometer-jakarta",
            "micrometer-registry",
            "micrometer-tracing",
            "opentelemetry-",
            "spring-boot-actuator",
            "spring-boot-health",
            "spring-boot-micrometer",
            "spring-boot-opentelemetry",
            "spring-boot-starter-actuator",
            // What else the tests have and the starter does not bring.
            "hibernate-",
            "spring-boot-data",
            "spring-boot-hibernate",
            "spring-boot-jpa",
            "spring-data-");

    private static URL[] classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> ABSENT.stream().noneMatch(new File(entry).getName()::startsWith))
                .map(entry -> url(new File(entry).toURI()))
                .toArray(URL[]::new);
    }

    private static URL url(URI uri) {
        try {
            return uri.toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Test
    void theStarterAloneRunsJobs() throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (FreshDatabase database = FreshDatabase.migrated();
                URLClassLoader loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
            for (String absent : List.of(
                    "io.micrometer.core.instrument.MeterRegistry",
                    "io.opentelemetry.api.OpenTelemetry",
                    "org.springframework.boot.actuate.endpoint.annotation.Endpoint")) {
                assertThatThrownBy(() -> loader.loadClass(absent)).isInstanceOf(ClassNotFoundException.class);
            }
            thread.setContextClassLoader(loader);
            Object result = loader.loadClass("dev.muster.spring.plain.PlainApplication")
                    .getMethod("greet", String[].class)
                    .invoke(null, (Object) database.arguments(
                            "--spring.flyway.enabled=false", "--spring.main.web-application-type=none"));

            assertThat(result).isEqualTo("\"Hello, Ada\"");
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
