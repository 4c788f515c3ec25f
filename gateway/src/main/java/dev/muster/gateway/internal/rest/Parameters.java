package dev.muster.gateway.internal.rest;

import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Schema;
import dev.muster.job.JobId;
import dev.muster.runtime.MusterException;
import java.util.Optional;
import java.util.function.Function;

/** Reads parameters of routes; what is wrong with one is said with its name. */
final class Parameters {
    static final Schema LIMIT = Schema.integer();
    static final String LIMIT_TEXT = "how many at most; 100 when left out";
    static final String BEFORE_TEXT = "only older ones than this, which is next of the page before";
    static final String LOCATION_TEXT = "where it can be read, relative to the address of the request";

    private Parameters() {}

    static JobId jobId(Call call) {
        return inPath(call, "id", JobId::of);
    }

    /** @throws Refusal with 400 if the text is no such thing */
    static <T> T inPath(Call call, String name, Function<String, T> parser) {
        return parsed(name, call.path(name), parser);
    }

    static <T> Optional<T> inQuery(Call call, String name, Function<String, T> parser) {
        return call.query(name).map(text -> parsed(name, text, parser));
    }

    static int limit(Call call, int most) {
        return call.query("limit", Math.min(100, most), 1, most);
    }

    static <T> T parsed(String name, String text, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (MusterException | IllegalArgumentException e) {
            throw Refusal.badRequest(name + ": " + e.getMessage());
        }
    }

    /** @param what such as {@code job} */
    static Refusal none(String what, Object id) {
        return Refusal.notFound("there is no " + what + " " + id);
    }
}
