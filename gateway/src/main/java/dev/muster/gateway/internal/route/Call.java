package dev.muster.gateway.internal.route;

import dev.muster.Muster;
import dev.muster.access.Caller;
import dev.muster.document.internal.Json;
import dev.muster.document.internal.JsonObjectReader;
import dev.muster.job.Requester;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A request that was authorised, as its handler sees it.
 *
 * @param muster what it works through
 * @param basePath what stands before the paths of the routes: nothing, or such as {@code /muster}
 * @param path the parameters in the path, by name
 * @param query the parameters behind the path
 * @param body the text of the body, null if there is none
 * @param bodyTree the body as {@link Json} read it
 * @param bodyProblem why the body is not JSON; null if it is. Only for routes that {@linkplain Route#parsesBody parse it themselves}
 * @param header the header of a name, in any case; null if it was not sent
 */
public record Call(
        Muster muster,
        Caller caller,
        String requestId,
        String basePath,
        Map<String, String> path,
        Map<String, List<String>> query,
        @Nullable String body,
        @Nullable Object bodyTree,
        @Nullable String bodyProblem,
        UnaryOperator<@Nullable String> header) {

    /**
     * @param what a job, function or workflow, by its name
     * @throws Refusal if the caller's key or token does not let it start what has this name
     */
    public void requireStart(String what) {
        if (!caller.mayStart(what)) {
            throw Refusal.forbidden("'" + what + "' is not among what you may start: " + caller.names());
        }
    }

    /** Who asks for a job. */
    public Requester requester() {
        return new Requester(caller.tenant(), caller.names());
    }

    /** A parameter in the path. */
    public String path(String name) {
        String value = path.get(name);
        if (value == null) {
            throw new IllegalStateException("the route has no parameter " + name);
        }
        return value;
    }

    public Optional<String> header(String name) {
        return Optional.ofNullable(header.apply(name));
    }

    /**
     * A parameter behind the path, which may be given once.
     *
     * @throws Refusal if it is given twice
     */
    public Optional<String> query(String name) {
        List<String> values = query.getOrDefault(name, List.of());
        if (values.size() > 1) {
            throw Refusal.badRequest(name + ": is given " + values.size() + " times; once is allowed");
        }
        return values.stream().findFirst();
    }

    /** A whole number behind the path. */
    public int query(String name, int otherwise, int min, int max) {
        Optional<String> text = query(name);
        if (text.isEmpty()) {
            return otherwise;
        }
        try {
            int value = Integer.parseInt(text.get());
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw notInRange(name, text.get(), min, max);
        }
        throw notInRange(name, text.get(), min, max);
    }

    private static Refusal notInRange(String name, String text, int min, int max) {
        return Refusal.badRequest(
                name + ": must be a whole number from " + min + " to " + max + ", not '" + text + "'");
    }

    /** Whether a parameter behind the path is {@code true}. */
    public boolean flag(String name) {
        Optional<String> text = query(name);
        if (text.isPresent() && !text.get().equals("true") && !text.get().equals("false")) {
            throw Refusal.badRequest(name + ": must be true or false, not '" + text.get() + "'");
        }
        return text.filter("true"::equals).isPresent();
    }

    /**
     * The fields of the body; none if there is no body.
     *
     * @throws Refusal if the body is no object
     */
    public JsonObjectReader fields() {
        if (body == null) {
            return JsonObjectReader.of(new LinkedHashMap<>());
        }
        if (!(bodyTree instanceof Map<?, ?> object)) {
            throw Refusal.badRequest("the body must be a JSON object");
        }
        return JsonObjectReader.of(object);
    }
}
