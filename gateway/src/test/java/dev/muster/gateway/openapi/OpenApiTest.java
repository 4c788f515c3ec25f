package dev.muster.gateway.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.document.Json;
import dev.muster.gateway.Routes;
import dev.muster.gateway.route.Route;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.PathItem.HttpMethod;
import io.swagger.v3.parser.OpenAPIV3Parser;
import io.swagger.v3.parser.core.models.ParseOptions;
import io.swagger.v3.parser.core.models.SwaggerParseResult;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class OpenApiTest {
    private static SwaggerParseResult parsed() {
        ParseOptions options = new ParseOptions();
        options.setResolve(true);
        return new OpenAPIV3Parser().readContents(Json.write(Routes.openApi()), null, options);
    }

    @Test
    void theDocumentIsValid() {
        SwaggerParseResult result = parsed();

        assertThat(result.getMessages()).isEmpty();
        assertThat(result.getOpenAPI().getOpenapi()).isEqualTo("3.1.0");
    }

    @Test
    void itHasEveryRouteAndNoOther() {
        OpenAPI document = parsed().getOpenAPI();
        Set<String> documented = new HashSet<>();
        document.getPaths()
                .forEach((path, item) -> item.readOperationsMap().keySet().stream()
                        .map(HttpMethod::name)
                        .forEach(method -> documented.add(method + " " + path)));

        assertThat(documented)
                .isEqualTo(Routes.all().stream().map(Route::toString).collect(Collectors.toSet()));
    }

    @Test
    void everyOperationHasANameOfItsOwnAndSaysWhatItNeeds() {
        assertThat(Routes.all().stream().map(Route::id)).doesNotHaveDuplicates();
        assertThat(Routes.all()).allSatisfy(route -> {
            assertThat(route.summary()).as(route.toString()).endsWith(".");
            assertThat(route.response().isPresent()).as(route.toString()).isEqualTo(route.status() != 204);
        });
    }

    /** A schema may be used in many places, but a name must always mean the same. */
    @Test
    void everyReferenceIsDefined() {
        String text = Json.write(Routes.openApi());
        Set<String> defined = parsed().getOpenAPI().getComponents().getSchemas().keySet();
        Matcher references = Pattern.compile("#/components/schemas/(\\w+)").matcher(text);
        while (references.find()) {
            assertThat(defined).contains(references.group(1));
        }
        assertThat(defined).contains("Job", "Error", "Node", "GraphTree");
    }
}
