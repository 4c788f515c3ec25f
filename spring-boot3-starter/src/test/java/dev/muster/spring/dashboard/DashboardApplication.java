package dev.muster.spring.dashboard;

import dev.muster.job.Job;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** An application whose operators log in on a page of its own to see the dashboard. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class DashboardApplication {

    @Bean
    Bank bank() {
        return new Bank();
    }

    /** Charges only when it answers. */
    public static class Bank {
        private final AtomicBoolean answers = new AtomicBoolean();

        public void answer() {
            answers.set(true);
        }

        @Job(value = "charge", maxAttempts = 1)
        String charge(int order) {
            if (!answers.get()) {
                throw new IllegalStateException("the bank does not answer");
            }
            return "charged " + order;
        }
    }

    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests -> requests.requestMatchers("/ops/muster", "/ops/muster/**")
                        .hasAnyRole("MUSTER_ADMIN", "MUSTER_READ")
                        .anyRequest()
                        .permitAll())
                .formLogin(Customizer.withDefaults())
                .csrf(csrf -> csrf.ignoringRequestMatchers("/ops/muster/**"))
                .build();
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
                User.withUsername("bob").password("secret").roles("MUSTER_READ").build());
    }
}
