package dev.muster.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.testing.Seeds;
import dev.muster.testing.Sizes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NamePatternTest {

    @ParameterizedTest
    @CsvSource({
        "ml::train, ml::train",
        "ml::*, ml::train",
        "ml::*, ml::predict",
        "**::heavy_*, ml::heavy_train",
        "**::heavy_*, etl::data::heavy_load",
        "**::heavy_*, ml::heavy_",
        "heavy_*, heavy_compute",
        "heavy_*, heavy_",
        "*_gpu, train_gpu",
        "*_gpu, _gpu",
        "**::batch::*, etl::batch::load",
        "**::batch::*, a::b::batch::load",
        "**::batch::*, batch::batch::batch",
        "**, train",
        "**, ml::eu::train",
        "*, train",
        "**train**, ml::train::eu",
        "**train**, train",
        "**::eu::**, ml::eu::train",
        "**::eu::**, a::eu::eu::b",
        "ml**, ml",
        "ml**, ml::train",
        "ml**, mlx::train",
        "ml**train, ml::train",
        "ab*ba, abba",
        "ab*ba, ababa",
        "a*b*c, abc",
        "a*b*c, axxbyybzzc",
        "a*b*::*c*d, axb::cd",
        "*a*a*, aa",
        "a::::*, a::::b",
        "a::::b, a::::b",
        "a::**::::b, a::x::y::::b",
        "a**::::b, a::::b",
        "ml::, ml::",
        "*::, ml::",
        "workflow:*, workflow:checkout:1:abcd",
        "*:1:*, workflow:checkout:1:abcd",
        "a::*, a:::b",
        "a:*, a:b",
    })
    void matches(String pattern, String name) {
        assertThat(NamePattern.of(pattern).matches(name)).isTrue();
        assertThat(Reference.matches(pattern, name)).as("the reference agrees").isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "ml::train, ml::trains",
        "ml::train, ml:train",
        "ml::train, xml::train",
        "ml::*, ml",
        "ml::*, ml::",
        "ml::*, ml::eu::train",
        "ml::*, etl::extract",
        "ml::*, xml::train",
        "ml::**, ml::",
        "ml**, ml::",
        "**, ml::",
        "**, a::::b",
        "**, ''",
        "*, ''",
        "*, ml::train",
        "**::heavy_*, heavy_train",
        "**::heavy_*, ml::heavy_train::eu",
        "**::heavy_*, ::heavy_train",
        "heavy_*, ml::heavy_compute",
        "heavy_*, heavy_::x",
        "*_gpu, ml::train_gpu",
        "*_gpu, train_gpu2",
        "**::batch::*, batch::load",
        "**::batch::*, etl::batch::",
        "**::batch::*, etl::batch::eu::load",
        "ab*ba, aba",
        "ab**ba, aba",
        "*a*a*, a",
        "a*b*c, acb",
        "a::**::b, a::b",
        "a::*::b, a::::b",
        "a::**::b, a::::b",
        "a**::b, a::::b",
        "a::::b, a::b",
        "a::::*, a::b",
        "a:*, a::b",
        "a:**, a::b",
        "*::b, a:::b",
    })
    void doesNotMatch(String pattern, String name) {
        assertThat(NamePattern.of(pattern).matches(name)).isFalse();
        assertThat(Reference.matches(pattern, name)).as("the reference agrees").isFalse();
    }

    /** Random patterns over few characters, so that they often match; two thirds of the names are made from the pattern. */
    @Test
    void agreesWithTheReference() {
        long seed = Seeds.next(getClass());
        Random random = new Random(seed);
        int matching = 0;
        int cases = Sizes.of(20_000, 60_000);
        for (int i = 0; i < cases; i++) {
            String text = text(random, List.of("a", "b", ":", "::", "*", "**"), 8);
            if (text.isEmpty() || text.contains("***")) {
                continue;
            }
            String name =
                    random.nextInt(3) == 0 ? text(random, List.of("a", "b", ":", "::"), 10) : filled(random, text);
            boolean expected = Reference.matches(text, name);
            assertThat(NamePattern.of(text).matches(name))
                    .as("'%s' matches '%s' (seed %d)", text, name, seed)
                    .isEqualTo(expected);
            matching += expected ? 1 : 0;
        }
        assertThat(matching).as("both answers occur often").isBetween(cases / 10, cases * 8 / 10);
    }

    private static String text(Random random, List<String> parts, int max) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(max + 1); i > 0; i--) {
            text.append(parts.get(random.nextInt(parts.size())));
        }
        return text.toString();
    }

    /** The pattern with other text in the places of its wildcards. */
    private static String filled(Random random, String pattern) {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < pattern.length(); i++) {
            name.append(
                    pattern.charAt(i) == '*'
                            ? text(random, List.of("a", "b", "::"), 3)
                            : String.valueOf(pattern.charAt(i)));
        }
        return name.toString();
    }

    /** A backtracking matcher would need more steps here than there are atoms in the world. */
    @Test
    void manyWildcardsTakeNoLonger() {
        assertThat(NamePattern.of("*a".repeat(120) + "b").matches("a".repeat(127)))
                .isFalse();
        assertThat(NamePattern.of("**a".repeat(80) + "b").matches("a::".repeat(42) + "a"))
                .isFalse();
    }

    @Test
    void refusesWhatCanNeverMatchOrMeansNothing() {
        assertRefused("", "an empty pattern matches nothing; write ** to match every name");
        assertRefused("a***", "pattern 'a***' has three stars in a row; write * to match within a segment");
        assertRefused("****", "three stars in a row");
        assertRefused("ML::*", "has the character 'M', which no name has; allowed are *, a-z, 0-9");
        assertRefused("ml ::*", "has the character ' '");
        assertRefused("ml::?", "has the character '?'");
        assertRefused("a".repeat(256), "a pattern has 255 characters at most, and this one has 256");
    }

    private static void assertRefused(String text, String reason) {
        assertThatThrownBy(() -> NamePattern.of(text))
                .isInstanceOf(InvalidName.class)
                .hasMessageContaining(reason);
    }

    @Test
    void patternsOfTheSameTextAreEqual() {
        assertThat(NamePattern.of("ml::*"))
                .isEqualTo(NamePattern.of("ml::*"))
                .hasSameHashCodeAs(NamePattern.of("ml::*"));
        assertThat(NamePattern.of("ml::*"))
                .isNotEqualTo(NamePattern.of("ml::**"))
                .hasToString("ml::*");
    }

    /**
     * The same decisions, written as backtracking over segments. A segment of the pattern without {@code **} is matched with one segment of
     * the name. One with {@code **} is matched with one or more segments of the name, joined again, none of which is empty.
     */
    private static final class Reference {

        static boolean matches(String pattern, String name) {
            return segments(List.of(split(pattern)), List.of(split(name)));
        }

        private static String[] split(String text) {
            return text.split("::", -1);
        }

        private static boolean segments(List<String> pattern, List<String> name) {
            if (pattern.isEmpty()) {
                return name.isEmpty();
            }
            String first = pattern.get(0);
            List<String> others = pattern.subList(1, pattern.size());
            int most = first.contains("**") ? name.size() : Math.min(1, name.size());
            for (int count = 1; count <= most; count++) {
                if (one(first, name.subList(0, count)) && segments(others, name.subList(count, name.size()))) {
                    return true;
                }
            }
            return false;
        }

        private static boolean one(String segment, List<String> covered) {
            if (segment.isEmpty()) {
                return covered.equals(List.of(""));
            }
            List<String> characters = new ArrayList<>();
            for (String part : covered) {
                if (!characters.isEmpty()) {
                    characters.add("::");
                }
                part.chars().forEach(c -> characters.add(String.valueOf((char) c)));
            }
            return !covered.contains("") && characters(segment, characters);
        }

        private static boolean characters(String pattern, List<String> name) {
            if (pattern.isEmpty()) {
                return name.isEmpty();
            }
            boolean across = pattern.startsWith("**");
            if (across || pattern.startsWith("*")) {
                if (characters(pattern.substring(across ? 2 : 1), name)) {
                    return true;
                }
                return !name.isEmpty()
                        && (across || !name.get(0).equals("::"))
                        && characters(pattern, name.subList(1, name.size()));
            }
            return !name.isEmpty()
                    && name.get(0).equals(pattern.substring(0, 1))
                    && characters(pattern.substring(1), name.subList(1, name.size()));
        }
    }
}
