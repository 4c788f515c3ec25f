package dev.muster.internal.runtime;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.OutcomeUnknown;
import dev.muster.runtime.ReadTookTooLong;
import java.sql.SQLException;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SentCommitsTest {
    private static final SQLException LOCKED = new SQLException("canceling statement due to lock timeout", "55P03");

    /** Says itself what became of the request. */
    private static final class Refused extends MusterException {
        private static final long serialVersionUID = 1L;

        Refused(String message, SQLException cause) {
            super(message, cause);
        }
    }

    static Stream<MusterException> failuresOfTheNode() {
        return Stream.of(
                new DatabaseUnavailable("gone", null),
                new ReadTookTooLong("somebody holds a lock", LOCKED),
                new ReadTookTooLong("somebody holds a lock", null),
                tooMany(),
                new MusterException("the database refused a statement", LOCKED),
                new MusterException("outer", new MusterException("inner", LOCKED)));
    }

    static Stream<RuntimeException> answersToTheRequest() {
        return Stream.of(
                new MusterException("the graph has ended"),
                new Refused("the transaction was rolled back; call it again", LOCKED),
                new IllegalStateException("a mistake"));
    }

    private static MusterException tooMany() {
        new LargeReads(0, 0, 0, Duration.ZERO, Duration.ZERO).begin("ada", false);
        try {
            LargeReads.count(Long.MAX_VALUE);
            throw new AssertionError("there was room");
        } catch (LargeReads.TooMany e) {
            return e;
        } finally {
            LargeReads.end();
        }
    }

    private static void throwAfterACommit(RuntimeException thrown) {
        SentCommits.during(() -> {
            SentCommits.note();
            throw thrown;
        });
    }

    @ParameterizedTest
    @MethodSource("failuresOfTheNode")
    void nobodyIsToldThatACommittedChangeHasFailed(MusterException failure) {
        assertThatThrownBy(() -> throwAfterACommit(failure))
                .isInstanceOf(OutcomeUnknown.class)
                .hasMessageContaining(failure.getMessage())
                .hasCause(failure);
    }

    @ParameterizedTest
    @MethodSource("failuresOfTheNode")
    void withoutACommitTheFailureIsTheTruth(MusterException failure) {
        assertThatThrownBy(() -> SentCommits.during(() -> {
                    throw failure;
                }))
                .isSameAs(failure);
    }

    @ParameterizedTest
    @MethodSource("answersToTheRequest")
    void whatIsWrongWithARequestIsToldAlsoAfterACommit(RuntimeException answer) {
        assertThatThrownBy(() -> throwAfterACommit(answer)).isSameAs(answer);
    }

    @Test
    void whatAPartHasDoneTheWholeHasDone() {
        assertThatThrownBy(() -> SentCommits.during(() -> {
                    SentCommits.during(() -> {
                        SentCommits.note();
                        return "";
                    });
                    throw new ReadTookTooLong("somebody holds a lock", LOCKED);
                }))
                .isInstanceOf(OutcomeUnknown.class);
    }
}
