package dev.muster.gateway.internal;

import dev.muster.document.internal.Json;
import dev.muster.gateway.internal.route.Route;
import dev.muster.internal.runtime.Jsonb.Digits;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Compares answers with the OpenAPI document: their statuses are listed at the route, and every member of their bodies is, with its type.
 * A client that was generated from the document reads them then.
 */
final class DocumentedAnswers {
    private static final Map<?, ?> DOCUMENT = (Map<?, ?>) Json.read(Json.write(Routes.openApi("")));
    private static final String ERROR = "#/components/schemas/Error";

    /** Of requests that do not get as far as their route, or are no HTTP. */
    private static final Set<Integer> OF_HTTP = Set.of(400, 405, 408, 414, 417, 426, 431, 501, 505);

    /** Larger ones are like the others, and take long. */
    private static final int LARGEST = 4 << 20;

    private final List<String> wrong = new ArrayList<>();

    private DocumentedAnswers() {}

    /**
     * What is wrong with an answer; empty if it is as the document says.
     *
     * @param path with the parameters behind it
     */
    static List<String> problems(String method, String path, int status, @Nullable String body) {
        DocumentedAnswers answers = new DocumentedAnswers();
        if (body != null && body.length() > LARGEST) {
            return List.of();
        }
        answers.look(method, path.replaceFirst("[?].*", ""), status, body);
        return answers.wrong;
    }

    /** The route of a request; empty if there is none. */
    static Optional<Route> route(String method, String path) {
        // Paths without parameters come first: /_api/jobs/many is no job.
        return Routes.all().stream()
                .filter(route -> route.method().name().equals(method))
                .filter(route -> pattern(route).matcher(path).matches())
                .min((one, other) ->
                        one.pathParameters().size() - other.pathParameters().size());
    }

    private static Pattern pattern(Route route) {
        String any = route.kind() == Route.Kind.FILE ? ".+" : "[^/]+";
        return Pattern.compile(route.path().replace(".", "\\.").replaceAll("\\{[a-z_]+}", any));
    }

    private void look(String method, String path, int status, @Nullable String body) {
        Optional<Route> route = route(method, path);
        if (route.isEmpty()) {
            if (status >= 400 && !method.equals("HEAD")) {
                check(path, Map.of("$ref", ERROR), read(body));
            }
            return;
        }
        Map<?, ?> operations = (Map<?, ?>) at(DOCUMENT, "paths", route.get().path());
        Map<?, ?> responses = (Map<?, ?>) at(operations, method.toLowerCase(Locale.ROOT), "responses");
        Object response = responses.get(
                OF_HTTP.contains(status) && !responses.containsKey(String.valueOf(status))
                        ? "default"
                        : String.valueOf(status));
        if (response == null) {
            wrong.add(route.get() + " answers " + status
                    + ", which the document does not list; Route.Builder.orAnswers adds it");
            return;
        }
        Object content = ((Map<?, ?>) resolved(response)).get("content");
        if (content == null) {
            if (body != null && !body.isEmpty()) {
                wrong.add(route.get() + " answers " + status + " with a body, and the document has none");
            }
        } else if (content instanceof Map<?, ?> types && types.get("application/json") instanceof Map<?, ?> json) {
            check(route.get() + " " + status, json.get("schema"), read(body));
        }
    }

    private @Nullable Object read(@Nullable String body) {
        return Json.read(String.valueOf(body));
    }

    private static Object resolved(Object part) {
        if (part instanceof Map<?, ?> map && map.get("$ref") instanceof String reference) {
            return at(DOCUMENT, (Object[]) reference.substring(2).split("/"));
        }
        return part;
    }

    private static Object at(Map<?, ?> map, Object... path) {
        Object value = map;
        for (Object step : path) {
            value = value instanceof Map<?, ?> part ? part.get(step) : null;
        }
        if (value == null) {
            throw new IllegalStateException("the document has no " + List.of(path));
        }
        return value;
    }

    private void check(String where, @Nullable Object given, @Nullable Object value) {
        Map<?, ?> schema = (Map<?, ?>) resolved(given == null ? Map.of() : given);
        if (value == null) {
            if (schema.containsKey("type") && !Boolean.TRUE.equals(schema.get("nullable"))) {
                wrong.add(where + ": is null, should be " + schema.get("type"));
            }
            return;
        }
        if (schema.get("allOf") instanceof List<?> all) {
            all.forEach(one -> check(where, one, value));
            return;
        }
        Object type = schema.get("type");
        if (type != null
                && !type.equals(type(value))
                && !(type.equals("number") && type(value).equals("integer"))) {
            wrong.add(where + ": is " + type(value) + ", should be " + type);
            return;
        }
        if (value instanceof Map<?, ?> object) {
            checkObject(where, schema, object);
        } else if (value instanceof List<?> list && schema.get("items") != null) {
            list.forEach(item -> check(where + "[]", schema.get("items"), item));
        } else if (value instanceof String text) {
            checkText(where, schema, text);
        }
    }

    private void checkObject(String where, Map<?, ?> schema, Map<?, ?> object) {
        Object others = schema.get("additionalProperties");
        if (!(schema.get("properties") instanceof Map<?, ?> members)) {
            if (others != null) {
                object.forEach((name, value) -> check(where + "." + name, others, value));
            }
            return;
        }
        members.forEach((name, member) -> {
            if (object.containsKey(name)) {
                check(where + "." + name, member, object.get(name));
            } else if (schema.get("required") instanceof List<?> required && required.contains(name)) {
                wrong.add(where + "." + name + ": is missing");
            }
        });
        object.keySet().stream()
                .filter(name -> !members.containsKey(name))
                .forEach(name -> wrong.add(where + "." + name + ": is not in the document"));
    }

    private void checkText(String where, Map<?, ?> schema, String text) {
        if (schema.get("enum") instanceof List<?> values && !values.contains(text)) {
            wrong.add(where + ": is '" + text + "', should be one of " + values);
        }
        if ("uuid".equals(schema.get("format")) && !isUuid(text)) {
            wrong.add(where + ": '" + text + "' is no UUID");
        }
        if ("date-time".equals(schema.get("format")) && !isTime(text)) {
            wrong.add(where + ": '" + text + "' is no time");
        }
    }

    private static boolean isUuid(String text) {
        try {
            return UUID.fromString(text).toString().equals(text);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean isTime(String text) {
        try {
            return Instant.parse(text).toString().length() > 0;
        } catch (DateTimeParseException e) {
            return false;
        }
    }

    private static String type(Object value) {
        if (value instanceof Digits digits) {
            return digits.text().matches("-?\\d+") ? "integer" : "number";
        }
        return value instanceof Map
                ? "object"
                : value instanceof List ? "array" : value instanceof String ? "string" : "boolean";
    }
}
