package dev.muster.gateway.internal.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.gateway.internal.Routes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ApiReferenceTest {

    @Test
    void thePageInTheDocsIsWhatTheRoutesSay() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "http-reference.md"));

        assertThat(page.strip())
                .as("docs/http-reference.md is out of date; run: ./muster config api-docs > docs/http-reference.md")
                .isEqualTo(ApiReference.of(Routes.all()).strip());
    }

    @Test
    void everyRouteAndEveryDocumentIsThere() {
        String page = ApiReference.of(Routes.all());

        assertThat(Routes.all()).allSatisfy(route -> {
            assertThat(page).contains("| " + route.method() + " | `" + route.path() + "` | ");
            assertThat(page).contains("| `" + route + "` | ");
        });
        assertThat(page)
                .contains("| POST | `/_api/queues/{name}/pause` | admin | no | Start no more jobs of this queue. |")
                .contains("| GET | `/_api/health` | open | open | ")
                .contains("| `metadata.*` | text | ");
        assertThat(page.lines().filter(line -> line.contains("](#")))
                .isNotEmpty()
                .allSatisfy(line -> assertThat(page.toLowerCase(java.util.Locale.ROOT))
                        .contains("\n### " + line.replaceAll("(?s).*?]\\(#([a-z]+)\\).*", "$1") + "\n"));
    }
}
