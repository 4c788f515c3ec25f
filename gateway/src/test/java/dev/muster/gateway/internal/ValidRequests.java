package dev.muster.gateway.internal;

import dev.muster.gateway.internal.route.Route;
import dev.muster.gateway.internal.route.Schema;
import dev.muster.job.JobId;
import dev.muster.job.RawJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Makes requests that are right, from the parameters and schemas of the routes. What has a meaning has a value that means something. */
final class ValidRequests {
    static final List<String> JOBS = List.of("greet", "fail", "line");
    private static final List<String> QUEUES = List.of("default", "mail", "slow");
    private static final List<String> FUNCTIONS = List.of("hello", "order", "explode", "refuse");

    private final Random random;
    private final Things things;

    ValidRequests(Random random, Things things) {
        this.random = random;
        this.things = things;
    }

    /** The parameters in the path, by their names. */
    Map<String, String> path(Route route) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String name : route.pathParameters()) {
            values.put(name, pathValue(route, name));
        }
        return values;
    }

    private String pathValue(Route route, String name) {
        String group = route.path().split("/")[2];
        return switch (name) {
            // A node that drains would end the test.
            case "id" -> route.path().endsWith("/drain") ? "nobody" : things.any(random, group);
            case "name" ->
                switch (group) {
                    case "queues" -> pick(QUEUES);
                    case "workflows" -> "checkout";
                    case "daemons" -> "watch";
                    default -> things.any(random, group);
                };
            case "version" -> "v1";
            case "task" -> pick(List.of("t0", "t1", "t2"));
            case "function" -> pick(FUNCTIONS);
            case "path" -> pick(List.of("style.css", "app.js", "screens/jobs.js"));
            default -> throw new IllegalArgumentException(route + " has a parameter that this does not know: " + name);
        };
    }

    /** Some of the parameters behind the path, each with one value or several. */
    List<Map.Entry<String, String>> query(Route route) {
        List<Map.Entry<String, String>> values = new ArrayList<>();
        // Without a position that is too old the stream would not end.
        if (route.response().filter(Route.EVENT_STREAM::equals).isPresent()) {
            return List.of(Map.entry("last_event_id", "1-" + Things.NOBODY));
        }
        boolean selects = route.path().matches("/_api/jobs/(cancel|retry)");
        for (Route.Parameter parameter : route.parameters()) {
            boolean needed = selects && parameter.name().equals("tag");
            if (parameter.header() || !needed && random.nextInt(6) > 0) {
                continue;
            }
            String name = parameter.name().replace("*", pick(List.of("customer", "region")));
            Optional<Schema> items = parameter.schema().items();
            int count = items.isEmpty() ? 1 : 1 + random.nextInt(2);
            for (int i = 0; i < count; i++) {
                values.add(Map.entry(name, queryValue(route, parameter.name(), items.orElse(parameter.schema()))));
            }
        }
        return values;
    }

    private String queryValue(Route route, String name, Schema schema) {
        String group = route.path().split("/")[2];
        return switch (name) {
            case "id", "job" -> things.any(random, "jobs");
            case "run" -> things.any(random, "workflows");
            case "batch" -> things.any(random, "batches");
            case "before" -> group.equals("audit") ? "1000000" : things.any(random, group);
            case "name" -> group.equals("jobs") ? pick(JOBS) : pick(List.of("etl", "import"));
            case "queue" -> pick(QUEUES);
            case "metadata" -> "customer=" + random.nextInt(5);
            case "since" -> pick(List.of("1m", "1h", "1d"));
            case "with_dependents" -> String.valueOf(random.nextBoolean());
            default -> String.valueOf(value(name, schema)).replaceAll("^\"|\"$", "");
        };
    }

    /** The body; empty for none. */
    Optional<Object> body(Route route, Map<String, String> path) {
        if (route.request().isEmpty() || !route.bodyRequired() && random.nextInt(3) == 0) {
            return Optional.empty();
        }
        String function = path.get("function");
        if (function != null) {
            return switch (function) {
                case "order" -> Optional.of(object("count", random.nextInt(9), "name", "Ada"));
                default -> Optional.empty();
            };
        }
        if (route.path().equals("/")) {
            return Optional.of(random.nextInt(4) > 0 ? call() : List.of(call(), call()));
        }
        if (route.path().endsWith("/reschedule")) {
            return Optional.of(random.nextBoolean() ? object("delay", "5m") : object("at", "2024-06-01T00:00:00Z"));
        }
        if (route.path().startsWith("/_api/crons/{name}")) {
            Map<String, @Nullable Object> spec = object(route.request().get());
            spec.put("name", path.get("name"));
            return Optional.of(spec);
        }
        return Optional.of(object(route.request().get()));
    }

    private Map<String, @Nullable Object> call() {
        String method = pick(List.of("methods", "list", "get", "tree", "execute", "cancel"));
        Map<String, @Nullable Object> call = object("jsonrpc", "2.0", "method", "tasks." + method);
        if (random.nextInt(8) > 0) {
            call.put("id", random.nextInt(100));
        }
        switch (method) {
            case "list" -> call.put("params", object("limit", 5));
            case "execute" -> call.put("params", object("name", "etl", "tasks", tasks()));
            case "get", "tree", "cancel" -> call.put("params", object("task_id", things.any(random, "graphs")));
            default -> {}
        }
        return call;
    }

    /** All members that an object needs, and some of the others. */
    private Map<String, @Nullable Object> object(Schema schema) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        String of = schema.name().orElse("");
        schema.properties().forEach((name, member) -> {
            if (!schema.optional().contains(name) || random.nextInt(10) == 0) {
                object.put(name, member(of, name, member));
            }
        });
        exclude(object, "delay", "at");
        exclude(object, "expires_in", "expires_at");
        exclude(object, "fifo", "fair_key", "concurrency_key");
        exclude(object, "max_running", "rate");
        if (of.equals("QueueLimit")) {
            object.putIfAbsent("max_running", 5);
            object.remove("burst");
        }
        if (of.equals("BatchRequest")) {
            exclude(object, "condition", "success_rate", "decided_by");
        }
        return object;
    }

    /** Keeps the first of these members. */
    private static void exclude(Map<String, @Nullable Object> object, String... names) {
        boolean found = false;
        for (String name : names) {
            if (found) {
                object.remove(name);
            }
            found |= object.containsKey(name);
        }
    }

    private @Nullable Object member(String of, String name, Schema schema) {
        if (of.equals("GraphRequest") && name.equals("tasks")) {
            return tasks();
        }
        return switch (of + "." + name) {
            case "JobRequest.name", "CronSpec.job" -> pick(JOBS);
            case "CronSpec.name" -> "cron-" + random.nextInt(20);
            case "CronSpec.overlap" -> "skip";
            case "CronSpec.misfire" -> "skip";
            case "KeyRequest.scope" -> "read";
            case "BatchRequest.condition" -> pick(List.of("all", "any"));
            case "JobRequest.depends_on", "JobRequest.depends_on_any_outcome" -> List.of(things.any(random, "jobs"));
            case "JobRequest.batch" -> things.any(random, "batches");
            case "JobOptions.timeout", "JobRequest.timeout" -> "30s";
            default -> value(name, schema);
        };
    }

    private List<Map<String, @Nullable Object>> tasks() {
        List<Map<String, @Nullable Object>> tasks = new ArrayList<>();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            Map<String, @Nullable Object> task = object("id", "t" + i, "name", pick(JOBS), "inputs", anything(2));
            if (i > 0) {
                task.put("depends_on", List.of("t" + random.nextInt(i)));
            }
            tasks.add(task);
        }
        return tasks;
    }

    /** A value of this shape; the name may say what it should be. */
    private @Nullable Object value(String name, Schema schema) {
        if (!schema.values().isEmpty()) {
            return pick(schema.values());
        }
        if (schema.items().isPresent()) {
            List<@Nullable Object> items = new ArrayList<>();
            int count = 1 + random.nextInt(2);
            for (int i = 0; i < count; i++) {
                items.add(
                        schema.items().get().properties().isEmpty()
                                ? value(name, schema.items().get())
                                : object(schema.items().get()));
            }
            return items;
        }
        if (schema.others().isPresent()) {
            return object("customer", String.valueOf(random.nextInt(5)), "region", "eu");
        }
        if (!schema.properties().isEmpty()) {
            return object(schema);
        }
        if (schema.type().isEmpty()) {
            return name.equals("priority") ? pick(List.of("high", "normal", "low")) : anything(3);
        }
        return switch (schema.type().get(0)) {
            case "integer" -> 1 + random.nextInt(9);
            case "number" -> new RawJson("0." + (1 + random.nextInt(9)));
            case "boolean" -> random.nextBoolean();
            default -> text(name, schema);
        };
    }

    private String text(String name, Schema schema) {
        if (schema.format().filter("uuid"::equals).isPresent()) {
            return name.equals("id") ? JobId.next().toString() : things.any(random, "jobs");
        }
        if (schema.format().filter("date-time"::equals).isPresent()) {
            return "2024-06-0" + (1 + random.nextInt(9)) + "T00:00:00Z";
        }
        if (schema.description().equals(Schema.duration().description())) {
            return pick(List.of("1s", "90s", "5m", "2h"));
        }
        return switch (name) {
            case "queue" -> pick(QUEUES);
            case "workflow_name" -> "checkout";
            case "workflow_version" -> "v1";
            case "expression" -> pick(List.of("*/5 * * * *", "0 3 * * *", "0 0 1 1 *"));
            case "zone" -> pick(List.of("UTC", "Europe/Berlin"));
            case "rate" -> "100/1m";
            case "key" -> "key-" + random.nextInt(30);
            case "event" -> "paid";
            case "priority" -> "high";
            case "trace" -> "00-" + UUID.randomUUID().toString().replace("-", "") + "-00f067aa0ba902b7-01";
            case "tenant" -> "acme";
            default -> name + "-" + random.nextInt(10);
        };
    }

    /** Any JSON value with this many levels. */
    @Nullable
    Object anything(int levels) {
        return switch (random.nextInt(levels > 0 ? 8 : 5)) {
            case 0 -> random.nextInt(1_000);
            case 1 -> random.nextBoolean();
            case 2 -> new RawJson(random.nextInt(100) + "." + random.nextInt(100));
            case 3 -> pick(List.of("Ada", "Grüße", "", "日本", "a\"b\\c"));
            case 4 -> "x".repeat(random.nextInt(200));
            case 5 -> List.of(Optional.ofNullable(anything(levels - 1)).orElse("one"), "two");
            default -> object("name", anything(levels - 1), "n", random.nextInt(10));
        };
    }

    private <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    private static Map<String, @Nullable Object> object(Object... namesAndValues) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
        }
        return object;
    }
}
