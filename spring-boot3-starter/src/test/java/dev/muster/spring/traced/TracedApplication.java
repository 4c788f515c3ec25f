package dev.muster.spring.traced;

import dev.muster.job.Backoff;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import dev.muster.workflow.Workflows;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A shop with Actuator and OpenTelemetry, which keeps its spans. */
@SpringBootApplication
public class TracedApplication {

    /** What the application has exported. */
    public static final class Spans {
        private final InMemorySpanExporter exporter = InMemorySpanExporter.create();

        public List<SpanData> all() {
            return exporter.getFinishedSpanItems();
        }

        public List<SpanData> named(String name) {
            return all().stream().filter(span -> span.getName().equals(name)).toList();
        }
    }

    @Bean
    Spans spans() {
        return new Spans();
    }

    @Bean
    SpanProcessor keepSpans(Spans spans) {
        return SimpleSpanProcessor.create(spans.exporter);
    }

    @Bean
    SecurityFilterChain everybodyMayOrder(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                .csrf(csrf -> csrf.disable())
                .build();
    }

    @RestController
    static class OrderController {
        private final Orders orders;

        OrderController(Orders orders) {
            this.orders = orders;
        }

        @PostMapping("/orders")
        String place() {
            return orders.place().toString();
        }
    }

    @Service
    static class Orders {
        private final Jobs jobs;

        Orders(Jobs jobs) {
            this.jobs = jobs;
        }

        @Transactional
        public JobId place() {
            return jobs.enqueue(JobRequest.of("order"));
        }
    }

    /** The order fails twice, and then starts the checkout. */
    @Component
    public static class OrderJobs {
        private final Workflows workflows;
        private final Queue<String> tracesInLog = new ConcurrentLinkedQueue<>();

        OrderJobs(Workflows workflows) {
            this.workflows = workflows;
        }

        @Job(value = "order", maxAttempts = 3, backoff = @Backoff(delay = "10ms"))
        void order(JobContext ctx) {
            tracesInLog.add(String.valueOf(MDC.get("traceId")));
            if (ctx.attempt() < 3) {
                throw new IllegalStateException("attempt " + ctx.attempt());
            }
            workflows.start("checkout", null);
        }

        @Workflow(name = "checkout", version = "v1")
        void checkout(WorkflowContext wf) {
            wf.step("ship", () -> tracesInLog.add(String.valueOf(MDC.get("traceId"))));
        }

        /** The traces that log lines of the handlers had. */
        public List<String> tracesInLog() {
            return List.copyOf(tracesInLog);
        }
    }
}
