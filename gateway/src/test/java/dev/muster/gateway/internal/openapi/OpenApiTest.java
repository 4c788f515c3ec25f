package dev.muster.gateway.internal.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.document.internal.Json;
import dev.muster.gateway.internal.Routes;
import dev.muster.gateway.internal.route.Route;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.PathItem.HttpMethod;
import io.swagger.v3.oas.models.media.ArraySchema;
import io.swagger.v3.parser.OpenAPIV3Parser;
import io.swagger.v3.parser.core.models.ParseOptions;
import io.swagger.v3.parser.core.models.SwaggerParseResult;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

public class OpenApiTest {
    private static SwaggerParseResult parsed() {
        ParseOptions options = new ParseOptions();
        options.setResolve(true);
        return new OpenAPIV3Parser().readContents(Json.write(Routes.openApi("")), null, options);
    }

    @Test
    void theDocumentIsValid() {
        SwaggerParseResult result = parsed();

        assertThat(result.getMessages()).isEmpty();
        assertThat(result.getOpenAPI().getOpenapi()).isEqualTo("3.0.3");
    }

    /** Generators read 3.1 badly, make no parameter of a name with a star, and take a whole number without a format for one of 32 bits. */
    @Test
    void nothingIsWrittenThatGeneratorsMisread() {
        String text = Json.write(Routes.openApi("/muster"));
        List<String> wrong = new ArrayList<>();
        visit("", Json.read(text), wrong);

        assertThat(wrong).isEmpty();
        assertThat(text).contains("\"servers\":[{\"url\":\"/muster\"}]");
        assertThat(parsed().getOpenAPI().getPaths().get("/_api/jobs").getGet().getParameters())
                .filteredOn(
                        parameter -> List.of("id", "status", "tag", "metadata").contains(parameter.getName()))
                .hasSize(4)
                .allSatisfy(parameter -> {
                    assertThat(parameter.getSchema()).isInstanceOf(ArraySchema.class);
                    assertThat(parameter.getExplode()).isTrue();
                });
    }

    private static void visit(String where, @Nullable Object value, List<String> wrong) {
        if (value instanceof List<?> list) {
            list.forEach(item -> visit(where + "[]", item, wrong));
        }
        if (!(value instanceof Map<?, ?> object)) {
            return;
        }
        object.forEach((name, member) -> visit(where + "." + name, member, wrong));
        if (object.containsKey("in") && String.valueOf(object.get("name")).contains("*")) {
            wrong.add(where + " has a name with a star: " + object.get("name"));
        }
        if (where.endsWith(".properties") || !(object.containsKey("type") || object.containsKey("enum"))) {
            return;
        }
        if (object.get("type") instanceof List) {
            wrong.add(where + " has several types");
        }
        if ("integer".equals(object.get("type")) && !"int64".equals(object.get("format"))) {
            wrong.add(where + " is a whole number of unknown size");
        }
        if (object.containsKey("properties") && where.startsWith(".paths")) {
            wrong.add(where + " is an object without a name");
        }
    }

    /** Whoever repeats a request with a key, probes a node or sends notifications gets no error. */
    @Test
    void itHasAllStatusesOfARoute() {
        assertThat(statuses("/_api/jobs", HttpMethod.POST))
                .contains("200", "201", "400", "401", "403", "409", "413", "503");
        assertThat(statuses("/_api/ready", HttpMethod.GET))
                .contains("200", "503")
                .doesNotContain("401");
        assertThat(statuses("/", HttpMethod.POST)).contains("200", "204", "400");
        assertThat(statuses("/assets/{path}", HttpMethod.GET)).contains("200", "304", "404");
        assertThat(statuses("/_api/crons/{name}", HttpMethod.PUT)).contains("200", "404", "412");
        assertThat(statuses("/_api/rpc/{function}", HttpMethod.POST)).contains("200", "404", "422", "429", "504");
    }

    private static Set<String> statuses(String path, HttpMethod method) {
        return parsed().getOpenAPI()
                .getPaths()
                .get(path)
                .readOperationsMap()
                .get(method)
                .getResponses()
                .keySet();
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
        String text = Json.write(Routes.openApi(""));
        Set<String> defined = parsed().getOpenAPI().getComponents().getSchemas().keySet();
        Matcher references = Pattern.compile("#/components/schemas/(\\w+)").matcher(text);
        while (references.find()) {
            assertThat(defined).contains(references.group(1));
        }
        assertThat(defined).contains("Job", "Error", "Node", "GraphTree");
    }
}
