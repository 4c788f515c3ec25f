package dev.muster.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NamePatternsTest {

    @Test
    void onePatternIsEnough() {
        NamePatterns names = NamePatterns.of("mail_*", "report");

        assertThat(List.of("mail_", "mail_welcome", "report")).allMatch(names::allows);
        assertThat(List.of("mail", "reports", "delete_customer", "mail_::x")).noneMatch(names::allows);
        assertThat(names.allowsAll()).isFalse();
        assertThat(names).hasToString("mail_*, report");
    }

    @Test
    void withoutAPatternNothingIsAllowed() {
        NamePatterns none = NamePatterns.of();

        assertThat(none.allows("a")).isFalse();
        assertThat(none.allowsAll()).isFalse();
        assertThat(none).hasToString("no name");
    }

    @Test
    void twoStarsAllowEveryName() {
        assertThat(List.of("a", "ml::train", "a::::b", "a::", "workflow:order:1"))
                .allMatch(NamePatterns.ALL::allows);
        assertThat(NamePatterns.of("a", "**").allowsAll()).isTrue();
        assertThat(NamePatterns.of("*").allowsAll()).isFalse();
    }

    @Test
    void whatIncludesOthersAllowsWhatTheyAllow() {
        NamePatterns names = NamePatterns.of("mail_*", "report");

        assertThat(names.includes(NamePatterns.of("report"))).isTrue();
        assertThat(names.includes(names)).isTrue();
        assertThat(names.includes(NamePatterns.of())).isTrue();
        assertThat(NamePatterns.ALL.includes(names)).isTrue();
        assertThat(names.includes(NamePatterns.ALL)).isFalse();
        assertThat(names.includes(NamePatterns.of("mail_*", "*"))).isFalse();
    }

    @Test
    void theOrderDoesNotMatter() {
        assertThat(NamePatterns.of("b", "a", "b"))
                .isEqualTo(NamePatterns.of("a", "b"))
                .hasSameHashCodeAs(NamePatterns.of("a", "b"));
        assertThat(NamePatterns.of("b", "a", "b").texts()).containsExactly("a", "b");
    }

    @Test
    void theirNumberIsBounded() {
        List<String> most = IntStream.range(0, 100).mapToObj(i -> "a" + i).toList();
        List<String> more = IntStream.range(0, 101).mapToObj(i -> "a" + i).toList();

        assertThat(NamePatterns.of(most).allows("a99")).isTrue();
        assertThatThrownBy(() -> NamePatterns.of(more))
                .isInstanceOf(InvalidName.class)
                .hasMessage("there may be 100 patterns of names at most, not 101");
        assertThatThrownBy(() -> NamePatterns.of(
                        most.stream().map(name -> name + "b".repeat(50)).toList()))
                .hasMessageContaining("4000 characters together");
        assertThatThrownBy(() -> NamePatterns.of("a b")).isInstanceOf(InvalidName.class);
        assertThatThrownBy(() -> NamePatterns.of("")).isInstanceOf(InvalidName.class);
    }
}
