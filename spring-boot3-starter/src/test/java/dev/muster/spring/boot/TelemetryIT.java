package dev.muster.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.micrometer.MusterMeters;
import dev.muster.opentelemetry.OpenTelemetryTracing;
import dev.muster.spring.traced.TracedApplication;
import dev.muster.spring.traced.TracedApplication.Spans;
import dev.muster.telemetry.Telemetry;
import dev.muster.telemetry.Tracing;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

/** Metrics and traces of an application that has Actuator and OpenTelemetry, and of those that have less. */
class TelemetryIT {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private FreshDatabase database;

    @BeforeEach
    void open() {
        database = FreshDatabase.migrated();
    }

    @AfterEach
    void close() {
        database.close();
    }

    private ConfigurableApplicationContext start(String... more) {
        List<String> arguments = new ArrayList<>(List.of(WithoutJpa.arguments(
                "--spring.flyway.enabled=false",
                "--spring.security.user.password=unused",
                "--management.tracing.sampling.probability=1.0",
                "--management.endpoints.web.exposure.include=prometheus")));
        arguments.addAll(List.of(more));
        return SpringApplication.run(TracedApplication.class, database.arguments(arguments.toArray(String[]::new)));
    }

    private static String send(ConfigurableApplicationContext to, String method, String path) throws Exception {
        String port = to.getEnvironment().getProperty("local.server.port");
        HttpResponse<String> answer = HTTP.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    private static SpanData only(Spans spans, String name) {
        assertThat(spans.named(name)).as(name).hasSize(1);
        return spans.named(name).get(0);
    }

    /** Spring has spans of its own between the request and what the application does. */
    private static SpanData rootOf(SpanData span, Spans spans) {
        Map<String, SpanData> byId =
                spans.all().stream().collect(Collectors.toMap(SpanData::getSpanId, Function.identity()));
        SpanData root = span;
        while (byId.containsKey(root.getParentSpanId())) {
            root = byId.get(root.getParentSpanId());
        }
        return root;
    }

    @Test
    void aRequestAndAllThatFollowsFromItAreOneTraceAndHaveMeters() throws Exception {
        try (ConfigurableApplicationContext context = start()) {
            Spans spans = context.getBean(Spans.class);
            send(context, "POST", "/orders");
            await().atMost(SOON)
                    .until(() -> !spans.named("process checkout").isEmpty()
                            && spans.named("process order").size() == 3
                            && !spans.named("publish order").isEmpty()
                            && rootOf(only(spans, "publish order"), spans).getKind() == SpanKind.SERVER);

            SpanData enqueue = only(spans, "publish order");
            SpanData request = rootOf(enqueue, spans);
            assertThat(request.getName()).isEqualTo("http post /orders");
            List<SpanData> attempts = spans.named("process order");
            assertThat(attempts)
                    .hasSize(3)
                    .allSatisfy(attempt -> assertThat(attempt.getParentSpanId()).isEqualTo(enqueue.getSpanId()));
            assertThat(attempts)
                    .extracting(attempt -> attempt.getStatus().getStatusCode())
                    .containsExactly(StatusCode.ERROR, StatusCode.ERROR, StatusCode.UNSET);
            SpanData started = only(spans, "publish checkout");
            assertThat(started.getParentSpanId()).isEqualTo(attempts.get(2).getSpanId());
            SpanData activation = only(spans, "process checkout");
            assertThat(activation.getParentSpanId()).isEqualTo(started.getSpanId());
            assertThat(only(spans, "step ship").getParentSpanId()).isEqualTo(activation.getSpanId());
            assertThat(rootOf(only(spans, "step ship"), spans)).isEqualTo(request);
            assertThat(context.getBean(TracedApplication.OrderJobs.class).tracesInLog())
                    .as("three attempts and a step")
                    .hasSize(4)
                    .containsOnly(request.getTraceId());

            theMetersAreOnThePageOfActuator(context);
        }
    }

    private static void theMetersAreOnThePageOfActuator(ConfigurableApplicationContext context) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(send(context, "GET", "/actuator/prometheus"))
                        .contains(
                                "muster_jobs_started_total{name=\"order\",queue=\"default\"} 3",
                                "muster_node_joined_total{again=\"false\"} 1",
                                "muster_node_status{status=\"active\"} 1",
                                "muster_nodes{status=\"active\"} 1"));
    }

    @Test
    void bothCanBeSwitchedOff() {
        try (ConfigurableApplicationContext context =
                start("--management.metrics.enable.muster=false", "--muster.tracing.enabled=false")) {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.await(jobs.enqueue(JobRequest.of("order")), SOON);

            MeterRegistry registry = context.getBean(MeterRegistry.class);
            assertThat(registry.getMeters())
                    .isNotEmpty()
                    .noneMatch(meter -> meter.getId().getName().startsWith("muster"));
            assertThat(context.getBeansOfType(Tracing.class)).isEmpty();
            assertThat(context.getBean(Spans.class).all())
                    .noneMatch(span -> span.getName().endsWith(" order"));
        }
    }

    private ApplicationContextRunner small() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        MusterAutoConfiguration.class,
                        MusterMetricsAutoConfiguration.class,
                        MusterTracingAutoConfiguration.class))
                .withBean("pool", HikariDataSource.class, () -> {
                    HikariDataSource pool = new HikariDataSource();
                    pool.setJdbcUrl(database.url);
                    return pool;
                });
    }

    @Test
    void anApplicationWithoutARegistryHasNoMetersAndWithoutOpenTelemetryNoTraces() {
        small().run(context -> assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(Telemetry.class)
                .doesNotHaveBean(Tracing.class));
        small().withBean(OpenTelemetry.class, OpenTelemetry::noop)
                .run(context -> assertThat(context).hasSingleBean(OpenTelemetryTracing.class));
    }

    @Test
    void aRegistryOfTheApplicationsOwnHasTheMetersOnce() {
        SimpleMeterRegistry plain = new SimpleMeterRegistry();
        CompositeMeterRegistry all = new CompositeMeterRegistry().add(plain);
        small().withBean("plain", MeterRegistry.class, () -> plain)
                .withBean("all", MeterRegistry.class, () -> all)
                .run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(MusterMeters.class);
                    assertThat(plain.get("muster.node.joined")
                                    .tag("again", "false")
                                    .counter()
                                    .count())
                            .isEqualTo(1);
                });
        assertThat(plain.getMeters()).as("after the application has ended").isEmpty();
    }

    /** Says what it is asked for, and makes no spans. */
    private static final class OwnTracing implements Tracing {
        final Queue<String> published = new ConcurrentLinkedQueue<>();

        @Override
        public Span publish(Publication publication) {
            published.add(publication.name().orElse("several"));
            return Span.NONE;
        }

        @Override
        public Span process(Processing processing) {
            return Span.NONE;
        }

        @Override
        public Span step(Step step) {
            return Span.NONE;
        }

        @Override
        public Span tick(Tick tick) {
            return Span.NONE;
        }
    }

    @Test
    void aTracerOfTheApplicationsOwnWins() {
        small().withBean(OpenTelemetry.class, OpenTelemetry::noop)
                .withBean(OwnTracing.class)
                .run(context -> {
                    context.getBean(Jobs.class).enqueue(JobRequest.of("order"));
                    assertThat(context).hasSingleBean(Tracing.class);
                    assertThat(context.getBean(OwnTracing.class).published).containsExactly("order");
                });
    }
}
