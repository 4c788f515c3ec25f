package dev.muster.internal.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.NewJobTraces;
import dev.muster.job.JobId;
import dev.muster.job.JobOptions;
import dev.muster.job.Lane;
import dev.muster.runtime.Clock;
import dev.muster.telemetry.Tracing;
import dev.muster.telemetry.Tracing.Publication;
import dev.muster.telemetry.Tracing.Span;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TracesTest {
    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    private static final String OTHER = "00-11111111111111111111111111111111-2222222222222222-01";
    private static final String UNSAMPLED = "00-11111111111111111111111111111111-2222222222222222-00";
    private static final JobId ID = JobId.of("01900000-0000-7000-8000-000000000000");
    private static final Instant NOON = Instant.parse("2030-01-01T12:00:00Z");

    private final List<Object> begun = new ArrayList<>();
    private final List<Optional<Throwable>> ended = new ArrayList<>();

    @AfterEach
    void clearInterrupt() {
        Thread.interrupted();
    }

    /** Makes a span of everything. */
    private Tracing recording(Supplier<@Nullable String> trace) {
        return new Tracing() {
            private Span begin(Object what) {
                begun.add(what);
                String text = trace.get();
                return new Span() {
                    @Override
                    public @Nullable String trace() {
                        return text;
                    }

                    @Override
                    public void end(@Nullable Throwable failure) {
                        ended.add(Optional.ofNullable(failure));
                    }
                };
            }

            @Override
            public Span publish(Publication publication) {
                return begin(publication);
            }

            @Override
            public Span process(Processing processing) {
                return begin(processing);
            }

            @Override
            public Span step(Step step) {
                return begin(step);
            }

            @Override
            public Span tick(Tick tick) {
                return begin(tick);
            }
        };
    }

    private static Traces of(Tracing tracing) {
        return Traces.of(tracing, Clock.system());
    }

    private static NewJob job(String name, String queue, @Nullable String trace) {
        return new NewJob(
                        JobId.next(),
                        false,
                        name,
                        JobOptions.DEFAULTS.queue(queue),
                        NewJob.Timing.NOW,
                        "{}",
                        null,
                        List.of(),
                        null,
                        null,
                        List.of(),
                        List.of())
                .withTrace(trace);
    }

    private static ClaimedJob claimed(String name, @Nullable String trace) {
        return new ClaimedJob(
                        new ClaimRef(ID, 7),
                        1,
                        name,
                        new Lane("default", ""),
                        1,
                        null,
                        null,
                        0,
                        false,
                        null,
                        "{}",
                        null)
                .withTrace(trace);
    }

    @Test
    void withoutATracerThereIsNoSpan() {
        Traces none = TelemetryListeners.none().traces();

        assertThat(none.isEnabled()).isFalse();
        assertThat(none.publish(List.of(job("a", "q", null)))).isNull();
        assertThat(none.process(claimed("a", TRACE), "n")).isSameAs(Span.NONE);
        assertThat(none.step("w", ID, "s", "0", 1, Optional.of(TRACE))).isSameAs(Span.NONE);
        assertThat(none.tick("c", "a", ID, NOON)).isSameAs(Span.NONE);
    }

    @Test
    void jobsAndRunsWithoutATraceHaveNoSpan() {
        Traces traces = of(recording(() -> TRACE));

        assertThat(traces.process(claimed("a", null), "n")).isSameAs(Span.NONE);
        assertThat(traces.step("w", ID, "s", "0", 1, Optional.empty())).isSameAs(Span.NONE);
        assertThat(begun).isEmpty();
    }

    @Test
    void aPublicationSaysWhatItsJobsHaveInCommon() {
        Traces traces = of(recording(() -> TRACE));
        NewJob one = job("a", "q", null);
        traces.publish(List.of(one));
        traces.publish(List.of(job("a", "q", null), job("a", "r", null)));
        traces.publish(List.of(job("a", "q", null), job("b", "q", null), job("b", "other", TRACE)));
        NewJobTraces.Writing none = traces.publish(List.of(job("a", "q", TRACE)));

        assertThat(none).isNull();
        assertThat(begun)
                .containsExactly(
                        new Publication(Optional.of("a"), false, Optional.of("q"), Optional.of(one.id()), 1, null),
                        new Publication(Optional.of("a"), false, Optional.empty(), Optional.empty(), 2, null),
                        new Publication(Optional.empty(), false, Optional.of("q"), Optional.empty(), 2, null));
    }

    @Test
    void theDriverOfARunIsNamedByItsWorkflow() {
        Traces traces = of(recording(() -> TRACE));
        traces.process(claimed("workflow:checkout:v1:01234567", TRACE), "n");
        traces.process(claimed("mail", TRACE), "n");

        assertThat(begun)
                .extracting(span -> ((Tracing.Processing) span).workflow())
                .containsExactly(Optional.of("checkout"), Optional.empty());
    }

    @Test
    void whatATracerThrowsReachesNobody() {
        Traces failing = of(recording(() -> {
            throw new StackOverflowError("of a tracer");
        }));
        assertThat(failing.process(claimed("a", TRACE), "n").trace()).isNull();
        failing.tick("c", "a", ID, NOON).end(null);

        Tracing endsBadly = new Tracing() {
            private final Span span = new Span() {
                @Override
                public String trace() {
                    return TRACE;
                }

                @Override
                public void end(@Nullable Throwable failure) {
                    Thread.interrupted();
                    throw new IllegalStateException("of a tracer");
                }
            };

            @Override
            public Span publish(Publication publication) {
                return span;
            }

            @Override
            public Span process(Processing processing) {
                return span;
            }

            @Override
            public Span step(Step step) {
                return span;
            }

            @Override
            public Span tick(Tick tick) {
                return span;
            }
        };
        Thread.currentThread().interrupt();
        of(endsBadly).process(claimed("a", TRACE), "n").end(null);
        assertThat(Thread.currentThread().isInterrupted())
                .as("an interrupt that the tracer has consumed")
                .isTrue();
    }

    @Test
    void onlyTraceparentsAreWritten() {
        assertThat(of(recording(() -> "b3-header")).tick("c", "a", ID, NOON).trace())
                .isNull();
        assertThat(of(recording(() -> null)).tick("c", "a", ID, NOON).trace()).isNull();
        Span span = of(recording(() -> TRACE)).tick("c", "a", ID, NOON);
        assertThat(span.trace()).isEqualTo(TRACE);
        span.end(new IllegalStateException("no"));
        assertThat(ended)
                .hasSize(1)
                .allSatisfy(failure -> assertThat(failure).get().isInstanceOf(IllegalStateException.class));
    }

    /** It may be the current one of a thread that runs other jobs later. */
    @Test
    void aSpanThatCannotSayItsTraceIsEnded() {
        Span begins = new Span() {
            @Override
            public String trace() {
                throw new IllegalStateException("of a tracer");
            }

            @Override
            public void end(@Nullable Throwable failure) {
                ended.add(Optional.ofNullable(failure));
                throw new IllegalStateException("of a tracer, too");
            }
        };
        Traces traces = of(new Tracing() {
            @Override
            public Span publish(Publication publication) {
                return begins;
            }

            @Override
            public Span process(Processing processing) {
                return begins;
            }

            @Override
            public Span step(Step step) {
                return begins;
            }

            @Override
            public Span tick(Tick tick) {
                return begins;
            }
        });

        assertThat(traces.process(claimed("a", TRACE), "n")).isSameAs(Span.NONE);
        assertThat(ended).hasSize(1);
    }

    @Test
    void theCallersSpanIsTheParentOfWhatIsWrittenForIt() {
        Traces traces = of(recording(() -> TRACE));

        CallerTrace.during(OTHER, () -> traces.publish(List.of(job("a", "q", null))));
        traces.publish(List.of(job("a", "q", null)));

        assertThat(begun).extracting(span -> ((Publication) span).parent()).containsExactly(OTHER, null);
        assertThat(CallerTrace.current()).isNull();
    }

    @Test
    void withoutATracerTheTraceOfTheCallerIsPassedOn() {
        Traces none = TelemetryListeners.none().traces();
        List<NewJob> jobs = List.of(job("a", "q", null));

        assertThat(CallerTrace.during(TRACE, () -> none.publish(jobs).trace())).isEqualTo(TRACE);
        assertThat(CallerTrace.<NewJobTraces.Writing>during(UNSAMPLED, () -> none.publish(jobs)))
                .isNull();
        assertThat(CallerTrace.<NewJobTraces.Writing>during("nonsense", () -> none.publish(jobs)))
                .isNull();
        assertThat(none.publish(jobs)).isNull();
    }

    @Test
    void whatHasSpansAlreadyGetsNoOthers() {
        Traces traces = of(recording(() -> TRACE));

        NewJobTraces.Writing span = Traces.withoutSpans(() -> traces.publish(List.of(job("a", "q", null))));

        assertThat(span).isNull();
        assertThat(begun).isEmpty();
    }
}
