package dev.muster.spring.shop;

import dev.muster.gateway.GatewayServlet;
import dev.muster.spring.internal.MusterLifecycle;
import jakarta.persistence.EntityManagerFactory;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.transaction.PlatformTransactionManager;

/** An application with its own Flyway, Jackson, JPA and security. */
@SpringBootApplication
public class ShopApplication {

    @Bean
    @Primary
    PlatformTransactionManager transactionManager(EntityManagerFactory entities) {
        return new JpaTransactionManager(entities);
    }

    /** Has what JPA has not: nested transactions. */
    @Bean
    PlatformTransactionManager jdbcTransactionManager(DataSource dataSource) {
        return new DataSourceTransactionManager(dataSource);
    }

    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests -> requests.requestMatchers(GatewayServlet::showsKey)
                        .permitAll()
                        .requestMatchers("/ops/**")
                        .hasAnyRole("MUSTER_ADMIN", "MUSTER_READ")
                        .anyRequest()
                        .permitAll())
                .httpBasic(Customizer.withDefaults())
                .csrf(csrf -> csrf.ignoringRequestMatchers("/ops/muster/**"))
                .build();
    }

    /** Asks for the health of the node when the web server answers and the node has not joined. */
    @Bean
    EarlyProbe earlyProbe(Environment environment) {
        return new EarlyProbe(environment);
    }

    public static final class EarlyProbe implements SmartLifecycle {
        private final Environment environment;
        private String answer = "";

        EarlyProbe(Environment environment) {
            this.environment = environment;
        }

        public String answer() {
            return answer;
        }

        @Override
        public int getPhase() {
            return MusterLifecycle.PHASE - 1;
        }

        @Override
        public void start() {
            URI address = URI.create(
                    "http://127.0.0.1:" + environment.getProperty("local.server.port") + "/actuator/health/muster");
            try {
                HttpResponse<String> got = HttpClient.newHttpClient()
                        .send(HttpRequest.newBuilder(address).build(), HttpResponse.BodyHandlers.ofString());
                answer = got.statusCode() + " " + got.body();
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }

    /** Leaves passwords as they are: to hash them would take most of the time of a request. */
    @Bean
    PasswordEncoder passwords() {
        return new PasswordEncoder() {
            @Override
            public String encode(CharSequence password) {
                return password.toString();
            }

            @Override
            public boolean matches(CharSequence password, String stored) {
                return stored.contentEquals(password);
            }
        };
    }

    @Bean
    UserDetailsService users() {
        return new InMemoryUserDetailsManager(
                User.withUsername("ada")
                        .password("secret")
                        .roles("MUSTER_ADMIN")
                        .build(),
                User.withUsername("bob").password("secret").roles("MUSTER_READ").build(),
                User.withUsername("wanda")
                        .password("secret")
                        .roles("MUSTER_WRITE")
                        .build(),
                User.withUsername("eve").password("secret").roles("CUSTOMER").build());
    }
}
