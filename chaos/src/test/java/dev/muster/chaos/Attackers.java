package dev.muster.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The program of those who want to do harm to a gateway. Arguments are {@code key=value}: the port, the keys, and what they know of. Understands
 * {@code begin NAME,NAME} and {@code end} on standard input, and then says what the gateway has answered to each attack.
 */
final class Attackers {
    static final String BEGUN = "BEGUN";
    static final String ENDED = "ENDED ";
    static final String SLOW_HEADS = "heads sent slowly";

    /** More than a gateway handles at the same time. */
    private static final int MANY = 150;

    /** More than a gateway keeps. */
    private static final int VERY_MANY = 2_500;

    private final int port;
    private final int concurrency;
    private final int length;
    private final int items;
    private final Map<String, String> known;
    private final Map<String, Attack> attacks = new LinkedHashMap<>();

    /** Does harm until it is over. */
    private interface Attack {
        void run(AtomicBoolean over, Map<String, AtomicLong> answers);
    }

    private Attackers(Map<String, String> known) {
        this.known = known;
        this.port = Integer.parseInt(known.get("port"));
        this.concurrency = Integer.parseInt(known.get("concurrency"));
        this.length = Integer.parseInt(known.get("length"));
        this.items = Integer.parseInt(known.get("items"));
        compare();
        read();
        trickle();
        lookUp();
    }

    /** The names of all attacks, without a program that does them. */
    static List<String> names() {
        return List.copyOf(
                new Attackers(Map.of("port", "0", "concurrency", "1", "length", "1", "items", "1")).attacks.keySet());
    }

    /** What is compared with each known name, or with each other text of the same request. */
    private void compare() {
        String longName = "{\"" + "a".repeat(length) + "\":1}";
        attacks.put("a long member", post("tenant", "/_api/jobs", longName));
        String longParent =
                "{\"tasks\":[{\"id\":\"first\",\"name\":\"greet\",\"depends_on\":[\"" + "b".repeat(length / 3)
                        + "\"]},"
                        + IntStream.range(0, items - 1)
                                .mapToObj(i -> "{\"id\":\"a-task-of-the-import-" + i + "\",\"name\":\"greet\"}")
                                .collect(Collectors.joining(","))
                        + "]}";
        attacks.put("a long dependency", post("writer", "/_api/graphs", longParent));
    }

    /** Answers that are as large as they may be. */
    private void read() {
        attacks.put("large pages", request("GET", "reader", "/_api/workflows?limit=1000", null));
        String tree = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks.tree\",\"params\":{\"task_id\":\""
                + known.get("graph") + "\"}}";
        attacks.put("many trees", post("reader", "/", "[" + String.join(",", Collections.nCopies(100, tree)) + "]"));
    }

    /** Those who take their time. */
    private void trickle() {
        String file = "GET /assets/style.css HTTP/1.1\r\nHost: x\r\n\r\n".repeat(200);
        attacks.put("files read slowly", new SlowClients(port, MANY, file, "", 256)::run);
        String page = "GET /_api/workflows?limit=1 HTTP/1.1\r\nHost: x\r\n" + auth("reader") + "\r\n";
        attacks.put("pages read slowly", new SlowClients(port, MANY, page.repeat(20), "", 256)::run);
        String head = "GET /_api/me HTTP/1.1\r\nHost: x\r\nX-Slow: ";
        attacks.put(SLOW_HEADS, new SlowClients(port, VERY_MANY, head, "a", 0)::run);
        String body = "POST /_api/jobs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
                + length + "\r\n" + auth("tenant") + "\r\n{";
        attacks.put("bodies sent slowly", new SlowClients(port, MANY, body, " ", 0)::run);
    }

    /** Requests for which much has to be looked up. */
    private void lookUp() {
        String child = "{\"name\":\"a\",\"depends_on\":[\"" + known.get("parent") + "\"]}";
        attacks.put(
                "many parents",
                post(
                        "tenant",
                        "/_api/jobs/many",
                        "{\"jobs\":[" + String.join(",", Collections.nCopies(items, child)) + "]}"));
        attacks.put("lists", request("GET", "tenant", "/_api/jobs?limit=1000", null));
        attacks.put("counts", request("GET", "tenant", "/_api/jobs/counts", null));
    }

    private String auth(String key) {
        return "Authorization: Bearer " + known.get(key) + "\r\n";
    }

    private Attack post(String key, String path, String body) {
        return request("POST", key, path, body);
    }

    private Attack request(String method, String key, String path, String body) {
        byte[] request = HttpBytes.request(method, path, known.get(key), body);
        return (over, answers) -> {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < concurrency; i++) {
                threads.add(new Thread(() -> repeat(request, over, answers)));
            }
            threads.forEach(Thread::start);
            threads.forEach(Attackers::join);
        };
    }

    private void repeat(byte[] request, AtomicBoolean over, Map<String, AtomicLong> answers) {
        while (!over.get()) {
            try (HttpBytes connection = HttpBytes.to(port)) {
                while (!over.get() && !connection.isClosing()) {
                    count(answers, String.valueOf(connection.send(request)));
                }
            } catch (IOException e) {
                count(answers, "cut");
            }
        }
    }

    static void count(Map<String, AtomicLong> answers, String what) {
        answers.computeIfAbsent(what, any -> new AtomicLong()).incrementAndGet();
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] arguments) throws IOException {
        Map<String, String> known = Arrays.stream(arguments)
                .map(argument -> argument.split("=", 2))
                .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]));
        Attackers attackers = new Attackers(known);
        System.out.println(NodeProcess.READY);
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
        String order;
        AtomicBoolean over = new AtomicBoolean();
        Map<String, Map<String, AtomicLong>> answers = new TreeMap<>();
        List<Thread> threads = new ArrayList<>();
        while ((order = orders.readLine()) != null) {
            if (order.startsWith("begin ")) {
                over.set(false);
                answers.clear();
                threads.clear();
                for (String name : order.substring("begin ".length()).split(",")) {
                    Map<String, AtomicLong> own = new ConcurrentHashMap<>();
                    answers.put(name, own);
                    Attack attack = attackers.attacks.get(name);
                    threads.add(new Thread(() -> attack.run(over, own), name));
                }
                threads.forEach(Thread::start);
                System.out.println(BEGUN);
            } else if (order.equals("end")) {
                over.set(true);
                threads.forEach(Attackers::join);
                System.out.println(ENDED + answers);
            }
        }
        Runtime.getRuntime().halt(3);
    }
}
