package dev.muster.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PluralTest {
    @Test
    void onlyOneThingIsSingular() {
        assertThat(Plural.of(0, "job")).isEqualTo("0 jobs");
        assertThat(Plural.of(1, "job")).isEqualTo("1 job");
        assertThat(Plural.of(2, "job")).isEqualTo("2 jobs");
        assertThat(Plural.choose(1, "waits", "wait")).isEqualTo("waits");
        assertThat(Plural.choose(3, "waits", "wait")).isEqualTo("wait");
    }
}
