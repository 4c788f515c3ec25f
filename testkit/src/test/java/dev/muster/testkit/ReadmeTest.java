package dev.muster.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The example in the README is a test that runs. */
class ReadmeTest {

    @Test
    void theExampleIsTheTest() throws IOException {
        String source = Files.readString(Path.of("src/test/java/dev/muster/testkit/ShopIT.java"));
        Matcher example = Pattern.compile("```java\n(@MusterTest.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("README.md")));

        assertThat(example.find()).isTrue();
        assertThat(example.group(1)).isEqualTo(source.substring(source.indexOf("@MusterTest")));
        assertThat(example.group(1).lines().count()).isLessThan(15);
    }
}
