package dev.muster.gateway.rest;

import dev.muster.document.LineDocument;
import dev.muster.document.RateLimitDocument;
import dev.muster.function.CallLimit;
import dev.muster.function.FunctionInfo;
import dev.muster.gateway.route.Answer;
import dev.muster.gateway.route.Call;
import dev.muster.gateway.route.Refusal;
import dev.muster.gateway.route.Route;
import dev.muster.gateway.route.Schema;
import dev.muster.overview.RateLimitUsage;
import dev.muster.runtime.StorableText;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How far lines and rate limits are used. */
public final class LimitRoutes {
    private static final int MOST = 1_000;
    private static final Schema LINE = Schema.object("Line")
            .members("""
                    line:text kind:text name:text? key:text? max:int? rate:int? rate_ms:int? burst:int? running:int
                    running_exact:flag waiting:int waiting_exact:flag oldest:time?
                    """)
            .describe(
                    "running is how many jobs hold one of max places; max is null if only a rate limits the line; a count that is not exact is a lower bound");
    private static final Schema RATE_LIMIT = Schema.object("RateLimit")
            .members("key:text used:int permits:int? window_ms:int resets_at:time")
            .describe("permits is known for functions of the node that answers");

    public static final List<Route> ALL = List.of(
            Route.get("/_api/lines", "List the lines that jobs stand in, by name.")
                    .query("limit", Parameters.LIMIT, Parameters.LIMIT_TEXT + ", 1000 at most")
                    .query("after", Schema.text(), "only lines after this one, which is next of the page before")
                    .answers(Schemas.pageOf("lines", LINE))
                    .to(LimitRoutes::lines),
            Route.get("/_api/limits", "List the rate limits that are in use now, the most used first.")
                    .query("limit", Parameters.LIMIT, Parameters.LIMIT_TEXT + ", 1000 at most")
                    .answers(Schemas.listOf("limits", RATE_LIMIT))
                    .to(LimitRoutes::limits));

    private LimitRoutes() {}

    private static Answer lines(Call call) {
        Optional<String> after = call.query("after");
        if (after.isPresent() && !StorableText.isStorable(after.get())) {
            throw Refusal.badRequest("after: there can be no line with this name");
        }
        return Answer.of(LineDocument.write(call.muster().admin().lines(Parameters.limit(call, MOST), after)));
    }

    private static Answer limits(Call call) {
        List<FunctionInfo> functions = call.muster().functions().list();
        return Answer.of(Map.of(
                "limits",
                call.muster().admin().rateLimits(Parameters.limit(call, MOST)).stream()
                        .map(usage -> permits(functions, usage)
                                .map(known -> usage.permits(known))
                                .orElse(usage))
                        .map(RateLimitDocument::write)
                        .toList()));
    }

    private static Optional<Integer> permits(List<FunctionInfo> functions, RateLimitUsage usage) {
        return functions.stream()
                .filter(function -> function.limit()
                        .filter(limit -> limit.limit().window().equals(usage.window()))
                        .isPresent())
                .filter(function -> {
                    String[] key = usage.key().split("/", 3);
                    return key.length > 1 && key[1].equals(function.rateLimitName());
                })
                .findFirst()
                .flatMap(FunctionInfo::limit)
                .map(CallLimit::limit)
                .map(limit -> limit.permits());
    }
}
