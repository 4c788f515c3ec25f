package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.access.Scope;
import dev.muster.function.Mutation;
import dev.muster.function.MutationContext;
import dev.muster.gateway.internal.RawHttp.Raw;
import dev.muster.gateway.internal.route.Route;
import dev.muster.job.Job;
import dev.muster.testing.Seeds;
import dev.muster.testing.Sizes;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.MusterTest;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Requests that no program means: each gets a 4xx with the envelope, and nothing is written. They are stopped at the first checks; {@link
 * RequestFuzzIT} sends what comes further.
 */
@MusterTest
class FuzzIT {
    private static final int REQUESTS = Sizes.of(1_000, 10_000);
    private static final int THREADS = 4;
    private static final long SEED = 20;
    private static final String ID = "01900000-0000-7000-8000-000000000000";

    record Args(int count, String name) {}

    static final class Shop {
        @Job("greet")
        void greet(String name) {}

        @Mutation
        String order(MutationContext ctx, Args args) {
            ctx.jobs().enqueue("greet", args.name());
            return "ordered";
        }
    }

    /** Bodies that are right; each is spoilt in every way below. */
    private static final Map<String, String> GOOD = Map.ofEntries(
            Map.entry("POST /_api/jobs", "{\"name\":\"greet\",\"args\":\"Ada\",\"queue\":\"q\",\"tags\":[\"a\"]}"),
            Map.entry("POST /_api/jobs/many", "{\"jobs\":[{\"name\":\"greet\",\"args\":\"Ada\"}]}"),
            Map.entry("POST /_api/rpc/order", "{\"count\":1,\"name\":\"Ada\"}"),
            Map.entry("PUT /_api/queues/mail/limit", "{\"max_running\":2}"),
            Map.entry(
                    "POST /_api/crons",
                    "{\"name\":\"c\",\"expression\":\"0 * * * *\",\"job\":\"greet\",\"args\":\"x\"}"),
            Map.entry("POST /_api/workflows", "{\"workflow_name\":\"w\",\"input\":1}"),
            Map.entry("POST /_api/graphs", "{\"tasks\":[{\"id\":\"a\",\"name\":\"greet\",\"inputs\":\"x\"}]}"),
            Map.entry("POST /_api/batches", "{\"name\":\"b\"}"),
            Map.entry("POST /_api/keys", "{\"name\":\"k\",\"scope\":\"read\"}"),
            Map.entry("POST /_api/jobs/" + ID + "/reschedule", "{\"delay\":\"1s\"}"),
            Map.entry("POST /_api/workflows/" + ID + "/signal", "{\"event\":\"e\"}"),
            Map.entry(
                    "POST /",
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks.execute\",\"params\":{\"tasks\":[{\"id\":\"a\",\"name\":\"greet\"}]}}"));

    @Test
    void spoiltRequestsGetAnErrorAndWriteNothing(Cluster cluster) throws Exception {
        GatewayNode gateway =
                GatewayNode.start(cluster, Map.of("gateway.max_body", "64k", "gateway.read_timeout", "5m"), new Shop());
        String key = gateway.key(Scope.ADMIN);
        Map<String, Long> before = rows(cluster);
        long seed = Seeds.next(getClass(), SEED);
        List<CompletableFuture<List<String>>> senders = IntStream.range(0, THREADS)
                .mapToObj(i -> GatewayNode.later(() -> wrong(gateway, key, new Random(seed + i))))
                .toList();
        List<String> wrong = new ArrayList<>();
        for (CompletableFuture<List<String>> sender : senders) {
            wrong.addAll(GatewayNode.ended(sender));
        }
        assertThat(wrong).as("%d of %d", wrong.size(), REQUESTS).isEmpty();
        assertThat(rows(cluster)).isEqualTo(before);
        assertThat(gateway.get("/_api/queues").status()).isEqualTo(200);
    }

    /** What was not refused of a share of the requests. */
    private static List<String> wrong(GatewayNode gateway, String key, Random random) {
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < REQUESTS / THREADS; i++) {
            byte[] request = request(random, key);
            Raw answer = RawHttp.send(gateway.port(), "127.0.0.1", request);
            if (!isRefused(request, answer)) {
                wrong.add(shortened(new String(request, StandardCharsets.ISO_8859_1)) + "\n ⇒ "
                        + shortened(answer.text()));
            }
        }
        return wrong;
    }

    private static boolean isRefused(byte[] request, Raw answer) {
        String start = new String(request, 0, Math.min(10, request.length), StandardCharsets.ISO_8859_1);
        boolean jsonRpcError = start.startsWith("POST / ") && answer.body().contains("\"error\":{\"code\":-32");
        boolean envelope = answer.body().contains("\"success\":false") || start.startsWith("HEAD");
        boolean refused = answer.status() >= 400 && answer.status() < 500 && envelope;
        return (refused || jsonRpcError)
                && !answer.text().contains("Exception")
                && !answer.text().contains("\tat ");
    }

    private static String shortened(String text) {
        return text.length() > 600 ? text.substring(0, 600) + "…" : text;
    }

    private static byte[] request(Random random, String key) {
        int kind = random.nextInt(10);
        if (kind < 6) {
            List<String> routes = GOOD.keySet().stream().sorted().toList();
            String route = routes.get(random.nextInt(routes.size()));
            byte[] spoilt = spoilt(random, GOOD.get(route));
            while (Arrays.equals(spoilt, utf8(GOOD.get(route)))) {
                spoilt = spoilt(random, GOOD.get(route));
            }
            return http(route, key, "", spoilt);
        }
        return kind < 9 ? http(spoiltPath(random), key, "", new byte[0]) : spoiltHead(random, key);
    }

    private static byte[] http(String methodAndPath, String key, String headers, byte[] body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes((methodAndPath + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + key
                        + "\r\nContent-Type: application/json\r\nConnection: close\r\n" + headers + "Content-Length: "
                        + body.length + "\r\n\r\n")
                .getBytes(StandardCharsets.UTF_8));
        out.writeBytes(body);
        return out.toByteArray();
    }

    private static byte[] spoilt(Random random, String good) {
        return switch (random.nextInt(11)) {
            case 0 -> utf8(good.substring(0, 1 + random.nextInt(good.length() - 1)));
            case 1 -> utf8("[".repeat(65 + random.nextInt(5_000)));
            case 2 -> utf8("{\"a\":".repeat(70) + "1" + "}".repeat(70));
            case 3 -> utf8("{\"name\":\"" + "x".repeat(70_000) + "\"}");
            case 4 -> utf8(good.replaceFirst("\"([a-z_]+)\":\"", "\"$1\":\"\\\\u0000"));
            case 5 -> invalidUtf8(random, good);
            case 6 ->
                utf8(List.of("null", "[]", "1", "\"x\"", "true", "{}", "[[]]", "", " ")
                        .get(random.nextInt(9)));
            case 7 -> utf8(good.replaceFirst("\\{", "{\"no_such_field\":1,"));
            case 8 -> utf8(good + good);
            case 9 -> utf8(wrongTypes(random, good));
            default -> randomBytes(random);
        };
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** All texts and numbers that the route itself reads get another type. */
    private static String wrongTypes(Random random, String good) {
        String other = List.of("[1]", "{\"x\":1}", "1e999", "true").get(random.nextInt(4));
        return good.replaceAll(":\"[^\"]*\"", ":" + other).replaceAll(":[0-9]+", ":\"x\"");
    }

    private static byte[] invalidUtf8(Random random, String good) {
        byte[][] bad = {
            {(byte) 0xff}, {(byte) 0xc0, (byte) 0xaf}, {(byte) 0xed, (byte) 0xa0, (byte) 0x80}, {(byte) 0xf8}
        };
        int at = good.indexOf("\":\"");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(utf8(good.substring(0, Math.max(2, at + 3))));
        out.writeBytes(bad[random.nextInt(bad.length)]);
        out.writeBytes(utf8(good.substring(Math.max(2, at + 3))));
        return out.toByteArray();
    }

    private static byte[] randomBytes(Random random) {
        byte[] bytes = new byte[1 + random.nextInt(2_000)];
        random.nextBytes(bytes);
        // So that it cannot be JSON by chance.
        bytes[0] = '}';
        return bytes;
    }

    private static String spoiltPath(Random random) {
        List<Route> routes = Routes.all().stream()
                .filter(route -> !route.pathParameters().isEmpty())
                .toList();
        Route route = routes.get(random.nextInt(routes.size()));
        String bad = List.of(
                        "%00",
                        "%ff%fe",
                        "..%2f..%2fetc%2fpasswd",
                        "'%20OR%201=1--",
                        "%F0%9F%92%A5",
                        "x".repeat(3_000),
                        "%22%3E%3Cscript%3E",
                        "-1",
                        "%0d%0aSet-Cookie:x",
                        "A".repeat(200),
                        "%zz",
                        "%",
                        "%25%30%30",
                        "{id}",
                        "*")
                .get(random.nextInt(15));
        String path =
                route.path().replaceAll("\\{[a-z_]+}", bad.replace("\\", "\\\\").replace("$", "\\$"));
        return switch (random.nextInt(4)) {
            case 0 -> route.method() + " " + path;
            case 1 -> route.method() + " " + path + "?no_such_parameter=1";
            case 2 ->
                List.of("PATCH", "TRACE", "HEAD", "get", "FOO").get(random.nextInt(5)) + " /_api/nowhere/"
                        + bad.replace("{", "%7B");
            default ->
                "GET /_api/jobs?"
                        + List.of(
                                        "limit=0",
                                        "limit=x",
                                        "limit=99999999999",
                                        "status=nope",
                                        "before=nope",
                                        "id=%00",
                                        "name=%zz",
                                        "limit=1&limit=2",
                                        "metadata.=x",
                                        "queue=%ff",
                                        "nope=1",
                                        "tag=%00",
                                        "batch=x")
                                .get(random.nextInt(13));
        };
    }

    private static byte[] spoiltHead(Random random, String key) {
        byte[] body = utf8(GOOD.get("POST /_api/jobs"));
        String auth = "Authorization: Bearer " + key + "\r\n";
        String json = "Content-Type: application/json\r\nConnection: close\r\n";
        String text = new String(body, StandardCharsets.UTF_8);
        return switch (random.nextInt(12)) {
            case 0 ->
                utf8("POST /_api/jobs HTTP/1.1\r\nHost: x\r\n" + auth + json + "Content-Length: 5\r\nContent-Length: "
                        + body.length + "\r\n\r\n" + text);
            case 1 ->
                utf8("POST /_api/jobs HTTP/1.1\r\nHost: x\r\n" + auth + json + "Content-Length: -1\r\n\r\n" + text);
            case 2 ->
                utf8("POST /_api/jobs HTTP/1.1\r\nHost: x\r\n" + auth + json
                        + "Transfer-Encoding: chunked\r\nContent-Length: " + body.length + "\r\n\r\n" + text);
            case 3 ->
                utf8("POST /_api/jobs HTTP/1.1\r\nHost: x\r\n" + auth + json
                        + "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + text);
            case 4 ->
                utf8("POST /_api/jobs HTTP/1.1\r\n" + auth + json + "Content-Length: " + body.length + "\r\n\r\n"
                        + text);
            case 5 ->
                utf8("POST /_api/jobs HTTP/1.1\r\nHost: x\r\nX-Big: " + "y".repeat(40_000) + "\r\n" + auth + json
                        + "Content-Length: " + body.length + "\r\n\r\n" + text);
            case 6 ->
                utf8("POST /_api/jobs HTTP/1.1\r\nHost: x\r\nX\u0000Y: 1\r\n" + auth + json + "Content-Length: "
                        + body.length + "\r\n\r\n" + text);
            case 7 ->
                utf8("POST /_api/jobs HTTP/1.1\r\nHost: x\r\n" + auth + "X-API-Key: " + key + "\r\n" + json
                        + "Content-Length: " + body.length + "\r\n\r\n" + text);
            case 8 -> http("POST /_api/jobs", key, "Idempotency-Key: " + "k".repeat(2_000) + "\r\n", body);
            case 9 ->
                utf8("POST /_api/jobs HTTP/1.1\r\nHost: x\r\n" + auth
                        + "Content-Type: text/plain\r\nConnection: close\r\nContent-Length: " + body.length + "\r\n\r\n"
                        + text);
            case 10 -> utf8("NONSENSE\r\n\r\n");
            default ->
                utf8("POST /_api/jobs HTTP/1.1\r\nHost: x\r\n" + auth + json + "Content-Length: 10000\r\n\r\n" + text);
        };
    }

    /** How many rows each table has. */
    private static Map<String, Long> rows(Cluster cluster) throws SQLException {
        Map<String, Long> rows = new TreeMap<>();
        try (Connection connection = cluster.database().dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            List<String> tables = new ArrayList<>();
            try (ResultSet names = statement.executeQuery(
                    "SELECT tablename FROM pg_tables WHERE tablename LIKE 'muster\\_%' AND schemaname = current_schema()")) {
                while (names.next()) {
                    tables.add(names.getString(1));
                }
            }
            for (String table : tables) {
                // The metrics of each minute, and the audit of refused actions, grow by themselves.
                if (!table.contains("metrics") && !table.equals("muster_audit")) {
                    try (ResultSet count = statement.executeQuery("SELECT count(*) FROM " + table)) {
                        count.next();
                        rows.put(table, count.getLong(1));
                    }
                }
            }
        }
        assertThat(rows).containsKeys("muster_jobs", "muster_queues", "muster_crons", "muster_graphs");
        return rows;
    }
}
