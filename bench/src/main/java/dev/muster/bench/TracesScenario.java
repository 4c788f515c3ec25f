package dev.muster.bench;

import dev.muster.bench.Metric.Unit;
import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Site;
import dev.muster.opentelemetry.OpenTelemetryTracing;
import dev.muster.telemetry.Tracing;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What traces cost: a backlog is enqueued and run without a tracer, with one whose sampler drops every trace, and with one that keeps every
 * trace. The spans are exported to nowhere: what an exporter costs is not Muster's.
 */
final class TracesScenario implements Scenario {

    /** Who traces. */
    private enum Tracer {
        ABSENT(null),
        SAMPLED_OUT(Sampler.alwaysOff()),
        WRITTEN(Sampler.alwaysOn());

        private final @Nullable Sampler sampler;
        private final Metric process;
        private final Metric enqueue;
        private final Metric single;

        Tracer(@Nullable Sampler sampler) {
            this.sampler = sampler;
            String which = "traces_" + name().toLowerCase(Locale.ROOT);
            this.process = Metric.of(which + "_process", Unit.JOBS_PER_SECOND);
            this.enqueue = Metric.of(which + "_enqueue", Unit.JOBS_PER_SECOND);
            this.single = Metric.of(which + "_enqueue_single", Unit.JOBS_PER_SECOND);
        }

        @Nullable
        Tracing tracing() {
            return sampler == null
                    ? null
                    : new OpenTelemetryTracing(OpenTelemetrySdk.builder()
                            .setTracerProvider(SdkTracerProvider.builder()
                                    .setSampler(sampler)
                                    .build())
                            .build());
        }

        Stream<Comparison> comparedWithAbsent() {
            return this == ABSENT
                    ? Stream.of()
                    : Stream.of(
                            new Comparison(process.name() + "_vs_absent", process, ABSENT.process),
                            new Comparison(enqueue.name() + "_vs_absent", enqueue, ABSENT.enqueue),
                            new Comparison(single.name() + "_vs_absent", single, ABSENT.single));
        }
    }

    /** Another tracer begins in each round, because a machine becomes faster or slower meanwhile. */
    private int round;

    @Override
    public String name() {
        return "traces";
    }

    @Override
    public boolean suits(Contender contender) {
        return contender.kind() == Contender.Kind.MUSTER;
    }

    @Override
    public List<Comparison> comparisons() {
        return Arrays.stream(Tracer.values())
                .flatMap(Tracer::comparedWithAbsent)
                .toList();
    }

    @Override
    public Figures measure(Stage stage, Contender contender) throws Exception {
        Figures figures = new Figures();
        List<Tracer> order = new ArrayList<>(List.of(Tracer.values()));
        Collections.rotate(order, round++);
        for (Tracer tracer : order) {
            measure(stage, tracer, figures);
        }
        return figures;
    }

    private static void measure(Stage stage, Tracer tracer, Figures figures) throws Exception {
        int jobs = stage.plan().jobs();
        int singles = Math.max(1, jobs / 5);
        try (Scratch database = stage.database();
                Site site = MusterContender.site(database.url(), tracer.tracing())) {
            Crew.enqueue(site, 0, singles, 1, 8);
            database.checkpoint();
            figures.add(tracer.single, Crew.enqueuePerSecond(site, singles, singles, 1, 8));
            database.checkpoint();
            figures.add(tracer.enqueue, Crew.enqueuePerSecond(site, 2 * singles, jobs, 1_000, 2));
            database.analyze();
            database.checkpoint();
            figures.add(tracer.process, Run.backlog(site, jobs + 2 * singles).perSecond());
        }
    }
}
