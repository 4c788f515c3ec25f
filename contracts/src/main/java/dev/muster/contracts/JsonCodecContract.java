package dev.muster.contracts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.muster.internal.runtime.Jsonb;
import dev.muster.internal.runtime.StorableJson;
import dev.muster.job.JobType;
import dev.muster.job.TypeRef;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.testing.Seeds;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.UUID;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What every {@link JsonCodec} writes, accepts and refuses, and its error messages. */
public abstract class JsonCodecContract {

    /** The codec under test, created with its public no-arg constructor. */
    protected abstract JsonCodec codec();

    enum Status {
        NEW,
        PAID {
            @Override
            public String toString() {
                return "paid in full";
            }
        }
    }

    record Item(String itemName, BigDecimal price, int count) {}

    record Order(UUID orderId, Status status, List<Item> items, Optional<String> note, Map<String, Integer> tags) {}

    record Times(
            Instant instant,
            LocalDate date,
            LocalTime time,
            LocalDateTime dateTime,
            OffsetDateTime offset,
            ZonedDateTime zoned,
            Duration duration) {}

    record Scalars(int count, long total, double ratio, boolean active, String name) {}

    record Boxed(
            @Nullable Integer count,
            @Nullable Double ratio,
            @Nullable Boolean active,
            @Nullable String name,
            @Nullable Short small,
            @Nullable UUID id,
            @Nullable Instant at,
            @Nullable LocalDate day,
            @Nullable Duration pause,
            @Nullable Status status,
            @Nullable List<String> names) {}

    record Floats(double[] doubles, float[] floats) {}

    record Limit(OptionalInt max) {}

    enum Colour {
        AMBER,
        BEIGE,
        CORAL,
        DENIM,
        EBONY,
        FAWN,
        GREEN,
        HAZEL,
        INDIGO,
        JADE,
        KHAKI,
        LILAC
    }

    record Dot(Colour colour) {}

    record Palette(Set<Colour> colours, Set<Dot> dots, Map<Colour, Integer> numbers) {}

    record Empty() {}

    record Positive(int count) {
        Positive {
            if (count <= 0) {
                throw new IllegalArgumentException("count must be positive,\nnot " + count);
            }
        }
    }

    record Positives(List<Positive> all) {}

    static class Node {
        public @Nullable Node next;
    }

    static class Broken {
        public String getName() {
            throw new IllegalStateException("no name yet");
        }
    }

    static class Private {
        public final String name;

        private Private(String name, int ignored) {
            this.name = name + ignored;
        }
    }

    record Holder(Object held) {}

    // --- what is written and read back

    @Test
    void isFoundByServiceLoader() {
        assertThat(ServiceLoader.load(JsonCodec.class).stream().map(ServiceLoader.Provider::type))
                .contains(codec().getClass());
    }

    @Test
    void writesSnakeCaseInDeclaredOrder() {
        Order order = new Order(
                UUID.fromString("01890a5d-ac96-774b-bcce-b302099a8057"),
                Status.PAID,
                List.of(new Item("cup", new BigDecimal("1.50"), 2)),
                Optional.empty(),
                Map.of("vipLevel", 1));
        String json = codec().write(order);
        assertThat(json)
                .isEqualTo("{\"order_id\":\"01890a5d-ac96-774b-bcce-b302099a8057\",\"status\":\"PAID\","
                        + "\"items\":[{\"item_name\":\"cup\",\"price\":1.50,\"count\":2}],"
                        + "\"note\":null,\"tags\":{\"vipLevel\":1}}");
        assertThat(codec().read(json, Order.class)).isEqualTo(order);
        codec().check(json, Order.class);
    }

    @Test
    void writesTimesAsIsoTextAndLosesNothing() {
        Times times = new Times(
                Instant.parse("2026-01-31T12:30:00.123456789Z"),
                LocalDate.parse("2026-01-31"),
                LocalTime.parse("12:30:01"),
                LocalDateTime.parse("2026-01-31T12:30:01"),
                OffsetDateTime.parse("2026-01-31T12:30:01+05:00"),
                ZonedDateTime.parse("2026-01-31T12:30:01+01:00[Europe/Paris]"),
                Duration.ofMinutes(90));
        String json = codec().write(times);
        assertThat(json)
                .isEqualTo("{\"instant\":\"2026-01-31T12:30:00.123456789Z\",\"date\":\"2026-01-31\","
                        + "\"time\":\"12:30:01\",\"date_time\":\"2026-01-31T12:30:01\","
                        + "\"offset\":\"2026-01-31T12:30:01+05:00\","
                        + "\"zoned\":\"2026-01-31T12:30:01+01:00[Europe/Paris]\",\"duration\":\"PT1H30M\"}");
        assertThat(codec().read(json, Times.class)).isEqualTo(times);
    }

    @Test
    void keepsAZoneNamedUtc() {
        ZonedDateTime utc = ZonedDateTime.parse("2026-01-31T12:30:01Z[UTC]");
        assertThat(codec().read(codec().write(utc), ZonedDateTime.class)).isEqualTo(utc);
    }

    @Test
    void readsTypesWithParameters() {
        JobType<Map<String, List<Item>>, Void> type = JobType.of("pack", new TypeRef<Map<String, List<Item>>>() {});
        Map<String, List<Item>> boxes = Map.of("box", List.of(new Item("cup", new BigDecimal("1.50"), 2)));

        String text = codec().write(boxes);
        codec().check(text, type.args());
        assertThat(codec().read(text, type.args())).isEqualTo(boxes);
        assertThatThrownBy(() -> codec().check("{\"box\":[{\"no_such_thing\":1}]}", type.args()))
                .isInstanceOf(JsonException.class);
    }

    @Test
    void writesNullAsNull() {
        assertThat(codec().write(null)).isEqualTo("null");
        assertThat(codec().read("null", Order.class)).isNull();
    }

    @Test
    void writesARecordWithoutComponents() {
        assertThat(codec().write(new Empty())).isEqualTo("{}");
        assertThat(codec().read("{}", Empty.class)).isEqualTo(new Empty());
    }

    @Test
    void readsGenericTypes() {
        Type items = Arrays.stream(Order.class.getRecordComponents())
                .filter(component -> component.getName().equals("items"))
                .findFirst()
                .orElseThrow()
                .getGenericType();
        String json = "[{\"item_name\":\"cup\",\"price\":1,\"count\":2}]";
        assertThat(codec().read(json, items)).isEqualTo(List.of(new Item("cup", BigDecimal.ONE, 2)));
        assertThat(codec().read(json, items)).isEqualTo(codec().read(json, items));
    }

    @Test
    void readsPlainTreesForObject() {
        assertThat(codec().read("{\"a\":[1,\"b\",null,true]}", Object.class))
                .isEqualTo(Map.of("a", Arrays.asList(1, "b", null, true)));
    }

    @Test
    void anAbsentOrNullOptionalIsEmpty() {
        Order absent = (Order) codec().read("{}", Order.class);
        Order isNull = (Order) codec().read("{\"note\":null}", Order.class);
        assertThat(absent).isNotNull().extracting(Order::note).isEqualTo(Optional.empty());
        assertThat(isNull).isNotNull().extracting(Order::note).isEqualTo(Optional.empty());
    }

    @Test
    void takesAWholeNumberForADouble() {
        assertThat(codec().read("3", double.class)).isEqualTo(3.0);
    }

    @Test
    void readsAnEmptyText() {
        assertThat(codec().read("\"\"", String.class)).isEqualTo("");
    }

    // --- unknown and missing properties

    @Test
    void readIgnoresUnknownPropertiesAndCheckRefusesThem() {
        String json = "{\"items\":[{\"item_name\":\"cup\",\"price\":1,\"count\":2,\"colour\":\"red\"}]}";
        assertThat(codec().read(json, Order.class)).isNotNull();
        assertThat(checkProblem(json, Order.class))
                .isEqualTo("unknown property items[0].colour; known are count, item_name, price");
        assertThat(checkProblem("{\"a\":1}", Empty.class))
                .isEqualTo("unknown property a; there are no properties here");
    }

    @Test
    void refusesMissingAndNullPrimitives() {
        assertThat(problem("{\"items\":[{\"item_name\":\"cup\"}]}", Order.class))
                .isEqualTo("items[0].count is missing");
        assertThat(problem("{\"items\":[{\"count\":null}]}", Order.class))
                .isEqualTo("items[0].count must be a whole number, but is null");
        assertThat(problem("null", int.class)).isEqualTo("the value must be a whole number, but is null");
    }

    // --- wrong types

    @Test
    void refusesToCoerceScalars() {
        assertThat(problem("{\"count\":\"12\"}", Boxed.class)).isEqualTo("count must be a whole number, but is text");
        assertThat(problem("{\"count\":\"\"}", Boxed.class)).isEqualTo("count must be a whole number, but is \"\"");
        assertThat(problem("{\"count\":true}", Boxed.class))
                .isEqualTo("count must be a whole number, but is true or false");
        assertThat(problem("{\"count\":1.0}", Boxed.class)).isEqualTo("count must be a whole number, but is 1.0");
        assertThat(problem("{\"ratio\":\"1.5\"}", Boxed.class)).isEqualTo("ratio must be a number, but is text");
        assertThat(problem("{\"active\":1}", Boxed.class)).isEqualTo("active must be true or false, but is 1");
        assertThat(problem("{\"active\":\"true\"}", Boxed.class))
                .isEqualTo("active must be true or false, but is text");
        assertThat(problem("{\"name\":12}", Boxed.class)).isEqualTo("name must be text, but is 12");
        assertThat(problem("{\"name\":1.5}", Boxed.class)).isEqualTo("name must be text, but is 1.5");
        assertThat(problem("{\"name\":true}", Boxed.class)).isEqualTo("name must be text, but is true");
        assertThat(problem("{\"names\":[\"a\",1]}", Boxed.class)).isEqualTo("names[1] must be text, but is 1");
    }

    @Test
    void refusesToCoercePrimitives() {
        String rest = ",\"total\":1,\"ratio\":1,\"active\":true}";
        assertThat(problem("{\"count\":\"12\"" + rest, Scalars.class))
                .isEqualTo("count must be a whole number, but is text");
        assertThat(problem("{\"count\":1.5" + rest, Scalars.class))
                .isEqualTo("count must be a whole number, but is 1.5");
        assertThat(problem("{\"count\":99999999999" + rest, Scalars.class))
                .isEqualTo("count: numeric value (99999999999) out of range of int (-2147483648 - 2147483647)");
    }

    @Test
    void refusesToCoerceOptionals() {
        assertThat(codec().read("{\"max\":12}", Limit.class)).isEqualTo(new Limit(OptionalInt.of(12)));
        assertThat(problem("{\"max\":\"12\"}", Limit.class)).startsWith("max must be a ");
        assertThat(problem("{\"max\":1.5}", Limit.class)).startsWith("max must be a ");
        assertThat(problem("{\"note\":1}", Order.class)).isEqualTo("note must be text, but is 1");
    }

    @Test
    void refusesTheWrongShape() {
        assertThat(problem("{\"items\":{}}", Order.class)).isEqualTo("items must be a list, but is an object");
        assertThat(problem("{\"items\":[1]}", Order.class)).isEqualTo("items[0] must be an object, but is a number");
        assertThat(problem("[]", Order.class)).isEqualTo("the value must be an object, but is a list");
        assertThat(problem("\"\"", Order.class)).isEqualTo("the value must be an object, but is \"\"");
        assertThat(problem("{\"tags\":{\"a b\":\"x\"}}", Order.class))
                .isEqualTo("tags[\"a b\"] must be a whole number, but is text");
    }

    @Test
    void refusesValuesThatDoNotParse() {
        assertThat(problem("{\"status\":\"GONE\"}", Boxed.class))
                .isEqualTo("status must be one of NEW, PAID, but is \"GONE\"");
        assertThat(problem("{\"status\":\"\"}", Boxed.class)).startsWith("status must be one of NEW, PAID, but is ");
        assertThat(problem("{\"status\":1}", Boxed.class)).startsWith("status must be one of NEW, PAID, but is ");
        assertThat(problem("{\"id\":\"x\"}", Boxed.class)).isEqualTo("id must be a valid UUID, but is \"x\"");
        assertThat(problem("{\"at\":\"yesterday\"}", Boxed.class))
                .isEqualTo("at must be a time such as 2026-01-31T12:30:00Z, but is \"yesterday\"");
        assertThat(problem("{\"day\":\"\"}", Boxed.class)).startsWith("day must be a date such as 2026-01-31, but is ");
        assertThat(problem("{\"pause\":\"1h\"}", Boxed.class))
                .isEqualTo("pause must be a duration such as PT1H30M, but is \"1h\"");
        assertThat(problem("{\"small\":70000}", Boxed.class)).contains("small", "70000");
    }

    @Test
    void refusesNumbersForTimes() {
        assertThat(problem("{\"at\":1700000000}", Boxed.class))
                .isEqualTo("at must be a time such as 2026-01-31T12:30:00Z, but is a number");
        assertThat(problem("{\"pause\":30}", Boxed.class))
                .isEqualTo("pause must be a duration such as PT1H30M, but is a number");
        assertThat(problem("{\"day\":[2026,1,31]}", Boxed.class))
                .isEqualTo("day must be a date such as 2026-01-31, but is a list");
    }

    @Test
    void passesOnWhatAConstructorSays() {
        assertThat(problem("{\"all\":[{\"count\":1},{\"count\":-1}]}", Positives.class))
                .isEqualTo("all[1]: count must be positive, not -1");
    }

    @Test
    void refusesATypeItCannotMake() {
        assertThat(problem("{}", Runnable.class))
                .isEqualTo("Runnable is abstract; name its subtypes with @JsonTypeInfo and @JsonSubTypes");
        assertThat(problem("{}", Private.class))
                .isEqualTo("Private cannot be made from JSON; make it a record, or annotate a constructor with"
                        + " @JsonCreator");
    }

    // --- NaN and infinity

    @Test
    void refusesNonFiniteNumbers() {
        assertThat(problem("NaN", double.class)).isEqualTo("NaN is not valid in JSON (line 1, column 4)");
        assertThat(problem("{\"ratio\":\"NaN\"}", Boxed.class)).isEqualTo("ratio must be finite, but is NaN");
        assertThat(problem("{\"ratio\":1e999}", Boxed.class)).isEqualTo("ratio must be finite, but is Infinity");
        assertThat(problem("{\"doubles\":[1,\"NaN\"]}", Floats.class)).isEqualTo("doubles must be finite, but is NaN");
        assertThat(problem("{\"floats\":[1e99]}", Floats.class)).isEqualTo("floats must be finite, but is Infinity");
    }

    @Test
    void refusesToWriteNonFiniteNumbers() {
        assertThat(writeProblem(Map.of("ratio", Double.NaN)))
                .isEqualTo("ratio: the number NaN cannot be written as JSON");
        assertThat(writeProblem(Float.POSITIVE_INFINITY)).isEqualTo("the number Infinity cannot be written as JSON");
        assertThat(writeProblem(new Floats(new double[] {1, Double.NaN}, new float[0])))
                .isEqualTo("doubles: the number NaN cannot be written as JSON");
        assertThat(writeProblem(new Floats(new double[0], new float[] {Float.NaN})))
                .isEqualTo("floats: the number NaN cannot be written as JSON");
    }

    // --- syntax

    @Test
    void refusesMalformedText() {
        assertSyntaxProblem("", "the text is empty; the JSON for no value is null");
        assertSyntaxProblem(" \n", "the text is empty; the JSON for no value is null");
        assertSyntaxProblem("{\"a\":1,\"a\":2}", "property a occurs twice (line 1, column 11)");
        assertSyntaxProblem("{} garbage", "unexpected \"garbage\" (line 1, column 4)");
        assertSyntaxProblem("{} {}", "there is more text after the end of the value (line 1, column 4)");
        assertSyntaxProblem("{\"a\":", "the text ends in the middle of a value (line 1, column 6)");
        assertSyntaxProblem("{\"a\":NaN}", "NaN is not valid in JSON (line 1, column 9)");
        assertSyntaxProblem(
                "{\n  \"a\": 1\n  \"b\": 2}",
                "unexpected character ('\"'): was expecting comma to separate Object entries (line 3, column 3)");
        assertSyntaxProblem(
                "{a:1}",
                "unexpected character ('a'): was expecting double-quote to start property name (line 1, column 2)");
        assertSyntaxProblem("/**/1", "unexpected character ('/'): maybe a (non-standard) comment? (line 1, column 1)");
        assertSyntaxProblem("1".repeat(1001), "number value length (1001) exceeds the maximum allowed (1000)");
        assertSyntaxProblem("[".repeat(201) + "]".repeat(201), "nested deeper than 200 levels");
    }

    @Test
    void refusesDuplicatesAlsoInsideWhatIsIgnored() {
        assertThat(problem("{\"unknown\":{\"a\":1,\"a\":2}}", Empty.class)).startsWith("property a occurs twice");
    }

    @Test
    void saysWhereInANestedValueTheSyntaxIsWrong() {
        assertThat(problem("{\"items\":[{\"item_name\":tea}]}", Order.class))
                .isEqualTo("unexpected \"tea\" (line 1, column 24)");
    }

    @Test
    void readsExactlyWhatFitsAndRefusesTheRestAsCheckDoes() {
        Item cup = new Item("cup", new BigDecimal("1.50"), 2);
        assertThat(codec().readExactly(codec().write(cup), Item.class)).isEqualTo(cup);

        String unknown = "{\"item_name\":\"cup\",\"price\":1.50,\"count\":2,\"colour\":\"red\"}";
        assertThat(messageOf(() -> codec().readExactly(unknown, Item.class)))
                .contains("colour")
                .isEqualTo(checkProblem(unknown, Item.class));
    }

    /** What is stored can be read: {@code StorableJson} lets nothing pass that is deeper, or that has longer numbers. */
    @Test
    void readsTheDeepestValuesAndTheLongestNumbersThatCanBeStored() {
        String deepest = "[".repeat(StorableJson.MAX_DEPTH) + "]".repeat(StorableJson.MAX_DEPTH);
        String longest = "7".repeat(StorableJson.MAX_DIGITS);
        for (String json : List.of(
                StorableJson.of(deepest).text(), StorableJson.of(longest).text())) {
            assertThatCode(() -> codec().check(json, Object.class)).doesNotThrowAnyException();
            assertThat(codec().write(codec().read(json, Object.class))).isEqualTo(json);
        }
    }

    @Test
    void checksOnlySyntaxForObject() {
        for (String json : List.of("{\"a\":[1,2.5,null]}", "null", "\"text\"", " 1 ", "[]", "1e999")) {
            assertThatCode(() -> codec().check(json, Object.class)).doesNotThrowAnyException();
        }
    }

    @Test
    void takesLongTexts() {
        String json = '"' + "x".repeat(21_000_000) + '"';
        assertThatCode(() -> codec().check(json, Object.class)).doesNotThrowAnyException();
        assertThat(codec().read(json, String.class)).isEqualTo("x".repeat(21_000_000));
    }

    // --- what cannot be written

    @Test
    void refusesAValueWithoutProperties() {
        assertThat(writeProblem(new Holder(new Object())))
                .isEqualTo("held: Object has no properties to write; make it a record, or give it public getters");
    }

    @Test
    void refusesCycles() {
        Node one = new Node();
        Node two = new Node();
        one.next = two;
        two.next = one;
        assertThat(writeProblem(one))
                .startsWith("nested deeper than 200 levels (at next.next.")
                .hasSizeLessThan(200);
        Map<String, Object> self = new HashMap<>();
        self.put("self", self);
        assertThat(writeProblem(self)).startsWith("nested deeper than 200 levels");
    }

    @Test
    void passesOnWhatAGetterSays() {
        assertThat(writeProblem(new Holder(new Broken()))).isEqualTo("held.name: no name yet");
    }

    private void assertSyntaxProblem(String json, String message) {
        assertThat(problem(json, Object.class)).isEqualTo(message);
        assertThat(checkProblem(json, Object.class)).isEqualTo(message);
    }

    private String problem(String json, Type type) {
        String message = messageOf(() -> codec().read(json, type));
        // check must refuse everything that read refuses.
        assertThat(messageOf(() -> codec().check(json, type))).isNotEmpty();
        return message;
    }

    private String checkProblem(String json, Type type) {
        return messageOf(() -> codec().check(json, type));
    }

    private String writeProblem(@Nullable Object value) {
        return messageOf(() -> codec().write(value));
    }

    /** The message of the {@code JsonException} that the action throws: one line, without Jackson's terms. */
    protected static String messageOf(Runnable action) {
        JsonException thrown = catchThrowableOfType(JsonException.class, action::run);
        assertThat(thrown).as("a JsonException").isNotNull();
        assertThat(thrown.getMessage()).doesNotContain("\n", "reference chain", "Source", "jackson", "Feature", "`");
        return thrown.getMessage();
    }

    /** What a workflow's code sees of a stored value in its first execution, it sees in each replay. */
    @Test
    void aStoredValueIsReadTheSameEachTime() {
        Random random = new Random(Seeds.next(JsonCodecContract.class));
        for (int i = 0; i < 500; i++) {
            String stored = Jsonb.asStored(codec().write(value(random, 0)));
            Object first = codec().read(stored, Object.class);

            assertThat(described(codec().read(stored, Object.class))).isEqualTo(described(first));
            // A replay that stores what it has read, as the input of a child, stores the same once more.
            String again = Jsonb.asStored(codec().write(first));
            assertThat(Jsonb.asStored(codec().write(codec().read(again, Object.class))))
                    .isEqualTo(again);
        }
    }

    /** Hash codes of enums are other ones in each JVM, so an order that follows from them is another one on another node. */
    @Test
    void aSetHasTheOrderOfItsText() {
        keepsTheOrderOfSets(codec());
    }

    /** Sets of enums, and of what contains one, are read in the order in which they were written. */
    protected static void keepsTheOrderOfSets(JsonCodec codec) {
        Random random = new Random(Seeds.next(JsonCodecContract.class));
        List<Colour> colours = new ArrayList<>(List.of(Colour.values()));
        for (int i = 0; i < 20; i++) {
            Collections.shuffle(colours, random);
            List<Dot> dots = colours.stream().map(Dot::new).toList();
            Map<Colour, Integer> numbers = new LinkedHashMap<>();
            colours.forEach(colour -> numbers.put(colour, numbers.size()));

            assertThat(codec.read(codec.write(colours), new TypeRef<Set<Colour>>() {}.type()))
                    .asInstanceOf(InstanceOfAssertFactories.ITERABLE)
                    .containsExactlyElementsOf(colours);
            Object read = codec.readExactly(
                    codec.write(Map.of("colours", colours, "dots", dots, "numbers", numbers)), Palette.class);
            assertThat(read).isInstanceOfSatisfying(Palette.class, palette -> {
                assertThat(palette.colours()).containsExactlyElementsOf(colours);
                assertThat(palette.dots()).containsExactlyElementsOf(dots);
                // An EnumMap has the order of the constants, on each node.
                assertThat(List.copyOf(palette.numbers().keySet())).isIn(colours, List.of(Colour.values()));
            });
        }
    }

    private static @Nullable Object value(Random random, int depth) {
        return switch (random.nextInt(depth > 3 ? 9 : 12)) {
            case 0 -> 1.0;
            case 1 -> 1e2;
            case 2 -> new BigInteger("12345678901234567890").add(BigInteger.valueOf(random.nextInt(1_000)));
            case 3 -> new BigDecimal("1.50");
            case 4 -> random.nextGaussian() * Math.pow(10, random.nextInt(60) - 30);
            case 5 -> random.nextLong();
            case 6 -> List.of("", "é", "😀", "\n", "$muster", "null").get(random.nextInt(6));
            case 7 -> Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000));
            case 8 -> null;
            case 9 -> new Item("x", new BigDecimal("0.10"), random.nextInt());
            case 10 -> {
                List<@Nullable Object> list = new ArrayList<>();
                for (int i = random.nextInt(5); i > 0; i--) {
                    list.add(value(random, depth + 1));
                }
                yield list;
            }
            default -> {
                Map<String, @Nullable Object> map = new HashMap<>();
                for (int i = random.nextInt(6); i > 0; i--) {
                    map.put("k".repeat(random.nextInt(3)) + random.nextInt(20), value(random, depth + 1));
                }
                yield map;
            }
        };
    }

    /** With the classes of numbers, and maps in their order. */
    private static String described(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(member -> member.getKey() + "=" + described(member.getValue()))
                    .toList()
                    .toString();
        }
        if (value instanceof List<?> list) {
            return list.stream().map(JsonCodecContract::described).toList().toString();
        }
        return value == null ? "null" : value + ":" + value.getClass().getSimpleName();
    }
}
