package dev.muster.spring.plain;

import dev.muster.job.Job;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import java.time.Duration;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.stereotype.Component;

/** An application with nothing but the starter. */
@SpringBootApplication
public class PlainApplication {

    @Component
    static class Greetings {
        @Job("greet")
        String greet(String name) {
            return "Hello, " + name;
        }
    }

    /** Starts the application, runs one job, and ends it; returns the result of the job. */
    public static String greet(String[] arguments) {
        try (ConfigurableApplicationContext context =
                new SpringApplicationBuilder(PlainApplication.class).run(arguments)) {
            Jobs jobs = context.getBean(Jobs.class);
            return jobs.await(jobs.enqueue(JobRequest.of("greet", "Ada")), Duration.ofSeconds(60))
                    .result()
                    .orElse("nothing");
        }
    }
}
