package dev.muster.postgres.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.muster.config.MusterConfig;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class WithoutHikariTest {

    @Test
    void aUrlWithoutAPoolIsAnErrorThatNamesTheDependency() throws Exception {
        try (URLClassLoader loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
            Class<?> config = loader.loadClass(MusterConfig.class.getName());
            Object settings = config.getMethod("with", String.class, String.class)
                    .invoke(
                            config.getMethod("defaults").invoke(null),
                            "database.url",
                            "jdbc:postgresql://localhost/app");
            Class<?> provider = loader.loadClass(PostgresStoreProvider.class.getName());
            Object opener = provider.getConstructor().newInstance();

            Throwable refused = catchThrowable(
                    () -> provider.getMethod("open", DataSource.class, config).invoke(opener, null, settings));

            assertThat(refused.getCause())
                    .hasMessageContaining("HikariCP is not on the classpath")
                    .hasMessageContaining("com.zaxxer:HikariCP");
            assertThat(refused.getCause().getClass().getSimpleName()).isEqualTo("MusterException");
        }
    }

    private static URL[] classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("HikariCP"))
                .map(WithoutHikariTest::url)
                .toArray(URL[]::new);
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
