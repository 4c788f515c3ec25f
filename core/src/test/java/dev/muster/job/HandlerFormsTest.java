package dev.muster.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.runtime.MusterException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/** What one writes a handler with, besides annotations. */
class HandlerFormsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void aHandlerIsBuiltFromALambda() throws Exception {
        JobHandler handler = JobHandler.named("sum")
                .args(new TypeRef<List<Integer>>() {})
                .queue("maths")
                .capability("cpu")
                .priority(Priority.HIGH)
                .retry(RetryPolicy.attempts(7))
                .timeout(SECOND)
                .handle((ctx, numbers) ->
                        numbers.stream().mapToInt(Integer::intValue).sum());

        assertThat(handler.name()).isEqualTo("sum");
        assertThat(handler.lane()).isEqualTo(new Lane("maths", "cpu"));
        assertThat(handler.priority()).isEqualTo(Priority.HIGH);
        assertThat(handler.retry().maxAttempts()).isEqualTo(7);
        assertThat(handler.timeout()).isEqualTo(SECOND);
        assertThat(handler.argsType()).hasToString("java.util.List<java.lang.Integer>");
        assertThat(handler.body().run(null, List.of(1, 2))).isEqualTo(3);
    }

    @Test
    void whatIsNotSaidIsAsTheAnnotationHasIt() throws Exception {
        List<String> ran = new ArrayList<>();
        JobHandler handler = JobHandler.of(JobType.of("note", String.class)).run((ctx, text) -> ran.add(text));

        assertThat(handler.lane()).isEqualTo(new Lane("default", ""));
        assertThat(handler.retry()).isEqualTo(RetryPolicy.DEFAULT);
        assertThat(handler.timeout()).isNull();
        assertThat(handler.body().run(null, "hello")).isNull();
        assertThat(ran).containsExactly("hello");
        assertThat(JobHandler.named("none").run((ctx, none) -> {}).argsType()).isNull();
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        assertThatThrownBy(() -> JobHandler.named("No Name")).isInstanceOf(MusterException.class);
        assertThatThrownBy(() -> JobHandler.named("x").timeout(Duration.ZERO).run((ctx, none) -> {}))
                .hasMessageContaining("timeout of job 'x'");
        assertThatThrownBy(() -> new Snooze(SECOND.negated())).hasMessageContaining("0 to 365 days");
    }

    @Test
    void aRetryAtATimeThatMakesNoSenseIsMovedAndDoesNotHideTheFailure() {
        assertThat(new RetryLater(SECOND.negated(), "429").delay()).isEqualTo(Duration.ZERO);
        assertThat(new RetryLater(Duration.ofDays(366), "429").delay()).isEqualTo(Duration.ofDays(365));
    }

    @Test
    void aTypeTokenKnowsItsParameters() {
        JobType<Map<String, List<Integer>>, Void> type =
                JobType.of("import", new TypeRef<Map<String, List<Integer>>>() {});
        assertThat(type.args().getTypeName())
                .isEqualTo("java.util.Map<java.lang.String, java.util.List<java.lang.Integer>>");
        assertThat(new TypeRef<List<String>>() {}).isEqualTo(new TypeRef<List<String>>() {});
        assertThatThrownBy(HandlerFormsTest::<String>tokenOfAVariable).hasMessageContaining("only a name");
        assertThatThrownBy(HandlerFormsTest::<String>tokenWithAVariableInside)
                .hasMessageContaining(
                        "T in java.util.Map<java.lang.String, ? extends java.util.List<T>[]> is only a name");
    }

    private static <T> TypeRef<T> tokenOfAVariable() {
        return new TypeRef<T>() {};
    }

    private static <T> TypeRef<?> tokenWithAVariableInside() {
        return new TypeRef<Map<String, ? extends List<T>[]>>() {};
    }

    @Test
    void policiesAreReadable() {
        assertThat(RetryPolicy.never().runsOnce()).isTrue();
        assertThat(RetryPolicy.attempts(3)).isEqualTo(RetryPolicy.DEFAULT);
        RetryPolicy linear =
                RetryPolicy.linear(5, SECOND, Duration.ofSeconds(3)).withJitter(0);
        assertThat(waits(linear)).containsExactly(1_000L, 2_000L, 3_000L, 3_000L);
        assertThat(waits(RetryPolicy.fixed(5, SECOND).withJitter(0))).containsOnly(1_000L);
        assertThat(waits(RetryPolicy.exponential(5, SECOND, Duration.ofSeconds(6))
                        .withJitter(0)))
                .containsExactly(1_000L, 2_000L, 4_000L, 6_000L);
        RetryPolicy choosy = RetryPolicy.attempts(3)
                .withMaxCrashes(1)
                .withRetryOn(IOException.class)
                .withNoRetryOn(java.io.FileNotFoundException.class);
        assertThat(choosy.maxCrashes()).isEqualTo(1);
        assertThat(choosy.retries(1, new IOException())).isTrue();
        assertThat(choosy.retries(1, new java.io.FileNotFoundException())).isFalse();
        assertThat(choosy.retries(1, new IllegalStateException())).isFalse();
        assertThat(choosy.retries(1, new RetryLater(SECOND, "later"))).isTrue();
        assertThat(choosy.retries(3, new RetryLater(SECOND, "later"))).isFalse();
    }

    private static List<Long> waits(RetryPolicy policy) {
        List<Long> waits = new ArrayList<>();
        for (int attempt = 1; attempt < 5; attempt++) {
            waits.add(policy.delayAfter(attempt, new IOException(), ThreadLocalRandom.current())
                    .toMillis());
        }
        return waits;
    }

    @Test
    void theFailureDecidesBeforeTheRuleAndTheRuleBeforeTheBackoff() {
        RetryPolicy policy = RetryPolicy.fixed(5, SECOND).withJitter(0).withDelays((attempt, failure) -> {
            if (failure instanceof IllegalStateException) {
                throw new IllegalArgumentException("the rule is wrong");
            }
            return failure instanceof IOException ? Duration.ofMinutes(attempt) : null;
        });
        var random = ThreadLocalRandom.current();
        assertThat(policy.delayAfter(2, new IOException(), random)).isEqualTo(Duration.ofMinutes(2));
        assertThat(policy.delayAfter(2, new ArithmeticException(), random)).isEqualTo(SECOND);
        assertThat(policy.delayAfter(2, new IllegalStateException(), random)).isEqualTo(SECOND);
        assertThat(policy.delayAfter(2, new RetryLater(Duration.ofHours(1), "429"), random))
                .isEqualTo(Duration.ofHours(1));
        assertThat(policy.withLimits(9, null).delays()).isSameAs(policy.delays());
        assertThat(policy.withDelays((attempt, failure) -> Duration.ofDays(1_000))
                        .delayAfter(1, new IOException(), random))
                .isEqualTo(Duration.ofDays(365));
    }

    @Test
    void linesOfAJobTakeArgumentsAndExceptions() {
        List<String> lines = new ArrayList<>();
        JobLog log = new JobLog() {
            @Override
            public void info(String message) {
                lines.add("info " + message);
            }

            @Override
            public void warn(String message) {
                lines.add("warn " + message);
            }

            @Override
            public void error(String message) {
                lines.add("error " + message);
            }
        };
        log.info("plain {}");
        log.info("imported {} of {}", 3, 4);
        log.warn("row {} is odd", 7, new IOException("bad row"));
        log.error("it broke", new IOException("disk"));

        assertThat(lines.subList(0, 2)).containsExactly("info plain {}", "info imported 3 of 4");
        assertThat(lines.get(2)).startsWith("warn row 7 is odd\njava.io.IOException: bad row\n\tat ");
        assertThat(lines.get(3)).startsWith("error it broke\njava.io.IOException: disk\n\tat ");
    }
}
