package dev.muster.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.runtime.InvalidName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {
    private static final String LONGEST = "a".repeat(127);

    @ParameterizedTest
    @ValueSource(strings = {"a", "z9", "send_mail", "a.b:c-d_e", "x0123456789"})
    void wellFormedNamesAreTaken(String name) {
        assertThat(Names.require("queue", name)).isSameAs(name);
        assertThat(Names.require("queue", LONGEST)).isSameAs(LONGEST);
        assertThatThrownBy(() -> Names.require("queue", LONGEST + "a")).isInstanceOf(InvalidName.class);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "A", "9a", "_a", "a b", "a/b", "aÄ", "a\n", "é", "a,b", "a'b"})
    void othersAreRefusedByName(String name) {
        assertThatThrownBy(() -> Names.require("queue", name))
                .isInstanceOf(InvalidName.class)
                .hasMessageStartingWith("queue ")
                .hasMessageContaining("a-z");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "v1", "1.4.0", "2026-11", "a_b"})
    void versionsMayStartWithADigit(String version) {
        assertThat(Names.requireVersion("workflow version", version)).isSameAs(version);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "V1", "-1", "1:2", "1 2", "é"})
    void otherVersionsAreRefused(String version) {
        assertThatThrownBy(() -> Names.requireVersion("workflow version", version))
                .isInstanceOf(InvalidName.class)
                .hasMessageStartingWith("workflow version ")
                .hasMessageContaining("0-9");
    }
}
