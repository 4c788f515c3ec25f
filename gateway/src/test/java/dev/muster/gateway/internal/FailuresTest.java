package dev.muster.gateway.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.gateway.internal.route.Refusal;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.ReadTookTooLong;
import java.sql.SQLException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FailuresTest {

    static Stream<ReadTookTooLong> slowReads() {
        return Stream.of(
                new ReadTookTooLong("somebody holds a lock", new SQLException("canceling statement", "57014")),
                new ReadTookTooLong("somebody holds a lock", null));
    }

    @ParameterizedTest
    @MethodSource("slowReads")
    void aReadThatTookTooLongCanBeRepeated(ReadTookTooLong slow) {
        Refusal refusal = Failures.of(slow, "GET /_api/queues");

        assertThat(refusal.status()).isEqualTo(503);
        assertThat(refusal.code()).isEqualTo("database_unavailable");
        assertThat(refusal.getMessage()).contains("nothing was done").doesNotContain("lock");
    }

    @Test
    void whatTheDatabaseSaysIsNotTold() {
        Refusal refusal = Failures.of(
                new MusterException("the database refused a statement: secret", new SQLException("secret", "42601")),
                "GET /_api/queues");

        assertThat(refusal.status()).isEqualTo(500);
        assertThat(refusal.getMessage()).doesNotContain("secret");
    }
}
