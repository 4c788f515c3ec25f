package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.access.KeyRequest;
import dev.muster.access.Scope;
import dev.muster.chaos.Canary.Look;
import dev.muster.graph.GraphRequest;
import dev.muster.graph.TaskRequest;
import dev.muster.job.JobRequest;
import dev.muster.testing.LongTest;
import dev.muster.testing.Measured;
import dev.muster.workflow.RunRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node with the settings that everybody gets and little memory, attackers in a process of their own, and somebody who only wants to be served. The
 * attackers have less priority on the processors than the others: theirs are elsewhere.
 */
class AttackedGatewayIT extends ChaosIT {
    private static final Logger log = LoggerFactory.getLogger(AttackedGatewayIT.class);

    private static final String MEMORY = "-Xmx256m";
    private static final Map<String, String> SETTINGS =
            Map.of("app", AttackedShop.class.getName(), "node.roles", "gateway,worker", "gateway.port", "0");
    private static final Force FULL = new Force(100_000, 30, 900_000, 10_000, 64);
    private static final Force SMALL = new Force(1_000, 3, 300_000, 200, 4);

    /** Of the places for requests, one caller gets three quarters. */
    private static final int PLACES_OF_ONE_CALLER = 96;

    /** How often the others ask meanwhile. */
    private static final int REQUESTS = 30;

    private static final String QUIET = "quiet";

    /** Twelve attacks at the same time on the processors of one machine may take twice as long. */
    private static final String ALL = "all at once";

    private static final String READY = "ready";

    private static final List<String> ATTACKS =
            List.of(System.getProperty("muster.test.attacks", String.join(",", Attackers.names()))
                    .split(","));

    /** {@code -Dmuster.test.phase=5} has a first look. */
    private static final Duration PHASE = Duration.ofSeconds(Integer.getInteger("muster.test.phase", 20));

    private static final Duration SERVED_WITHIN = Duration.ofSeconds(1);

    /** On a machine that is busy with something else, an attack may make answers so much slower. */
    private static final int TIMES_THE_QUIET_ONE = 10;

    /** What a node may keep of all attacks, and how much a node may have besides its heap. */
    private static final long MOST_KEPT = 32L << 20;

    private static final long MOST_RSS = (256L + 450L) << 20;

    private NodeProcess node;
    private NodeProcess attackers;
    private Canary canary;
    private final List<String> table = new ArrayList<>();

    /**
     * How strong the attacks are.
     *
     * @param jobs how many jobs others have
     * @param runs how many runs there are
     * @param length how long texts are that may be long
     * @param items how many items there are where there may be many
     * @param concurrency how many of the same requests are sent at the same time
     */
    private record Force(int jobs, int runs, int length, int items, int concurrency) {}

    @AfterEach
    void closeAttackers() {
        if (attackers != null) {
            attackers.close();
        }
    }

    private void prepare(Force force) throws IOException {
        node.awaitReady();
        String answer = node.ask("port", line -> line.startsWith("PORT "), SOON);
        int port = Integer.parseInt(answer.substring("PORT ".length()));
        fill(force);
        Map<String, String> known = new TreeMap<>();
        known.put("port", String.valueOf(port));
        known.put("concurrency", String.valueOf(force.concurrency()));
        known.put("length", String.valueOf(force.length()));
        known.put("items", String.valueOf(force.items()));
        known.put("reader", key(KeyRequest.of("reader", Scope.READ)));
        known.put("writer", key(KeyRequest.of("writer", Scope.WRITE)));
        known.put("tenant", key(KeyRequest.of("tenant", Scope.WRITE).tenant("t")));
        known.put("parent", waiting());
        known.put("graph", graph(force.items()));
        canary = new Canary(port, key(KeyRequest.of("canary", Scope.WRITE)));
        attackers = NodeProcess.launch(
                        List.of("nice", "-n", "19"),
                        Attackers.class,
                        List.of("-Xmx1g"),
                        known.entrySet().stream()
                                .map(e -> e.getKey() + "=" + e.getValue())
                                .toList())
                .awaitReady();
    }

    private String key(KeyRequest request) {
        return client.apiKeys().create(request).key();
    }

    private String waiting() {
        return client.jobs()
                .enqueue(JobRequest.of("greet").metadata("tenant", "t").delay(Duration.ofDays(1)))
                .toString();
    }

    private String graph(int items) {
        List<TaskRequest> tasks = new ArrayList<>();
        tasks.add(TaskRequest.of("first", "greet").queue("held"));
        IntStream.range(1, items)
                .forEach(i -> tasks.add(TaskRequest.of("task-" + i, "greet").dependsOn("first")));
        return client.graphs().submit(GraphRequest.of(tasks)).toString();
    }

    private void fill(Force force) {
        client.queues().pause("held");
        database.execute(
                "INSERT INTO muster_jobs (id, ready_at, run_at, created_at, rank, priority, status, name, queue, args,"
                        + " metadata) SELECT gen_random_uuid(), t + interval '1 day', t + interval '1 day', t, 50, 50, 'pending',"
                        + " 'later', 'mail', '{}', '{\"tenant\": \"other\"}' FROM generate_series(1, " + force.jobs()
                        + "), LATERAL (SELECT muster_clock() AS t) s");
        String input = "x".repeat(force.length());
        IntStream.range(0, force.runs()).forEach(i -> client.workflows().start(RunRequest.of("order", input)));
    }

    /** What the others got in one phase. */
    private void phase(String name, List<String> attacks, Duration period) throws Exception {
        String answers = "";
        if (!attacks.isEmpty()) {
            attackers.ask("begin " + String.join(",", attacks), Attackers.BEGUN::equals, SOON);
        }
        List<Look> looks = canary.lookFor(period);
        long rss = rss();
        if (!attacks.isEmpty()) {
            log.info("ending {}", name);
            answers = attackers.ask("end", line -> line.startsWith(Attackers.ENDED), Duration.ofMinutes(5));
        }
        for (String what : List.of("list", "enqueue", READY)) {
            table.add(row(name, what, looks, rss));
        }
        log.info("{}: {}", name, answers);
        table.subList(table.size() - 3, table.size()).forEach(System.out::println);
        check(name, looks);
    }

    private final List<String> broken = new ArrayList<>();
    private final Map<String, Duration> slowestOf = new LinkedHashMap<>();

    /** By request: a second, or more on a machine that is busy without any attack. */
    private final Map<String, Duration> limits = new TreeMap<>();

    private static List<Duration> times(List<Look> looks, String what) {
        // Who is refused has not been served.
        return looks.stream()
                .filter(look -> look.what().equals(what))
                .map(look -> look.isGood() ? look.took() : look.took().plus(Canary.DEADLINE))
                .sorted()
                .toList();
    }

    private static Duration percentile(List<Duration> sorted, int percent) {
        return sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
    }

    private static String row(String name, String what, List<Look> looks, long rss) {
        List<Duration> times = times(looks, what);
        Map<Integer, Long> refusals = looks.stream()
                .filter(look -> look.what().equals(what) && !look.isGood())
                .collect(Collectors.groupingBy(Look::status, TreeMap::new, Collectors.counting()));
        return String.format(
                "| %-20s | %-7s | %5d | %6d | %6d | %6d | %-14s | %4d |",
                name,
                what,
                times.size(),
                percentile(times, 50).toMillis(),
                percentile(times, 99).toMillis(),
                times.get(times.size() - 1).toMillis(),
                refusals,
                rss >> 20);
    }

    /** What holds on any machine: others are served, nothing breaks, and the gateway is ready as long as it serves. */
    private void check(String name, List<Look> looks) {
        for (String what : List.of("list", "enqueue")) {
            Duration slowest = percentile(times(looks, what), 99);
            slowestOf.put(name + ": the slowest of a hundred times " + what, slowest);
            if (name.equals(QUIET)) {
                Duration busy = slowest.multipliedBy(TIMES_THE_QUIET_ONE);
                limits.put(what, busy.compareTo(SERVED_WITHIN) > 0 ? busy : SERVED_WITHIN);
            }
        }
        looks.stream()
                .filter(look -> look.status() >= 500 && look.status() != 503)
                .forEach(look -> broken.add(name + ": " + look));
        long served = good(looks, false);
        long ready = good(looks, true);
        long probes = looks.stream().filter(look -> look.what().equals(READY)).count();
        if (served == 0) {
            broken.add(name + ": nobody else is served, and the gateway is said to be ready " + ready + " of " + probes
                    + " times");
        } else if (served == looks.size() - probes && ready < probes) {
            broken.add(name + ": everybody is served, and the gateway is said to be ready only " + ready + " of "
                    + probes + " times");
        }
    }

    private static long good(List<Look> looks, boolean probes) {
        return looks.stream()
                .filter(look -> look.what().equals(READY) == probes && look.isGood())
                .count();
    }

    private long rss() throws IOException {
        return Files.readAllLines(Path.of("/proc", String.valueOf(node.pid()), "status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                .findFirst()
                .orElse(0);
    }

    private long used() {
        String answer = node.ask("memory", line -> line.startsWith("MEMORY "), SOON);
        return Long.parseLong(answer.substring("MEMORY ".length()));
    }

    @Test
    @LongTest(
            twin = AttackedGatewayIT.class,
            test = "othersAreServedDuringAllAttacks",
            why = "each attack alone and all at once, at full strength, and how long others wait meanwhile")
    void duringEachAttackOthersAreServedWithinASecond() throws Exception {
        client.migrate();
        node = launchWithDefaults(
                "attacked",
                SETTINGS,
                Map.of("_JAVA_OPTIONS", MEMORY + " -XX:TieredStopAtLevel=4 -XX:-UseSerialGC -XX:+UseG1GC"));
        prepare(FULL);
        canary.lookFor(PHASE);
        long before = used();
        phase(QUIET, List.of(), PHASE);
        for (String attack : ATTACKS) {
            phase(attack, List.of(attack), PHASE);
        }
        phase(ALL, ATTACKS, PHASE.multipliedBy(2));
        long rss = rss();
        phase("after", List.of(), PHASE);
        long after = used();
        System.out.printf(
                "heap in use: %d kB before, %d kB after; rss after: %d MB%n", before >> 10, after >> 10, rss >> 20);
        System.out.println(
                "| phase                | request |     n | p50 ms | p99 ms | max ms | refused        |  rss |");
        table.forEach(System.out::println);

        assertThat(node.isAlive()).as(node.text()).isTrue();
        assertThat(node.text()).doesNotContain("OutOfMemoryError");
        assertThat(broken).isEmpty();
        slowestOf.forEach((what, slowest) -> {
            Duration limit = limits.getOrDefault(what.substring(what.lastIndexOf(' ') + 1), SERVED_WITHIN);
            Measured.within(what.startsWith(ALL) ? limit.multipliedBy(2) : limit, slowest, what);
        });
        assertThat(after - before).isLessThan(MOST_KEPT);
        assertThat(rss).isLessThan(MOST_RSS);
    }

    /** Those who send or read slowly do so for as long as they are let: nobody is cut off. How soon others are served, the machine decides. */
    @Test
    void othersAreServedDuringAllAttacks() throws Exception {
        client.migrate();
        Map<String, String> settings = new TreeMap<>(SETTINGS);
        settings.put("gateway.read_timeout", "5m");
        node = launch("attacked", settings, Map.of("_JAVA_OPTIONS", MEMORY));
        prepare(SMALL);
        List<String> attacks = Attackers.names().stream()
                .filter(name -> !name.equals(Attackers.SLOW_HEADS))
                .toList();
        attackers.ask("begin " + String.join(",", attacks), Attackers.BEGUN::equals, SOON);
        await("the attackers have taken all that one caller gets")
                .atMost(SOON)
                .until(() -> canary.requestsInFlight() >= PLACES_OF_ONE_CALLER);

        Map<String, Integer> served = new TreeMap<>();
        await("others are served").atMost(SOON).until(() -> {
            List<Look> looks = canary.look(REQUESTS);
            assertThat(looks).allMatch(look -> look.isGood() || look.isRefusal());
            looks.stream().filter(Look::isGood).forEach(look -> served.merge(look.what(), 1, Integer::sum));
            return served.size() == 3 && served.values().stream().allMatch(count -> count >= REQUESTS);
        });
        attackers.ask("end", line -> line.startsWith(Attackers.ENDED), Duration.ofMinutes(5));
        await("the places are given back").atMost(SOON).until(() -> canary.requestsInFlight() == 0);
        assertThat(canary.look(REQUESTS)).allMatch(Look::isGood);
        assertThat(node.isAlive()).as(node.text()).isTrue();
        assertThat(node.text()).doesNotContain("OutOfMemoryError");
    }
}
