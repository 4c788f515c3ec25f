package dev.muster.postgres.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqlStatesTest {

    @ParameterizedTest
    @ValueSource(strings = {"08006", "08001", "57P01", "57P03", "25P03", "25006", "53300"})
    void aConnectionIsLostWhenItBrokeOrTheServerRefusesIt(String state) {
        assertThat(SqlStates.connectionLost(new SQLException("gone", state))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"57014", "55P03", "40001", "40P01", "23505", "42P01", "22P05"})
    void aConnectionOutlivesARefusedStatement(String state) {
        assertThat(SqlStates.connectionLost(new SQLException("refused", state))).isFalse();
    }

    @Test
    void aPoolThatHasNoConnectionGivesNoCode() {
        assertThat(SqlStates.connectionLost(new SQLTransientConnectionException("none within 10 s")))
                .isTrue();
        assertThat(SqlStates.connectionLost(new SQLException("none"))).isFalse();
    }

    @Test
    void aStandbyIsKnownByWhatItSays() {
        assertThat(SqlStates.takesNoWrites(new SQLException("recovery is in progress", "55000")))
                .isTrue();
        assertThat(SqlStates.takesNoWrites(new SQLException("currval is not yet defined", "55000")))
                .isFalse();
    }
}
