package dev.muster.gateway.internal.openapi;

import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Route.Kind;
import dev.muster.gateway.internal.route.Route.Parameter;
import dev.muster.gateway.internal.route.Schema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes the OpenAPI 3.0 document of a list of routes. 3.0 and not 3.1, because generators of clients read it better: some make a
 * value that may be null one that may not be, or leave it out.
 */
public final class OpenApi {
    private final List<Route> routes;
    private final Map<String, Schema> named = new TreeMap<>();

    private OpenApi(List<Route> routes) {
        this.routes = routes;
    }

    /** @param basePath what stands before the paths of the routes: nothing, or such as {@code /muster} */
    public static Map<String, @Nullable Object> of(List<Route> routes, String version, String basePath) {
        return new OpenApi(routes).document(version, basePath);
    }

    private Map<String, @Nullable Object> document(String version, String basePath) {
        Map<String, @Nullable Object> paths = new LinkedHashMap<>();
        for (Route route : routes) {
            @SuppressWarnings("unchecked")
            Map<String, @Nullable Object> operations =
                    (Map<String, @Nullable Object>) paths.computeIfAbsent(route.path(), path -> new LinkedHashMap<>());
            operations.put(route.method().name().toLowerCase(Locale.ROOT), operation(route));
        }
        collect(Errors.DOCUMENT);
        Map<String, @Nullable Object> document = new LinkedHashMap<>();
        document.put("openapi", "3.0.3");
        document.put(
                "info",
                Map.of(
                        "title", "Muster",
                        "version", version,
                        "description", "Jobs, crons, workflows, task graphs and functions of a Muster cluster."));
        document.put("servers", List.of(Map.of("url", basePath.isEmpty() ? "/" : basePath)));
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
        Map<String, @Nullable Object> errors = new LinkedHashMap<>();
        for (Errors error : Errors.values()) {
            errors.put(error.title(), response(error.meaning, json(Errors.DOCUMENT)));
        }
        components.put("responses", errors);
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
            body.put("content", json(named(route, schema, "Request")));
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
        route.pathParameters().forEach(name -> all.add(parameter(name, "path", route.pathType(name), "", true)));
        for (Parameter parameter : route.parameters()) {
            // One name stands for one parameter in this document: those whose names callers choose have another form.
            if (parameter.name().endsWith("*")) {
                continue;
            }
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
        if (schema.items().isPresent()) {
            parameter.put("style", "form");
            parameter.put("explode", true);
        }
        parameter.put("schema", reference(schema));
        return parameter;
    }

    private Map<String, @Nullable Object> responses(Route route) {
        Map<String, @Nullable Object> responses = new TreeMap<>();
        responses.put(String.valueOf(route.status()), good(route, "done", route.response()));
        for (Route.Other other : route.others()) {
            responses.put(String.valueOf(other.status()), good(route, other.when(), other.body()));
        }
        for (Errors error : Errors.of(route)) {
            responses.putIfAbsent(
                    String.valueOf(error.status), Map.of("$ref", "#/components/responses/" + error.title()));
        }
        responses.put("default", response("any other error", json(Errors.DOCUMENT)));
        return responses;
    }

    private Map<String, @Nullable Object> good(Route route, String description, Optional<Schema> body) {
        Map<String, @Nullable Object> response = response(
                description,
                body.map(schema -> content(named(route, schema, "Answer"))).orElse(Map.of()));
        Map<String, @Nullable Object> headers = new TreeMap<>();
        route.headers()
                .forEach((name, meaning) ->
                        headers.put(name, Map.of("description", meaning, "schema", reference(Schema.text()))));
        if (!headers.isEmpty()) {
            response.put("headers", headers);
        }
        return response;
    }

    /**
     * Bodies that have no name in the routes get one, because generators would make up other names with each change of the document: a
     * list that of what is in it, anything else that of its operation.
     */
    private static Schema named(Route route, Schema body, String end) {
        if (body.name().isPresent() || body.properties().isEmpty()) {
            return body;
        }
        Set<String> others = new HashSet<>(body.properties().keySet());
        boolean page = others.remove("next");
        Optional<String> item = others.size() == 1
                ? body.properties().get(others.iterator().next()).items().flatMap(Schema::name)
                : Optional.empty();
        return body.named(item.map(of -> of + (page ? "Page" : "List")).orElseGet(() -> title(route) + end));
    }

    /** The name of its operation as that of a type: {@code PostApiJobs}. */
    private static String title(Route route) {
        return Arrays.stream(route.id().split("_"))
                .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
                .collect(Collectors.joining());
    }

    private static Map<String, @Nullable Object> response(String description, Map<String, @Nullable Object> content) {
        Map<String, @Nullable Object> response = new LinkedHashMap<>();
        response.put("description", description);
        if (!content.isEmpty()) {
            response.put("content", content);
        }
        return response;
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

    /** @throws IllegalStateException if a name means two things */
    private void collect(Schema schema) {
        schema.name().ifPresent(name -> {
            Schema before = named.putIfAbsent(name, schema);
            if (before != null && !before.definition().equals(schema.definition())) {
                throw new IllegalStateException("two different documents have the name " + name);
            }
        });
        schema.properties().values().forEach(this::collect);
        schema.items().ifPresent(this::collect);
        schema.others().ifPresent(this::collect);
    }
}
