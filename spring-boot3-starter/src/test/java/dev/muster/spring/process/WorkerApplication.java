package dev.muster.spring.process;

import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.Jobs;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application that tests start as a process of its own. Its jobs run until the table {@code go} has a row. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class WorkerApplication {

    public static void main(String[] args) {
        ConfigurableApplicationContext context = SpringApplication.run(WorkerApplication.class, args);
        System.out.println("started, port=" + context.getEnvironment().getProperty("local.server.port", "none"));
    }

    @Bean
    Work work(JdbcClient sql) {
        return new Work(sql);
    }

    static class Work {
        private final JdbcClient sql;

        Work(JdbcClient sql) {
            this.sql = sql;
        }

        @Job("work")
        @Transactional
        public void work(JobContext ctx) {
            while (sql.sql("SELECT count(*) FROM go").query(Long.class).single() == 0) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
            sql.sql("INSERT INTO done VALUES (:job, :attempt)")
                    .param("job", ctx.id().toString())
                    .param("attempt", ctx.attempt())
                    .update();
        }
    }

    /** Enqueues a job with each request. */
    @RestController
    static class Requests {
        private final Jobs jobs;

        Requests(Jobs jobs) {
            this.jobs = jobs;
        }

        @PostMapping("/work")
        @Transactional
        public String enqueue() {
            JobId id = jobs.enqueue(JobRequest.of("work"));
            return id.toString();
        }
    }

    /** Everybody may do everything. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication
    static class Security {
        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .csrf(csrf -> csrf.disable())
                    .build();
        }
    }
}
