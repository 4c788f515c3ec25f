package dev.muster.gateway.internal.openapi;

import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Route.Kind;
import dev.muster.gateway.internal.route.Route.Method;
import dev.muster.gateway.internal.route.Schema;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The errors that a route may answer: their statuses, which {@code docs/http-api.md} explains. */
enum Errors {
    BAD_REQUEST(400, "a parameter, a member or a value is wrong"),
    UNAUTHORIZED(401, "there is no key or token, or it is wrong, expired or revoked"),
    FORBIDDEN(403, "the caller may not do this, or not on this node"),
    NOT_FOUND(404, "there is no such thing, or it belongs to another tenant"),
    TOO_SLOW(408, "the body did not arrive in time"),
    CONFLICT(409, "the thing is not in a state in which this can be done, or the key stands for another request"),
    PRECONDITION_FAILED(412, "somebody has changed it since it was read"),
    TOO_LARGE(413, "the body is too large"),
    UNSUPPORTED_MEDIA_TYPE(415, "the body is not application/json"),
    UNREADABLE(422, "args or results cannot be read, or the function refused the call"),
    TOO_MANY_REQUESTS(429, "the caller has to wait"),
    INTERNAL(500, "something unexpected; the node's log has it"),
    UNAVAILABLE(503, "this node does not serve now"),
    TIMEOUT(504, "the function did not end in time");

    /** The shape of every error. */
    static final Schema DOCUMENT = Schema.object("Error")
            .members(
                    "success:flag data:any? error:details request_id:text",
                    Map.of(
                            "details",
                            Schema.object("ErrorDetails")
                                    .members("code:text message:text details:any? retry_after_secs:int?")));

    /** What has args, inputs or results. */
    private static final Set<String> WITH_PAYLOADS = Set.of("jobs", "crons", "workflows", "graphs", "batches", "rpc");

    final int status;
    final String meaning;

    Errors(int status, String meaning) {
        this.status = status;
        this.meaning = meaning;
    }

    /** The name under which the document lists it once. */
    String title() {
        StringBuilder title = new StringBuilder();
        for (String word : name().split("_")) {
            title.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return title.toString();
    }

    /** Those of a route. */
    static List<Errors> of(Route route) {
        return Arrays.stream(values()).filter(error -> error.isOf(route)).toList();
    }

    private boolean isOf(Route route) {
        if (route.kind() == Kind.PROBE) {
            return this == INTERNAL;
        }
        if (route.kind() == Kind.FILE) {
            return this == NOT_FOUND || this == INTERNAL || this == UNAVAILABLE;
        }
        boolean calls = route.pathParameters().contains("function");
        return switch (this) {
            case BAD_REQUEST, UNAUTHORIZED, FORBIDDEN, TOO_MANY_REQUESTS, INTERNAL, UNAVAILABLE -> true;
            case NOT_FOUND -> !route.pathParameters().isEmpty() || route.writes();
            case TOO_SLOW, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE -> route.request().isPresent();
            case CONFLICT -> route.method() != Method.GET;
            case PRECONDITION_FAILED ->
                route.parameters().stream()
                        .anyMatch(parameter -> parameter.name().equals("If-Match"));
            case UNREADABLE -> WITH_PAYLOADS.contains(OpenApi.tag(route));
            case TIMEOUT -> calls;
        };
    }
}
