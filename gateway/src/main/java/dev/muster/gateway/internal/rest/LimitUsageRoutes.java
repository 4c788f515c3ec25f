package dev.muster.gateway.internal.rest;

import dev.muster.document.internal.ConcurrencyGroupDocument;
import dev.muster.document.internal.RateLimitDocument;
import dev.muster.function.CallLimit;
import dev.muster.function.FunctionInfo;
import dev.muster.gateway.internal.route.Answer;
import dev.muster.gateway.internal.route.Call;
import dev.muster.gateway.internal.route.Refusal;
import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Schema;
import dev.muster.internal.runtime.StorableText;
import dev.muster.overview.RateLimitUsage;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How far groups and rate limits are used. */
public final class LimitUsageRoutes {
    private static final int MOST = 1_000;
    private static final Schema CONCURRENCY_GROUP = Schema.object("ConcurrencyGroup")
            .members("""
                    group:text kind:text name:text? key:text? max:int? rate:int? rate_ms:int? burst:int? running:int
                    running_exact:flag waiting:int waiting_exact:flag oldest:time?
                    """)
            .describe(
                    "running is how many jobs hold one of max places; max is null if only a rate limits the group; a count that is not exact is a lower bound");
    private static final Schema RATE_LIMIT = Schema.object("RateLimit")
            .members("key:text used:int permits:int? window_ms:int resets_at:time")
            .describe("permits is known for functions of the node that answers");

    public static final List<Route> ALL = List.of(
            Route.get("/_api/concurrency_groups", "List the concurrency groups that have jobs, by name.")
                    .query("limit", Parameters.LIMIT, Parameters.LIMIT_TEXT + ", 1000 at most")
                    .query("after", Schema.text(), "only groups after this one, which is next of the page before")
                    .answers(Schemas.pageOf("concurrency_groups", CONCURRENCY_GROUP))
                    .to(LimitUsageRoutes::concurrencyGroups),
            Route.get("/_api/rate_limits", "List the rate limits that are in use now, the most used first.")
                    .query("limit", Parameters.LIMIT, Parameters.LIMIT_TEXT + ", 1000 at most")
                    .answers(Schemas.listOf("rate_limits", RATE_LIMIT))
                    .to(LimitUsageRoutes::rateLimits));

    private LimitUsageRoutes() {}

    private static Answer concurrencyGroups(Call call) {
        Optional<String> after = call.query("after");
        if (after.isPresent() && !StorableText.isStorable(after.get())) {
            throw Refusal.badRequest("after: there can be no group with this name");
        }
        return Answer.of(ConcurrencyGroupDocument.write(
                call.muster().admin().concurrencyGroups(Parameters.limit(call, MOST), after)));
    }

    private static Answer rateLimits(Call call) {
        List<FunctionInfo> functions = call.muster().functions().list();
        return Answer.of(Map.of(
                "rate_limits",
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
