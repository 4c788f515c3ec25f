package dev.muster.examples.spring;

import dev.muster.embedded.EmbeddedPostgres;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The shop. Without {@code spring.datasource.url} it starts a PostgreSQL of its own, which ends with it. */
@SpringBootApplication
public class ShopApplication {

    public static void main(String[] args) {
        SpringApplication application = new SpringApplication(ShopApplication.class);
        if (System.getenv("SPRING_DATASOURCE_URL") == null) {
            application.setDefaultProperties(
                    Map.of("spring.datasource.url", EmbeddedPostgres.shared().jdbcUrl()));
        }
        application.run(args);
    }
}
