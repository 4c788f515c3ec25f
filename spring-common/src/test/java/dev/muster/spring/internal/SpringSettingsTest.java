package dev.muster.spring.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.config.ConfigException;
import dev.muster.config.MusterConfig;
import dev.muster.runtime.NamePattern;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class SpringSettingsTest {
    private static final Duration PHASE = Duration.ofSeconds(30);

    private static ConfigurableEnvironment environment(Map<String, Object> variables, String... properties) {
        StandardEnvironment environment = new StandardEnvironment() {
            @Override
            public Map<String, Object> getSystemEnvironment() {
                return variables;
            }
        };
        Map<String, Object> written = new LinkedHashMap<>();
        for (String property : properties) {
            int equals = property.indexOf('=');
            written.put(property.substring(0, equals), property.substring(equals + 1));
        }
        environment.getPropertySources().addLast(new MapPropertySource("application.properties", written));
        return environment;
    }

    private static MusterConfig read(String... properties) {
        return SpringSettings.read(environment(Map.of(), properties), PHASE);
    }

    @Test
    void readsScalarsListsMapsAndExecutors() {
        MusterConfig config = read(
                "muster.worker.max-poll-interval=7s",
                "muster.worker.claimed_timeout=3s",
                "muster.node.queues=mail,pdf",
                "muster.node.capabilities[0]=general",
                "muster.node.capabilities[1]=gpu",
                "muster.node.labels.zone=eu",
                "muster.node.labels.disk=ssd",
                "muster.executors.big.size=3",
                "muster.routing.rules[0].match=ml::*",
                "muster.routing.rules[0].executor=big",
                "muster.database.url=jdbc:postgresql://a,b/shop");

        assertThat(config.worker().maxPollInterval()).contains(Duration.ofSeconds(7));
        assertThat(config.worker().claimedTimeout()).isEqualTo(Duration.ofSeconds(3));
        assertThat(config.node().queues()).contains(List.of("mail", "pdf"));
        assertThat(config.node().capabilities()).containsExactly("general", "gpu");
        assertThat(config.node().labels()).isEqualTo(Map.of("zone", "eu", "disk", "ssd"));
        assertThat(config.routing().rules())
                .singleElement()
                .satisfies(rule -> assertThat(rule.match()).isEqualTo(NamePattern.of("ml::*")));
        assertThat(config.database().url()).contains("jdbc:postgresql://a,b/shop");
        assertThat(config.entries())
                .anySatisfy(entry -> assertThat(entry.key() + "=" + entry.value() + " from " + entry.source())
                        .isEqualTo("executors.big.size=3 from property muster.executors.big.size"));
    }

    @Test
    void aListMayHaveManyElements() {
        String[] properties = new String[12];
        for (int i = 0; i < properties.length; i++) {
            properties[i] = "muster.node.queues[" + i + "]=queue" + i;
        }

        assertThat(read(properties).node().queues().orElseThrow())
                .containsExactly(
                        "queue0", "queue1", "queue2", "queue3", "queue4", "queue5", "queue6", "queue7", "queue8",
                        "queue9", "queue10", "queue11");
    }

    @Test
    void aProfileReplacesListsAndAddsToMapsAsElsewhereInSpring() {
        ConfigurableEnvironment environment = environment(
                Map.of(),
                "muster.node.queues[0]=mail",
                "muster.node.queues[1]=pdf",
                "muster.node.capabilities=general,printer",
                "muster.node.labels.zone=eu",
                "muster.node.labels.disk=ssd");
        environment
                .getPropertySources()
                .addBefore(
                        "application.properties",
                        new MapPropertySource(
                                "application-prod.properties",
                                Map.of(
                                        "muster.node.queues[0]", "invoices",
                                        "muster.node.capabilities[0]", "gpu",
                                        "muster.node.labels.zone", "us")));
        MusterConfig config = SpringSettings.read(environment, PHASE);

        assertThat(config.node().queues()).contains(List.of("invoices"));
        assertThat(config.node().capabilities()).containsExactly("gpu");
        assertThat(config.node().labels()).isEqualTo(Map.of("zone", "us", "disk", "ssd"));
    }

    @Test
    void variablesAreSettingsToo() {
        Map<String, Object> variables = new HashMap<>();
        variables.put("MUSTER_WORKER_CONCURRENCY", "3");
        variables.put("MUSTER_EXECUTORS_BIG_SIZE", "5");
        variables.put("MUSTER_WORKER_DRAINTIMEOUT", "7s");
        variables.put("MUSTER_DATA_SOURCE", "jobs");
        variables.put("MUSTER_HOME", "/opt/muster");
        MusterConfig config = SpringSettings.read(environment(variables), PHASE);

        assertThat(config.worker().concurrency()).isEqualTo(3);
        assertThat(config.worker().drainTimeout())
                .as("in the form of Spring's manual")
                .isEqualTo(Duration.ofSeconds(7));
        assertThat(config.entries()).anySatisfy(entry -> {
            assertThat(entry.key()).isEqualTo("executors.big.size");
            assertThat(entry.value()).isEqualTo("5");
        });
    }

    @Test
    void refusesWhatIsNoSettingAndWhatIsNotAllowed() {
        assertThatThrownBy(
                        () -> read("muster.worker.leese=3s", "muster.worker.concurrency=many", "muster.enabled=true"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("worker.leese")
                .hasMessageContaining("worker.lease")
                .hasMessageContaining("many")
                .hasMessageContaining("from property muster.worker.concurrency")
                .hasMessageNotContaining("enabled");
    }

    @Test
    void theNodeHasTheApplicationsNameAndDrainsWithinItsTime() {
        MusterConfig usual = read("spring.application.name=shop");
        assertThat(usual.node().name()).contains("shop");
        assertThat(usual.worker().drainTimeout()).isEqualTo(Duration.ofSeconds(25));

        MusterConfig chosen =
                read("spring.application.name=shop", "muster.node.name=a", "muster.worker.drain-timeout=9s");
        assertThat(chosen.node().name()).contains("a");
        assertThat(chosen.worker().drainTimeout()).isEqualTo(Duration.ofSeconds(9));

        MusterConfig withGateway = read("muster.gateway.port=8081");
        assertThat(withGateway.gateway().drainTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(withGateway.worker().drainTimeout()).isEqualTo(Duration.ofSeconds(20));

        MusterConfig longPhase = SpringSettings.read(environment(Map.of()), Duration.ofMinutes(5));
        assertThat(longPhase.worker().drainTimeout()).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void sentencesNameSettingsAsSpringDoes() {
        assertThat(SpringSettings.withPropertyNames(
                        "set database.migrate to auto, worker.drain_timeout to 3s, or database.url."))
                .isEqualTo(
                        "set muster.database.migrate to auto, muster.worker.drain-timeout to 3s, or muster.database.url.");
        assertThat(SpringSettings.withPropertyNames(
                        "muster.database.url, my.database.url, database.urls, database.url.x"))
                .isEqualTo("muster.database.url, my.database.url, database.urls, database.url.x");
    }
}
