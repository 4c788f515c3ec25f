package dev.muster.bench;

import dev.muster.Muster;
import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.bench.Metric.Unit;
import dev.muster.bench.contender.Contender;
import dev.muster.config.MusterConfig;
import dev.muster.function.Query;
import dev.muster.json.jackson3.Jackson3Codec;
import dev.muster.runtime.JsonCodec;
import io.javalin.Javalin;
import io.javalin.http.Context;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the gateway costs: a query that adds two numbers, called through the gateway with an API key, and the same handler behind bare
 * Javalin, which reads the same body and writes the same JSON. Both servers are in this JVM and take turns.
 */
final class GatewayScenario implements SelfPacedScenario {
    private static final Metric GATEWAY = Metric.of("gateway_requests", Unit.REQUESTS_PER_SECOND);
    private static final Metric JAVALIN = Metric.of("javalin_requests", Unit.REQUESTS_PER_SECOND);

    private static final int CONNECTIONS = 8;
    private static final String PATH = "/_api/rpc/add";
    private static final String BODY = "{\"left\":20,\"right\":22}";
    private static final String EXPECTED = "\"data\":{\"sum\":42}";

    /** What the query takes. */
    record Numbers(int left, int right) {}

    /** What the query returns. */
    record Sum(int sum) {}

    /** What the gateway answers, for the server without a gateway. */
    record Envelope(
            boolean success,
            @Nullable Object data,
            @Nullable Object error,
            String requestId) {}

    /** The function that is called. */
    static final class Adder {
        @Query
        Sum add(Numbers numbers) {
            return new Sum(numbers.left() + numbers.right());
        }
    }

    @Override
    public String name() {
        return "gateway";
    }

    @Override
    public List<Comparison> comparisons() {
        return List.of(new Comparison("gateway_vs_javalin", GATEWAY, JAVALIN));
    }

    @Override
    public Figures measure(Stage stage, Contender contender) throws Exception {
        Adder adder = new Adder();
        Javalin bare = bare(adder);
        try (Scratch database = stage.database();
                Muster node = Muster.builder()
                        .config(MusterConfig.defaults())
                        .database(database.url())
                        .set("gateway.port", "0")
                        .register(adder)
                        .build()) {
            node.start();
            String key =
                    node.apiKeys().create(KeyRequest.of("bench", Scope.READ)).key();
            return measure(stage, calls(node.ports().get(0), key), calls(bare.port(), key));
        } finally {
            bare.stop();
        }
    }

    private static Figures measure(Stage stage, HttpLoad gateway, HttpLoad javalin) throws Exception {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < stage.plan().warmUp().toNanos()) {
            stage.say("warming up");
            measureBoth(stage.plan().window(), new Figures(), gateway, javalin, true);
        }
        Figures figures = new Figures();
        for (int round = 0; round < stage.plan().rounds(); round++) {
            stage.say("round " + (round + 1));
            measureBoth(stage.plan().window(), figures, gateway, javalin, round % 2 == 0);
        }
        return figures;
    }

    /** The order changes with the rounds, so that a machine that gets slower or faster favours neither. */
    private static void measureBoth(
            Duration window, Figures figures, HttpLoad gateway, HttpLoad javalin, boolean gatewayFirst)
            throws Exception {
        if (gatewayFirst) {
            figures.add(GATEWAY, gateway.perSecond(window));
        }
        figures.add(JAVALIN, javalin.perSecond(window));
        if (!gatewayFirst) {
            figures.add(GATEWAY, gateway.perSecond(window));
        }
    }

    private static HttpLoad calls(int port, String key) {
        return new HttpLoad(port, CONNECTIONS, PATH, key, BODY, EXPECTED);
    }

    private static Javalin bare(Adder adder) {
        JsonCodec json = new Jackson3Codec();
        return Javalin.create(javalin -> {
                    javalin.startup.showJavalinBanner = false;
                    javalin.startup.showOldJavalinVersionWarning = false;
                    javalin.routes.post(PATH, context -> answer(context, json, adder));
                })
                .start("127.0.0.1", 0);
    }

    private static void answer(Context context, JsonCodec json, Adder adder) {
        Numbers numbers = (Numbers) json.read(context.body(), Numbers.class);
        context.contentType("application/json");
        context.result(json.write(new Envelope(true, adder.add(numbers), null, "req_0123456789abcdef01234567")));
    }
}
