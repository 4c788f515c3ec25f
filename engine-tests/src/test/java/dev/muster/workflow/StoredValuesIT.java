package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.muster.graph.GraphRequest;
import dev.muster.graph.InvalidGraph;
import dev.muster.graph.TaskRequest;
import dev.muster.job.InvalidJob;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.RawJson;
import dev.muster.job.TypeRef;
import dev.muster.json.jackson2.Jackson2Codec;
import dev.muster.json.jackson3.Jackson3Codec;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.schedule.CronSpec;
import dev.muster.schedule.InvalidCron;
import dev.muster.testing.Seeds;
import dev.muster.testing.Sizes;
import dev.muster.testkit.Cluster;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The code of a run sees the same values in its first execution and in every replay, down to their order. */
class StoredValuesIT extends WorkflowCluster {

    public static final class Shipping {
        final List<String> shipped = new CopyOnWriteArrayList<>();
        final List<String> seen = new CopyOnWriteArrayList<>();

        /** In an order that jsonb does not keep: it has shorter names first. */
        static Map<String, Integer> items() {
            Map<String, Integer> items = new LinkedHashMap<>();
            items.put("banana", 2);
            items.put("kiwi", 1);
            items.put("apple", 3);
            items.put("fig", 4);
            return items;
        }

        @Workflow(name = "ship", version = "v1")
        int ship(WorkflowContext wf) {
            Map<String, Integer> items =
                    wf.step("items", new TypeRef<Map<String, Integer>>() {}).run(step -> items());
            for (Map.Entry<String, Integer> item : items.entrySet()) {
                wf.step("ship", () -> shipped.add(item.getKey()));
                wf.sleep(Duration.ofHours(1));
            }
            return items.size();
        }

        @Workflow(name = "look", version = "v1")
        void look(WorkflowContext wf) {
            Object value = wf.step("value", Object.class)
                    .run(step -> Map.of(
                            "double", 1.0,
                            "large", 1e10,
                            "small", 1e-10,
                            "digits", new BigInteger("12345678901234567890"),
                            "list", List.of(1e2, "é", Map.of("b", 1, "aa", 2))));
            seen.add(described(value));
            wf.sleep(Duration.ofHours(1));
            seen.add(described(value));
        }

        /** With the classes of numbers, and maps in their order. */
        private static String described(Object value) {
            if (value instanceof Map<?, ?> map) {
                List<String> members = new ArrayList<>();
                map.forEach((name, member) -> members.add(name + "=" + described(member)));
                return members.toString();
            }
            if (value instanceof List<?> list) {
                return list.stream().map(Shipping::described).toList().toString();
            }
            return value + ":" + value.getClass().getSimpleName();
        }
    }

    private final Shipping shipping = new Shipping();

    @Test
    void everyItemOfAMapIsShippedOnceAcrossReplays() {
        cluster.node(shipping);
        JobId run = workflows().start("ship", null);
        for (int i = 1; i <= 4; i++) {
            int shipped = i;
            await().atMost(SOON).until(() -> shipping.shipped.size() >= shipped);
            awaitStatus(run, RunStatus.SLEEPING);
            cluster.clock().advance(Duration.ofHours(1));
        }

        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(shipping.shipped).containsExactlyInAnyOrder("banana", "kiwi", "apple", "fig");
    }

    @Test
    void aReplaySeesNumbersAndOrderOfTheFirstExecution() {
        cluster.node(shipping);
        JobId run = workflows().start("look", null);
        awaitStatus(run, RunStatus.SLEEPING);
        cluster.clock().advance(Duration.ofHours(1));

        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(shipping.seen).hasSize(3);
        assertThat(shipping.seen.get(1)).isEqualTo(shipping.seen.get(0));
        assertThat(shipping.seen.get(2)).isEqualTo(shipping.seen.get(0));
    }

    /** Values of all kinds, by chance. */
    private static final class Values {
        private final Random random;

        Values(long seed) {
            random = new Random(seed);
        }

        private static final String[] TEXTS = {
            "", "a", "b", "aa", "é", "😀", "\n\t\"\\", "\u0001", "null", "1.0", "$muster", "Z", "\u2028", "ß/ü"
        };

        Object value(int depth) {
            return switch (random.nextInt(depth > 3 ? 11 : 15)) {
                case 0 -> 1.0;
                case 1 -> 1e2;
                case 2 -> new BigInteger("12345678901234567890").add(BigInteger.valueOf(random.nextInt(1_000)));
                case 3 -> new BigDecimal("1.50");
                case 4 -> random.nextGaussian() * Math.pow(10, random.nextInt(60) - 30);
                case 5 -> random.nextLong();
                case 6 -> text();
                case 7 -> Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000));
                case 8 -> LocalDate.ofEpochDay(random.nextInt(40_000));
                case 9 -> random.nextBoolean();
                case 10 -> null;
                case 11 -> list(depth, new ArrayList<>());
                case 12 -> list(depth, new HashSet<>());
                case 13 -> new Order(list(depth, new ArrayList<>()), shape(), Set.of(text(), "x" + text().length()));
                default -> map(depth);
            };
        }

        String text() {
            return TEXTS[random.nextInt(TEXTS.length)] + TEXTS[random.nextInt(TEXTS.length)];
        }

        private <C extends Collection<Object>> C list(int depth, C list) {
            for (int i = random.nextInt(5); i > 0; i--) {
                list.add(value(depth + 1));
            }
            return list;
        }

        Map<String, Object> map(int depth) {
            Map<String, Object> map = random.nextBoolean() ? new HashMap<>() : new LinkedHashMap<>();
            for (int i = random.nextInt(6); i > 0; i--) {
                map.put(text(), value(depth + 1));
            }
            return map;
        }

        Shape shape() {
            return random.nextBoolean() ? new Circle(random.nextDouble()) : new Box(random.nextInt(9), text());
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Circle.class, name = "circle"),
        @JsonSubTypes.Type(value = Box.class, name = "box")
    })
    sealed interface Shape {}

    record Circle(double radius) implements Shape {}

    record Box(long width, String label) implements Shape {}

    record Order(List<Object> items, Shape shape, Set<String> tags) {}

    private static final WorkflowType<Object, Object> ECHO = WorkflowType.of("echo", Object.class, Object.class);

    /** Notes what it sees of each value in each execution. */
    public static final class Looking {
        final Map<String, List<String>> seen = new ConcurrentHashMap<>();
        final List<Object> values = new ArrayList<>();
        final Order order;

        Looking(Values random) {
            for (int i = 0; i < 25; i++) {
                values.add(random.value(0));
            }
            order = new Order(List.of(random.map(0)), random.shape(), Set.of("b", "aa", random.text() + "c"));
        }

        private void see(WorkflowContext wf, String what, Object value) {
            seen.computeIfAbsent(wf.runId() + " " + what, key -> new CopyOnWriteArrayList<>())
                    .add(described(value));
        }

        @Workflow(name = "looking", version = "v1")
        void look(WorkflowContext wf, Map<String, Object> input) {
            see(wf, "input", input);
            for (int i = 0; i < values.size(); i++) {
                Object value = values.get(i);
                see(wf, "step " + i, wf.step("value", Object.class).run(step -> value));
            }
            see(wf, "order", wf.step("order", Order.class).run(step -> order));
            see(wf, "list", wf.step("list", new TypeRef<List<Object>>() {}).run(step -> values));
            see(wf, "child", wf.child(ECHO, values));
            see(wf, "event", wf.awaitEvent("event", Object.class));
            wf.sleep(Duration.ofHours(1));
            if (!input.containsKey("again")) {
                Map<String, Object> next = new LinkedHashMap<>(input);
                next.put("again", values);
                throw wf.continueAsNew(next);
            }
        }

        @Workflow(name = "echo", version = "v1")
        Object echo(WorkflowContext wf, Object input) {
            see(wf, "input of the child", input);
            wf.sleep(Duration.ofHours(1));
            return input;
        }

        private static String described(Object value) {
            if (value instanceof Map<?, ?> map) {
                List<String> members = new ArrayList<>();
                map.forEach((name, member) -> members.add(name + "=" + described(member)));
                return "map " + members;
            }
            if (value instanceof Collection<?> list) {
                return "list " + list.stream().map(Looking::described).toList();
            }
            if (value instanceof Order order) {
                return "order " + described(order.items()) + order.shape() + order.tags();
            }
            return value == null ? "null" : value + ":" + value.getClass().getSimpleName();
        }
    }

    private enum Jackson {
        TWO,
        THREE;

        JsonCodec codec() {
            return this == TWO ? new Jackson2Codec() : new Jackson3Codec();
        }
    }

    /** In the long run each codec with and without encryption. */
    static List<Arguments> codecs() {
        List<Arguments> quick = List.of(Arguments.of(Jackson.THREE, true), Arguments.of(Jackson.TWO, false));
        List<Arguments> others = List.of(Arguments.of(Jackson.THREE, false), Arguments.of(Jackson.TWO, true));
        return Sizes.full() ? Stream.of(quick, others).flatMap(List::stream).toList() : quick;
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void whatTheCodeSeesFirstItSeesInEachReplay(Jackson jackson, boolean encrypted) {
        Values random = new Values(Seeds.next(StoredValuesIT.class));
        Looking looking = new Looking(random);
        Map<String, String> settings = new HashMap<>(STEADY);
        if (encrypted) {
            settings.put("encryption.keys", "k1=bWF0ZXJpYWwtb25lLW1hdGVyaWFsLW9uZS1tYXQtMTE=");
        }
        try (Cluster own = Cluster.on(database, settings).json(jackson.codec())) {
            own.node(looking);
            Workflows workflows = own.client().workflows();
            JobId run = workflows.start("looking", random.map(0));
            workflows.signal(run, "event", looking.values);
            workflows.signal(run, "event", looking.order);
            // In each of the two runs the child sleeps, and then its parent.
            for (int i = 0; i < 4; i++) {
                await().atMost(SOON).until(() -> underWay() == 0);
                own.clock().advance(Duration.ofHours(1));
            }
            RunInfo ended = workflows.await(run, SOON);
            assertThat(ended.status()).as(ended.toString()).isEqualTo(RunStatus.COMPLETED);
        }
        assertThat(looking.seen).hasSize(2 * (5 + looking.values.size()) + 2);
        looking.seen.forEach(
                (what, each) -> assertThat(each).as(what).hasSizeGreaterThan(1).allMatch(each.get(0)::equals));
    }

    /** Each value is refused where it is given, and what had to do with it is named. */
    @ParameterizedTest
    @CsvSource({"0,the character U+0000", "55296,half a surrogate pair"})
    void aTextThatTheDatabaseCannotStoreIsRefused(int character, String named) {
        String odd = "a" + (char) character + "b";
        String refusal = " contains " + named + ", which PostgreSQL cannot store";
        odds.value = odd;
        cluster.node(odds);
        assertThatThrownBy(() -> workflows().start("odds", odd))
                .isInstanceOf(JsonException.class)
                .hasMessage("the input of workflow 'odds': a text" + refusal);

        JobId run = workflows().start("odds", "fine");
        awaitStatus(run, RunStatus.WAITING);
        assertThatThrownBy(() -> workflows().signal(run, "go", odd))
                .isInstanceOf(JsonException.class)
                .hasMessage("the payload of event 'go': a text" + refusal);
        assertThatThrownBy(() -> workflows().signal(run, "go", "fine", odd)).hasMessageContaining("an event's id");
        assertThatThrownBy(() -> RunRequest.of("odds", "fine").key(odd)).hasMessageContaining("a run's key");
        workflows().signal(run, "go", "fine");

        RunInfo end = ended(run);
        assertThat(end.status()).isEqualTo(RunStatus.COMPENSATED);
        assertThat(end.error().orElseThrow()).contains("step 'value' failed", "a text" + refusal);
        assertThat(odds.effects).as("it happened once, and was undone").containsExactly("value", "undo");
        assertThatThrownBy(() ->
                        cluster.client().crons().create(CronSpec.of("odd", "@daily", JobRequest.of("plain", odd))))
                .isInstanceOf(InvalidCron.class)
                .hasMessageContaining("a text" + refusal);
    }

    /** PostgreSQL stores 1e900 in a few bytes, and prints all of its digits: a small text would be a large one whenever it is read. */
    @Test
    void aValueThatGrowsWhenItIsReadIsRefused() {
        List<BigDecimal> growing = Collections.nCopies(2_000, new BigDecimal("1e900"));
        String size = "1806000 bytes";
        odds.value = growing;
        cluster.node(odds);
        assertThatThrownBy(() -> workflows().start("odds", growing))
                .hasMessageContaining("the input of workflow 'odds' has " + size);
        assertThatThrownBy(() -> workflows().start("odds", new RawJson("1e131071")))
                .hasMessageContaining("more than 1000 digits");

        JobId run = workflows().start("odds", "fine");
        awaitStatus(run, RunStatus.WAITING);
        assertThatThrownBy(() -> workflows().signal(run, "go", growing))
                .hasMessageContaining("the payload of event 'go' has " + size);
        workflows().signal(run, "go", "fine");

        RunInfo end = ended(run);
        assertThat(end.status()).isEqualTo(RunStatus.COMPENSATED);
        assertThat(end.error().orElseThrow()).contains("the value has " + size);
        assertThat(odds.effects).containsExactly("value", "undo");

        JobRequest job = JobRequest.of("plain", growing);
        assertThatThrownBy(() -> cluster.jobs().enqueue(job))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("args of job 'plain' have 1806000 bytes");
        assertThatThrownBy(() -> cluster.jobs().enqueue(JobRequest.of("plain", new RawJson("[1e1000]"))))
                .isInstanceOf(InvalidJob.class)
                .hasMessageContaining("args of job 'plain': a number has more than 1000 digits");
        assertThatThrownBy(() -> cluster.client().crons().create(CronSpec.of("odd", "@daily", job)))
                .isInstanceOf(InvalidCron.class)
                .hasMessageContaining("its args have " + size);
        assertThatThrownBy(
                        () -> cluster.client().graphs().submit(GraphRequest.of(TaskRequest.of("a", "plain", growing))))
                .isInstanceOf(InvalidGraph.class)
                .hasMessageContaining("all inputs together have " + size);
    }

    public static final class Odds {
        final List<String> effects = new CopyOnWriteArrayList<>();
        volatile Object value = "";

        @Workflow(name = "odds", version = "v1")
        Object odds(WorkflowContext wf, String input) {
            wf.awaitEvent("go", String.class);
            return wf.step("value", Object.class).compensateWith("undo", null).run(step -> {
                effects.add("value");
                return value;
            });
        }

        @Compensation("undo")
        void undo() {
            effects.add("undo");
        }
    }

    private final Odds odds = new Odds();

    private long underWay() {
        return database.number(
                "SELECT count(*) FROM muster_jobs WHERE token IS NOT NULL OR ready_at <= muster_clock()");
    }
}
