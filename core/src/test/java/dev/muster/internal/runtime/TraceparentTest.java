package dev.muster.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceparentTest {
    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
                "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'; DROP TABLE muster_jobs; --",
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\nX-Other: 1",
                "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01more"
            })
    void whatIsNotWellFormedIsRefused(String text) {
        assertThat(Traceparent.isValid(text)).isFalse();
        assertThat(Traceparent.ofHeader(text)).isEmpty();
    }

    @Test
    void aHeaderIsReadAsOfTheVersionThatIsKnown() {
        assertThat(Traceparent.ofHeader(TRACE)).contains(TRACE);
        assertThat(Traceparent.ofHeader("  " + TRACE + " ")).contains(TRACE);
        assertThat(Traceparent.ofHeader("01" + TRACE.substring(2))).contains(TRACE);
        assertThat(Traceparent.ofHeader("cc" + TRACE.substring(2) + "-what-comes-later"))
                .contains(TRACE);
    }

    @Test
    void theLastBitOfTheFlagsSaysWhetherItIsSampled() {
        assertThat(Traceparent.isSampled(TRACE)).isTrue();
        assertThat(Traceparent.isSampled(TRACE.substring(0, 53) + "03")).isTrue();
        assertThat(Traceparent.isSampled(TRACE.substring(0, 53) + "ff")).isTrue();
        assertThat(Traceparent.isSampled(TRACE.substring(0, 53) + "00")).isFalse();
        assertThat(Traceparent.isSampled(TRACE.substring(0, 53) + "02")).isFalse();
    }
}
