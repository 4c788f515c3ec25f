package dev.muster.examples.spring;

import dev.muster.gateway.GatewayServlet;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** Everybody may order; operators log in to see the dashboard, programs show an API key. */
@Configuration(proxyBeanMethods = false)
class ShopSecurity {

    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests -> requests.requestMatchers(GatewayServlet::showsKey)
                        .permitAll() // the gateway checks the key
                        .requestMatchers("/muster", "/muster/**")
                        .hasAnyRole("MUSTER_ADMIN", "MUSTER_WRITE", "MUSTER_READ")
                        .anyRequest()
                        .permitAll())
                .httpBasic(Customizer.withDefaults())
                // The gateway refuses pages of other origins itself; orders have no session that a page could abuse.
                .csrf(csrf -> csrf.ignoringRequestMatchers("/muster/**", "/orders"))
                .build();
    }

    @Bean
    UserDetailsService users() {
        return new InMemoryUserDetailsManager(User.withUsername("ops")
                .password("{noop}ops")
                .roles("MUSTER_ADMIN")
                .build());
    }
}
