package dev.muster.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigSourceTest {
    private static final Map<String, String> VARIABLES =
            Map.of("HOST", "db1", "EMPTY", "", "SLOTS", "8", "Q", "orders");

    @ParameterizedTest
    @CsvSource({
        "${HOST}, db1",
        "a ${HOST} b ${SLOTS}, a db1 b 8",
        "${NONE:-db2}, db2",
        "${HOST:-db2}, db1",
        "${EMPTY:-db2}, db2",
        "x${EMPTY}, x",
        "x${NONE:-}, x",
        "${NONE:-${HOST}:5432}, db1:5432",
        "${NONE:-${OTHER:-deep}}, deep",
        "a$$b, a$b",
        "$${HOST}, ${HOST}",
        "$HOST, $HOST",
        "a$, a$",
        "plain}, plain}",
    })
    void replacesVariablesInText(String text, String expected) {
        assertThat(load(tree("node", "name", text).expanded(VARIABLES)).node().name())
                .contains(expected);
    }

    @Test
    void replacesVariablesInEveryKindOfValue() {
        MusterConfig config = load(ConfigSource.of(
                        "muster.toml",
                        Map.of(
                                "node", Map.of("queues", List.of("${Q}", "mail"), "labels", Map.of("host", "${HOST}")),
                                "worker", Map.of("concurrency", "${SLOTS}", "lease", "${LEASE:-45s}"),
                                "database", Map.of("pool_size", 5)))
                .expanded(VARIABLES));

        assertThat(config.node().queues()).contains(List.of("orders", "mail"));
        assertThat(config.node().labels()).containsEntry("host", "db1");
        assertThat(config.worker().concurrency()).isEqualTo(8);
        assertThat(config.worker().lease()).isEqualTo(Duration.ofSeconds(45));
        assertThat(config.database().poolSize()).isEqualTo(5);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "${NONE} | needs the environment variable NONE, which is not set; set it or write ${NONE:-default}",
                "${HOST | has a ${ without its }",
                "${NONE:-x | has a ${ without its }",
                "${} | has a ${ without a variable's name; write ${VAR} or ${VAR:-default}, and $$ for $",
                "${HOST-x} | has '-' after ${HOST; write ${HOST} or ${HOST:-default}",
            })
    void saysWhichVariableOrBraceIsMissing(String text, String reason) {
        assertThat(problems(tree("node", "name", text).expanded(VARIABLES)))
                .containsExactly(
                        "node.name = \"" + text + "\" (from muster.toml) " + reason + "; allowed: one line of text");
    }

    @Test
    void aMissingVariableOfASecretIsNamedButTheTextAroundItIsNot() {
        assertThat(problems(tree("database", "password", "hunter2-${PEPPER}").expanded(VARIABLES)))
                .containsExactly("database.password = ****** (from muster.toml) needs the environment variable PEPPER,"
                        + " which is not set; set it or write ${PEPPER:-default}; allowed: text");
    }

    @Test
    void withoutExpansionTextStaysAsItIs() {
        MusterConfig config = load(
                tree("node", "name", "${HOST}"),
                ConfigSource.environment(Map.of("MUSTER_DATABASE_PASSWORD", "a$${b}"))
                        .expanded(VARIABLES));

        assertThat(config.node().name()).contains("${HOST}");
        assertThat(config.database().password()).contains("a$${b}");
    }

    @Test
    void anUnknownMusterVariableIsAProblem() {
        assertThat(problems(ConfigSource.environment(Map.of(
                        "MUSTER_WORKER_LEESE", "30s",
                        "MUSTER_SLACK_WEBHOOK", "https://hooks.example/T0/B0/hunter2",
                        "MUSTER_DB_URL", "jdbc:postgresql://db/shop?password=hunter2",
                        "MUSTER_DATABASE_PASWORD", "hunter2",
                        "MUSTER_", "x",
                        "PATH", "/bin",
                        "MUSTERING", "x"))))
                .containsExactly(
                        "MUSTER_ (from the environment) is not a setting;"
                                + " the nearest known one is MUSTER_NODE_ID (node.id)",
                        "MUSTER_DATABASE_PASWORD (from the environment) is not a setting;"
                                + " did you mean MUSTER_DATABASE_PASSWORD (database.password)?",
                        "MUSTER_DB_URL (from the environment) is not a setting;"
                                + " did you mean MUSTER_DATABASE_URL (database.url)?",
                        "MUSTER_SLACK_WEBHOOK (from the environment) is not a setting;"
                                + " the nearest known one is MUSTER_GATEWAY_HOST (gateway.host)",
                        "MUSTER_WORKER_LEESE (from the environment) is not a setting;"
                                + " did you mean MUSTER_WORKER_LEASE (worker.lease)?");
    }

    @Test
    void variablesThatAreNoSettingsAreLeftAlone() {
        MusterConfig config = load(
                tree("database", "password", "${MUSTER_PG_PASS}").expanded(Map.of("MUSTER_PG_PASS", "hunter2")),
                ConfigSource.environment(Map.of(
                        "MUSTER_OPTS", "-Xmx1g",
                        "MUSTER_HOME", "here",
                        "MUSTER_CONFIG", "muster.toml",
                        "MUSTER_TEST_DATABASE_URL", "x",
                        "MUSTER_PG_PASS", "hunter2")));

        assertThat(config.database().password()).contains("hunter2");
    }

    @Test
    void variablesThatKubernetesSetsForAServiceAreLeftAlone() {
        assertThat(load(ConfigSource.environment(Map.of(
                        "MUSTER_SERVICE_HOST", "10.0.0.1",
                        "MUSTER_SERVICE_PORT", "8080",
                        "MUSTER_SERVICE_PORT_HTTP", "8080",
                        "MUSTER_PORT", "tcp://10.0.0.1:8080",
                        "MUSTER_PORT_8080_TCP", "tcp://10.0.0.1:8080",
                        "MUSTER_PORT_8080_TCP_ADDR", "10.0.0.1",
                        "MUSTER_GATEWAY_SERVICE_HOST", "10.0.0.2",
                        "MUSTER_GATEWAY_PORT", "tcp://10.0.0.2:8080"))))
                .isEqualTo(MusterConfig.defaults());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "worker.leese | did you mean worker.lease?",
                "worker.lesae | did you mean worker.lease?",
                "worker.jobTimeout | did you mean worker.job_timeout?",
                "cluster.dead-threshold | did you mean cluster.dead_threshold?",
                "worker.dead_threshold | did you mean cluster.dead_threshold?",
                "cluster.max_poll_interval | did you mean worker.max_poll_interval?",
                "database.user | did you mean database.username?",
                "database.pool | did you mean database.pool_size?",
                "database.uri | did you mean database.url?",
                "concurrency | did you mean worker.concurrency?",
                "node.role | did you mean node.roles or node.mode?",
                "gateway.favourite_colour | the nearest known one is ",
            })
    void namesTheNearestKnownKey(String key, String hint) {
        ConfigException refused = catchThrowableOfType(
                ConfigException.class, () -> MusterConfig.defaults().with(key, "1"));

        assertThat(refused.problems().get(0).message())
                .startsWith(key + " = \"1\" (from builder) is not a setting; " + hint);
        assertThat(refused.problems().get(0).key()).contains(key);
    }

    @Test
    void anUnknownSectionIsOneProblem() {
        assertThat(problems(ConfigSource.of("muster.toml", Map.of("workers", Map.of("lease", "1s", "renew", "1s")))))
                .containsExactly("[workers] (from muster.toml) is not a section; did you mean [worker]?");
    }

    private static ConfigSource tree(String section, String key, Object value) {
        return ConfigSource.of("muster.toml", Map.of(section, Map.of(key, value)));
    }

    private static MusterConfig load(ConfigSource... sources) {
        return MusterConfig.load(List.of(sources));
    }

    private static List<String> problems(ConfigSource... sources) {
        return catchThrowableOfType(ConfigException.class, () -> load(sources)).problems().stream()
                .map(ConfigProblem::message)
                .toList();
    }
}
