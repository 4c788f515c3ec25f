package dev.muster.gateway.internal.route;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RefusalTest {
    @Test
    void aMessageIsNotAsLongAsWhatWasSent() {
        String sent = "x".repeat(1_000_000);

        Refusal refusal = Refusal.badRequest("name: '" + sent + "' is no name").details("more");

        assertThat(refusal.message()).startsWith("name: 'xxx").endsWith("x…").hasSizeLessThan(5_000);
    }
}
