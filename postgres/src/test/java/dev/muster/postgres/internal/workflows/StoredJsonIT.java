package dev.muster.postgres.internal.workflows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.internal.runtime.Jsonb;
import dev.muster.internal.runtime.StorableJson;
import dev.muster.postgres.internal.FreshDatabase;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.testing.Seeds;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a run's code is given of a step that has just been stored is, letter by letter, what a replay reads. */
class StoredJsonIT {
    private static final String[] NUMBERS = {
        "0",
        "-0",
        "0.0",
        "-0.0",
        "1",
        "1.0",
        "1.50",
        "1e2",
        "1E+2",
        "1e-2",
        "1.5e3",
        "100e-1",
        "-7.25E-10",
        "0e5",
        "1e308",
        "12345678901234567890",
        "0.1000000000000000055511151231257827",
        "1e-300",
        "5E-324",
        "1.7976931348623157E308"
    };
    private static final String[] TEXTS = {
        "",
        "a",
        "b",
        "aa",
        "é",
        "😀",
        "\\u0041",
        "\\/",
        "\\n\\t\\b\\f\\r",
        "\\\"\\\\",
        "\\u001f",
        "\\ud83d\\ude00",
        " ",
        "$muster",
        "Z"
    };

    private final Random random = new Random(Seeds.next(StoredJsonIT.class));

    private String json(int depth) {
        return switch (random.nextInt(depth > 4 ? 4 : 6)) {
            case 0 -> NUMBERS[random.nextInt(NUMBERS.length)];
            case 1 -> text();
            case 2 -> List.of("true", "false", "null").get(random.nextInt(3));
            case 3 -> Double.toString(random.nextGaussian() * Math.pow(10, random.nextInt(60) - 30));
            case 4 -> list(depth);
            default -> object(depth);
        };
    }

    private String text() {
        StringBuilder text = new StringBuilder("\"");
        for (int i = random.nextInt(4); i >= 0; i--) {
            text.append(TEXTS[random.nextInt(TEXTS.length)]);
        }
        return text.append('"').toString();
    }

    private String list(int depth) {
        List<String> items = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            items.add(json(depth + 1));
        }
        return "[" + String.join(random.nextBoolean() ? "," : " ,\n", items) + "]";
    }

    /** Names may come twice. */
    private String object(int depth) {
        List<String> members = new ArrayList<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            members.add(text() + (random.nextBoolean() ? ":" : " : ") + json(depth + 1));
        }
        return "{" + String.join(",", members) + "}";
    }

    private static List<String> throughTheDatabase(List<String> values) throws SQLException {
        List<String> back = new ArrayList<>();
        try (FreshDatabase database = new FreshDatabase(1);
                Connection connection = database.connection();
                PreparedStatement statement = connection.prepareStatement(
                        "SELECT v::jsonb::text FROM unnest(?::text[]) WITH ORDINALITY AS a (v, n) ORDER BY n")) {
            statement.setArray(1, connection.createArrayOf("text", values.toArray()));
            ResultSet rows = statement.executeQuery();
            while (rows.next()) {
                back.add(rows.getString(1));
            }
        }
        return back;
    }

    @Test
    void randomValuesComeBackAsTheyWereHandedOn() throws SQLException {
        List<String> values = new ArrayList<>(List.of(NUMBERS));
        for (int i = 0; i < 5_000; i++) {
            values.add(json(0));
        }
        List<String> handedOn = values.stream().map(Jsonb::asStored).toList();

        assertThat(throughTheDatabase(values)).isEqualTo(handedOn);
        assertThat(handedOn.stream().map(Jsonb::asStored).toList())
                .as("it has its form already")
                .isEqualTo(handedOn);
    }

    @Test
    void randomValuesHaveAsManyBytesAsWasSaid() throws SQLException {
        List<String> values = new ArrayList<>(List.of(NUMBERS));
        for (int i = 0; i < 5_000; i++) {
            values.add(json(0));
        }
        List<String> stored = throughTheDatabase(values);
        for (int i = 0; i < values.size(); i++) {
            assertThat(StorableJson.of(values.get(i)).bytes())
                    .as("members may come twice: %s", values.get(i))
                    .isGreaterThanOrEqualTo(bytes(stored.get(i)));
            assertThat(StorableJson.of(stored.get(i)).bytes()).as(stored.get(i)).isEqualTo(bytes(stored.get(i)));
        }
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    @ParameterizedTest
    @ValueSource(strings = {"1e1001", "[1e131071]", "1e-1001", "1e99999999999", "{\"a\": 1E+999999}"})
    void fewCharactersDoNotBecomeMany(String json) {
        assertThatThrownBy(() -> Jsonb.asStored(json))
                .isInstanceOf(JsonException.class)
                .hasMessageContaining("digits");
    }
}
