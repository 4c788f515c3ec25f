package dev.muster.gateway.openapi;

import dev.muster.gateway.route.Answer;
import dev.muster.gateway.route.Route;
import dev.muster.gateway.route.Route.Kind;
import dev.muster.gateway.route.Route.Parameter;
import dev.muster.gateway.route.Schema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Writes the OpenAPI 3.1 document of a list of routes. */
public final class OpenApi {
    static final Schema ERROR = Schema.object("Error")
            .members(
                    "success:flag data:any? error:details request_id:text",
                    Map.of(
                            "details",
                            Schema.object("ErrorDetails")
                                    .members("code:text message:text details:any? retry_after_secs:int?")));

    private final List<Route> routes;
    private final Map<String, Schema> named = new TreeMap<>();

    private OpenApi(List<Route> routes) {
        this.routes = routes;
    }

    public static Map<String, @Nullable Object> of(List<Route> routes, String version) {
        return new OpenApi(routes).document(version);
    }

    private Map<String, @Nullable Object> document(String version) {
        Map<String, @Nullable Object> paths = new LinkedHashMap<>();
        for (Route route : routes) {
            @SuppressWarnings("unchecked")
            Map<String, @Nullable Object> operations =
                    (Map<String, @Nullable Object>) paths.computeIfAbsent(route.path(), path -> new LinkedHashMap<>());
            operations.put(route.method().name().toLowerCase(Locale.ROOT), operation(route));
        }
        collect(ERROR);
        Map<String, @Nullable Object> document = new LinkedHashMap<>();
        document.put("openapi", "3.1.0");
        document.put(
                "info",
                Map.of(
                        "title", "Muster",
                        "version", version,
                        "description", "Jobs, crons, workflows, task graphs and functions of a Muster cluster."));
        document.put("security", List.of(Map.of("bearer", List.of()), Map.of("key", List.of())));
        document.put("paths", paths);
        document.put("components", components());
        return document;
    }

    private Map<String, @Nullable Object> components() {
        Map<String, @Nullable Object> schemas = new LinkedHashMap<>();
        named.forEach((name, schema) -> schemas.put(name, schema.definition()));
        Map<String, @Nullable Object> components = new LinkedHashMap<>();
        components.put("schemas", schemas);
        components.put(
                "securitySchemes",
                Map.of(
                        "bearer",
                        Map.of("type", "http", "scheme", "bearer", "description", "an API key or a JWT"),
                        "key",
                        Map.of("type", "apiKey", "in", "header", "name", "X-API-Key")));
        return components;
    }

    private Map<String, @Nullable Object> operation(Route route) {
        Map<String, @Nullable Object> operation = new LinkedHashMap<>();
        operation.put("operationId", route.id());
        operation.put("summary", route.summary());
        operation.put("tags", List.of(tag(route)));
        route.scope()
                .ifPresentOrElse(
                        scope -> operation.put("x-scope", scope.text()), () -> operation.put("security", List.of()));
        List<Map<String, @Nullable Object>> parameters = parameters(route);
        if (!parameters.isEmpty()) {
            operation.put("parameters", parameters);
        }
        route.request().ifPresent(schema -> {
            Map<String, @Nullable Object> body = new LinkedHashMap<>();
            body.put("required", route.bodyRequired());
            body.put("content", json(schema));
            operation.put("requestBody", body);
        });
        operation.put("responses", responses(route));
        return operation;
    }

    /** The second part of the path, such as {@code jobs} for {@code /_api/jobs/{id}}, or what the route belongs to. */
    static String tag(Route route) {
        if (route.kind() == Kind.FILE) {
            return "dashboard";
        }
        String[] parts = route.path().split("/");
        return parts.length > 2 ? parts[2] : "json-rpc";
    }

    private List<Map<String, @Nullable Object>> parameters(Route route) {
        List<Map<String, @Nullable Object>> all = new ArrayList<>();
        route.pathParameters().forEach(name -> all.add(parameter(name, "path", Schema.text(), "", true)));
        for (Parameter parameter : route.parameters()) {
            all.add(parameter(
                    parameter.name(),
                    parameter.header() ? "header" : "query",
                    parameter.schema(),
                    parameter.description(),
                    false));
        }
        return all;
    }

    private Map<String, @Nullable Object> parameter(
            String name, String in, Schema schema, String description, boolean required) {
        Map<String, @Nullable Object> parameter = new LinkedHashMap<>();
        parameter.put("name", name);
        parameter.put("in", in);
        if (!description.isEmpty()) {
            parameter.put("description", description);
        }
        parameter.put("required", required);
        parameter.put("schema", reference(schema));
        return parameter;
    }

    private Map<String, @Nullable Object> responses(Route route) {
        Map<String, @Nullable Object> responses = new LinkedHashMap<>();
        Map<String, @Nullable Object> good = new LinkedHashMap<>();
        good.put("description", "done");
        route.response().ifPresent(schema -> good.put("content", content(schema)));
        responses.put(String.valueOf(route.status()), good);
        Map<String, @Nullable Object> bad = new LinkedHashMap<>();
        bad.put("description", "refused or failed; error.code and error.message say why");
        bad.put("content", json(ERROR));
        responses.put("default", bad);
        return responses;
    }

    private Map<String, @Nullable Object> content(Schema schema) {
        if (schema.equals(Route.FILE)) {
            return Map.of("*/*", Map.of("schema", reference(schema)));
        }
        if (schema.equals(Route.PLAIN_TEXT)) {
            return Map.of("text/plain", Map.of("schema", reference(schema)));
        }
        return schema.equals(Route.EVENT_STREAM)
                ? Map.of(Answer.EVENT_STREAM, Map.of("schema", reference(schema)))
                : json(schema);
    }

    private Map<String, @Nullable Object> json(Schema schema) {
        return Map.of("application/json", Map.of("schema", reference(schema)));
    }

    private Map<String, @Nullable Object> reference(Schema schema) {
        collect(schema);
        return schema.reference();
    }

    private void collect(Schema schema) {
        schema.name().ifPresent(name -> named.putIfAbsent(name, schema));
        schema.properties().values().forEach(this::collect);
        schema.items().ifPresent(this::collect);
        schema.others().ifPresent(this::collect);
    }
}
