package dev.muster.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.internal.job.JobRetries;
import dev.muster.runtime.MusterException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
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
        assertThat(handler.retry()).isEqualTo(BackoffPolicy.DEFAULT);
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
        assertThat(retries(RetryPolicy.never()).runsOnce()).isTrue();
        assertThat(RetryPolicy.attempts(3)).isEqualTo(BackoffPolicy.DEFAULT);
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
        assertThat(retries(choosy).retries(1, new IOException())).isTrue();
        assertThat(retries(choosy).retries(1, new java.io.FileNotFoundException()))
                .isFalse();
        assertThat(retries(choosy).retries(1, new IllegalStateException())).isFalse();
        assertThat(retries(choosy).retries(1, new RetryLater(SECOND, "later"))).isTrue();
        assertThat(retries(choosy).retries(3, new RetryLater(SECOND, "later"))).isFalse();
    }

    private static JobRetries retries(RetryPolicy policy) {
        return JobRetries.of(policy, null, null);
    }

    @Test
    void aPolicyOfYourOwnDecidesWithinTheLimitsOfTheJob() {
        var random = ThreadLocalRandom.current();
        RetryPolicy byHand = new RetryPolicy() {
            @Override
            public int maxAttempts() {
                return 4;
            }

            @Override
            public boolean retries(Throwable failure) {
                return !(failure instanceof IllegalStateException);
            }

            @Override
            public Duration delayAfter(int attempt, Throwable failure, RandomGenerator ignored) {
                return Duration.ofSeconds(10L * attempt);
            }
        };
        JobRetries own = retries(byHand);
        assertThat(own.maxAttempts()).isEqualTo(4);
        assertThat(own.maxCrashes()).isEqualTo(RetryPolicy.DEFAULT_MAX_CRASHES);
        assertThat(own.retries(3, new IOException())).isTrue();
        assertThat(own.retries(4, new IOException())).isFalse();
        assertThat(own.retries(1, new IllegalStateException())).isFalse();
        assertThat(own.delayAfter(3, new IOException(), random)).isEqualTo(Duration.ofSeconds(30));
        assertThat(own.delayAfter(3, new RetryLater(SECOND, "later"), random)).isEqualTo(SECOND);

        JobRetries limited = JobRetries.of(byHand, 2, null);
        assertThat(limited.retries(1, new IOException())).isTrue();
        assertThat(limited.retries(2, new IOException())).isFalse();
        assertThat(JobRetries.of(byHand, 1, null).runsOnce()).isTrue();
    }

    @Test
    void aPolicyThatThrowsOrAsksForTooLongDoesNoHarm() {
        var random = ThreadLocalRandom.current();
        RetryPolicy broken = new RetryPolicy() {
            @Override
            public int maxAttempts() {
                return 4;
            }

            @Override
            public boolean retries(Throwable failure) {
                throw new IllegalArgumentException("the policy is wrong");
            }

            @Override
            public Duration delayAfter(int attempt, Throwable failure, RandomGenerator ignored) {
                if (attempt == 1) {
                    throw new IllegalArgumentException("the policy is wrong");
                }
                return attempt == 2 ? Duration.ofDays(1_000) : Duration.ofDays(-1);
            }
        };
        assertThat(retries(broken).retries(1, new IOException())).isTrue();
        assertThat(retries(broken).delayAfter(1, new IOException(), random))
                .isBetween(Duration.ofMillis(800), Duration.ofMillis(1_200));
        assertThat(retries(broken).delayAfter(2, new IOException(), random)).isEqualTo(Duration.ofDays(365));
        assertThat(retries(broken).delayAfter(3, new IOException(), random)).isZero();
    }

    /** As code of other languages can. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException sneaky(Throwable failure) throws T {
        throw (T) failure;
    }

    @Test
    void aPolicyThatThrowsACheckedExceptionDoesNoHarm() {
        var random = ThreadLocalRandom.current();
        RetryPolicy broken = (attempt, failure, ignored) -> {
            throw HandlerFormsTest.<RuntimeException>sneaky(new IOException("undeclared"));
        };
        assertThat(retries(broken).delayAfter(1, new IOException(), random))
                .isBetween(Duration.ofMillis(800), Duration.ofMillis(1_200));
        RetryPolicy silent = (attempt, failure, ignored) -> null;
        assertThat(retries(silent).delayAfter(1, new IOException(), random))
                .isBetween(Duration.ofMillis(800), Duration.ofMillis(1_200));
    }

    @Test
    void anOutageWaitsForTheBackoffAlone() {
        var random = ThreadLocalRandom.current();
        RetryPolicy ruled =
                RetryPolicy.fixed(5, SECOND).withJitter(0).withDelays((attempt, failure) -> Duration.ofHours(1));
        assertThat(retries(ruled).delayAfterOutage(random)).isEqualTo(SECOND);
        RetryPolicy own = (attempt, failure, ignored) -> Duration.ofHours(1);
        assertThat(retries(own).delayAfterOutage(random)).isBetween(Duration.ofMillis(800), Duration.ofMillis(1_200));
    }

    @Test
    void theOptionsOfAHandlerCanBeGivenToARequest() {
        JobHandler handler = JobHandler.named("a")
                .queue("mail")
                .retry(RetryPolicy.attempts(7))
                .run((ctx, args) -> {});
        JobRequest request = JobRequest.of("a").capability("gpu").options(handler.options());
        assertThat(request.options()).isEqualTo(handler.options());
        assertThat(JobRequest.of("a")
                        .priority(Priority.HIGH)
                        .options(JobOptions.NONE)
                        .priority())
                .contains(Priority.HIGH);
        assertThat(JobRequest.of("a").options(JobOptions.DEFAULTS).queue()).contains("default");
    }

    @Test
    void aPolicyWithoutAnAttemptIsRefused() {
        RetryPolicy none = new RetryPolicy() {
            @Override
            public int maxAttempts() {
                return 0;
            }

            @Override
            public Duration delayAfter(int attempt, Throwable failure, RandomGenerator random) {
                return Duration.ZERO;
            }
        };
        assertThatThrownBy(() -> JobHandler.named("a").retry(none).run((ctx, args) -> {}))
                .hasMessageContaining("maxAttempts must be 1 to 1000");
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
        BackoffPolicy policy = RetryPolicy.fixed(5, SECOND).withJitter(0).withDelays((attempt, failure) -> {
            if (failure instanceof IllegalStateException) {
                throw new IllegalArgumentException("the rule is wrong");
            }
            return failure instanceof IOException ? Duration.ofMinutes(attempt) : null;
        });
        var random = ThreadLocalRandom.current();
        assertThat(retries(policy).delayAfter(2, new IOException(), random)).isEqualTo(Duration.ofMinutes(2));
        assertThat(retries(policy).delayAfter(2, new ArithmeticException(), random))
                .isEqualTo(SECOND);
        assertThat(retries(policy).delayAfter(2, new IllegalStateException(), random))
                .isEqualTo(SECOND);
        assertThat(retries(policy).delayAfter(2, new RetryLater(Duration.ofHours(1), "429"), random))
                .isEqualTo(Duration.ofHours(1));
        assertThat(JobRetries.of(policy, 9, null).delayAfter(8, new IOException(), random))
                .isEqualTo(Duration.ofMinutes(8));
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
