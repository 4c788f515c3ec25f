package dev.muster.gateway.internal.route;

import dev.muster.access.Scope;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One route.
 *
 * @param path with parameters in braces: {@code /_api/jobs/{id}}
 * @param kind who answers it, and what a request goes through before
 * @param scope what the caller needs; empty for all kinds but {@link Kind#GUARDED}
 * @param tenants what callers that belong to a tenant may do with it
 * @param writes whether it may change something; an observer refuses it then
 * @param action what the audit calls it, such as {@code queues.pause}; empty if it is not audited
 * @param auditedMembers the members of the body that the audit keeps, such as {@code reason} or {@code options.queue}; nothing else of a body
 *     is kept
 * @param summary one sentence for the reference
 * @param pathTypes the parameters in the path that are no plain texts, by their names
 * @param parameters the parameters behind the path and in headers
 * @param request the body that it takes; empty if it takes none
 * @param bodyRequired whether there must be a body
 * @param parsesBody whether its handler says itself what is wrong with a body that is not JSON
 * @param runsFunction whether it runs a function of the application, which takes as long as the application wants
 * @param status the status of an answer
 * @param response the body of an answer; empty if it has none
 * @param others what it may answer instead, if the request is not refused
 * @param headers the headers that its answers have beside those of all answers, each with what it is
 */
public record Route(
        Method method,
        String path,
        Kind kind,
        Optional<Scope> scope,
        Tenants tenants,
        boolean writes,
        Optional<String> action,
        List<String> auditedMembers,
        String summary,
        Map<String, Schema> pathTypes,
        List<Parameter> parameters,
        Optional<Schema> request,
        boolean bodyRequired,
        boolean parsesBody,
        boolean runsFunction,
        int status,
        Optional<Schema> response,
        List<Other> others,
        Map<String, String> headers,
        Handler handler) {

    /** The response of routes that answer plain text. */
    public static final Schema PLAIN_TEXT = Schema.text().describe("plain text");

    /** The response of routes that answer a file. */
    public static final Schema FILE = Schema.text().describe("a file");

    /** The response of routes that send events for as long as the caller listens. */
    public static final Schema EVENT_STREAM = Schema.text().describe("server-sent events");

    private static final Pattern PATH_PARAMETER = Pattern.compile("\\{([a-z_]+)}");

    /** The methods that routes use. */
    public enum Method {
        GET,
        POST,
        PUT,
        DELETE
    }

    /** Who answers a route, and what a request goes through before. */
    public enum Kind {
        /** The route's handler answers, after everything that the package {@code dev.muster.gateway} lists. */
        GUARDED,
        /** The server itself answers, at any time and to everybody. */
        PROBE,
        /** The server itself answers with a file that holds no data of the cluster: to everybody who is admitted, without a key. */
        FILE
    }

    /** What callers that belong to a tenant may do with a route. */
    public enum Tenants {
        /** Nothing: it is about the cluster as a whole. */
        REFUSED,
        /** They see and change only what belongs to their tenant. */
        CONFINED
    }

    /** A parameter behind the path or in a header. One whose schema is a list may be given several times. */
    public record Parameter(String name, boolean header, Schema schema, String description) {}

    /**
     * Another answer.
     *
     * @param when when it is given, such as {@code the key is taken}
     * @param body empty if it has none
     */
    public record Other(int status, String when, Optional<Schema> body) {}

    public Route {
        pathTypes = Map.copyOf(pathTypes);
        auditedMembers = List.copyOf(auditedMembers);
        parameters = List.copyOf(parameters);
        others = List.copyOf(others);
        headers = Map.copyOf(headers);
    }

    /** The names of the parameters in the path, in their order. */
    public List<String> pathParameters() {
        List<String> names = new ArrayList<>();
        Matcher matcher = PATH_PARAMETER.matcher(path);
        while (matcher.find()) {
            names.add(matcher.group(1));
        }
        return names;
    }

    /** What a parameter in the path is. */
    public Schema pathType(String name) {
        return pathTypes.getOrDefault(name, Schema.text());
    }

    /** Whether its answer, if it has one, is JSON. */
    public boolean answersJson() {
        return response.filter(body -> !List.of(PLAIN_TEXT, FILE, EVENT_STREAM).contains(body))
                .isPresent();
    }

    /** A name for the OpenAPI document: {@code get_api_jobs_id}. */
    public String id() {
        return method.name().toLowerCase(Locale.ROOT)
                + path.replaceAll("[^a-z]+", "_").replaceAll("_$", "");
    }

    @Override
    public String toString() {
        return method + " " + path;
    }

    /** A route that only reads. */
    public static Builder get(String path, String summary) {
        return new Builder(Method.GET, path, summary).scope(Scope.READ);
    }

    /** A route that changes something; everybody who may write may use it, unless another scope is set. */
    public static Builder post(String path, String summary) {
        return new Builder(Method.POST, path, summary).scope(Scope.WRITE).writes();
    }

    public static Builder put(String path, String summary) {
        return new Builder(Method.PUT, path, summary).scope(Scope.WRITE).writes();
    }

    public static Builder delete(String path, String summary) {
        return new Builder(Method.DELETE, path, summary).scope(Scope.WRITE).writes();
    }

    /** Builds a route. */
    public static final class Builder {
        private final Method method;
        private final String path;
        private final String summary;
        private final Map<String, Schema> pathTypes = new LinkedHashMap<>();
        private final List<Parameter> parameters = new ArrayList<>();
        private final List<Other> others = new ArrayList<>();
        private final Map<String, String> headers = new LinkedHashMap<>();
        private Kind kind = Kind.GUARDED;
        private @Nullable Scope scope;
        private Tenants tenants = Tenants.REFUSED;
        private boolean writes;
        private @Nullable String action;
        private List<String> auditedMembers = List.of();
        private @Nullable Schema request;
        private boolean bodyRequired;
        private boolean parsesBody;
        private boolean runsFunction;
        private int status = 200;
        private @Nullable Schema response;

        private Builder(Method method, String path, String summary) {
            this.method = method;
            this.path = path;
            this.summary = summary;
        }

        public Builder scope(Scope needed) {
            this.scope = needed;
            return this;
        }

        /** Needs no key, and is answered even if no request is admitted. */
        public Builder probe() {
            return open(Kind.PROBE);
        }

        /** Needs no key: it answers a file that holds no data of the cluster. */
        public Builder file() {
            return open(Kind.FILE).answers(FILE);
        }

        private Builder open(Kind as) {
            this.kind = as;
            this.scope = null;
            this.tenants = Tenants.CONFINED;
            return this;
        }

        public Builder tenantsConfined() {
            this.tenants = Tenants.CONFINED;
            return this;
        }

        private Builder writes() {
            this.writes = true;
            return this;
        }

        /** Although it is a POST, it changes nothing by itself. */
        public Builder mayOnlyRead() {
            this.writes = false;
            return this;
        }

        /**
         * Writes every use into the audit.
         *
         * @param members what is kept of the body: never args, or anything else that encryption hides
         */
        public Builder audited(String as, String... members) {
            this.action = as;
            this.auditedMembers = List.of(members);
            return this;
        }

        /** Says what a parameter in the path is; without a word it is a text. */
        public Builder path(String name, Schema schema) {
            pathTypes.put(name, schema);
            return this;
        }

        public Builder query(String name, Schema schema, String description) {
            parameters.add(new Parameter(name, false, schema, description));
            return this;
        }

        /** A parameter that may be given several times, each with one value. */
        public Builder queries(String name, Schema schema, String description) {
            return query(name, Schema.list(schema), description);
        }

        public Builder header(String name, String description) {
            parameters.add(new Parameter(name, true, Schema.text(), description));
            return this;
        }

        public Builder takes(Schema body) {
            this.request = body;
            this.bodyRequired = true;
            return this;
        }

        public Builder mayTake(Schema body) {
            this.request = body;
            return this;
        }

        /** The handler says itself what is wrong with a body that is not JSON. */
        public Builder parsesBody() {
            this.parsesBody = true;
            return this;
        }

        /** Runs a function of the application. */
        public Builder runsFunction() {
            runsFunction = true;
            return this;
        }

        public Builder answers(Schema body) {
            this.response = body;
            return this;
        }

        public Builder answers(int with, Schema body) {
            this.status = with;
            this.response = body;
            return this;
        }

        public Builder answersNothing() {
            this.status = 204;
            return this;
        }

        /** Another answer than the usual one, without being an error. */
        public Builder orAnswers(int with, Schema body, String when) {
            others.add(new Other(with, when, Optional.of(body)));
            return this;
        }

        /** Another answer than the usual one, which has no body. */
        public Builder orAnswers(int with, String when) {
            others.add(new Other(with, when, Optional.empty()));
            return this;
        }

        /** A header of its answers. */
        public Builder answersHeader(String name, String description) {
            headers.put(name, description);
            return this;
        }

        public Route to(Handler handler) {
            return new Route(
                    method,
                    path,
                    kind,
                    Optional.ofNullable(scope),
                    tenants,
                    writes,
                    Optional.ofNullable(action),
                    auditedMembers,
                    summary,
                    pathTypes,
                    parameters,
                    Optional.ofNullable(request),
                    bodyRequired,
                    parsesBody,
                    runsFunction,
                    status,
                    Optional.ofNullable(response),
                    others,
                    headers,
                    handler);
        }
    }
}
