package dev.muster.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import dev.muster.job.Priority;
import dev.muster.runtime.NamePatterns;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MusterConfigTest {

    @Test
    void defaultsAreTheDocumentedOnes() {
        MusterConfig config = MusterConfig.defaults();

        assertThat(config.database())
                .isEqualTo(new DatabaseConfig(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        10,
                        "public",
                        DatabaseConfig.Migrate.AUTO,
                        DatabaseConfig.Profile.FULL,
                        DatabaseConfig.WakeInTransaction.AUTO));
        assertThat(config.node())
                .isEqualTo(new NodeConfig(
                        Optional.empty(),
                        Optional.empty(),
                        NodeConfig.Mode.AUTO,
                        Optional.empty(),
                        Optional.empty(),
                        List.of("general"),
                        Map.of(),
                        Optional.empty()));
        assertThat(config.node().effectiveRoles()).containsExactly(NodeRole.values());
        assertThat(config.gateway())
                .isEqualTo(new GatewayConfig(
                        "127.0.0.1",
                        Optional.empty(),
                        Optional.empty(),
                        GatewayConfig.Auth.REQUIRED,
                        Optional.empty(),
                        Optional.empty(),
                        1 << 20,
                        64,
                        100,
                        128,
                        1_000,
                        100,
                        Optional.empty(),
                        Optional.empty(),
                        Duration.ofSeconds(10),
                        Optional.empty(),
                        List.of(),
                        Optional.empty(),
                        Duration.ofSeconds(30)));
        assertThat(config.cluster())
                .isEqualTo(new ClusterConfig(
                        ClusterConfig.Discovery.POSTGRES, seconds(5), seconds(60), seconds(10), seconds(15)));
        assertThat(config.leader())
                .isEqualTo(new LeaderConfig(LeaderConfig.Strategy.ADVISORY, seconds(5), seconds(15), seconds(5)))
                .isEqualTo(LeaderConfig.defaults());
        assertThat(config.worker())
                .isEqualTo(new WorkerConfig(
                        16,
                        Duration.ofMillis(200),
                        Optional.empty(),
                        Optional.empty(),
                        true,
                        seconds(30),
                        seconds(10),
                        seconds(5),
                        seconds(2),
                        Duration.ofHours(1),
                        seconds(30),
                        WorkerConfig.OnDisconnect.INTERRUPT,
                        WorkerConfig.Wakeup.POSTGRES,
                        Optional.empty()));
        assertThat(config.history())
                .isEqualTo(new HistoryConfig(
                        Duration.ofDays(7),
                        Duration.ofDays(3),
                        Duration.ofHours(24),
                        Duration.ofDays(30),
                        Duration.ofDays(90)));
        assertThat(MusterConfig.load(List.of())).isEqualTo(config);
    }

    @Test
    void jobsAgeIfTheSettingSaysSo() {
        MusterConfig aging = MusterConfig.defaults().with("worker.age_after", "15m");
        assertThat(aging.worker().ageAfter()).contains(Duration.ofMinutes(15));
        assertThat(aging.with("worker.age_after", "none").worker().ageAfter()).isEmpty();
        assertThatThrownBy(() -> MusterConfig.defaults().with("worker.age_after", "10ms"))
                .hasMessageContaining("worker.age_after");
    }

    @Test
    void theLeadersLeaseIsLongerThanItsRenewal() {
        assertThatThrownBy(() -> MusterConfig.defaults().with("leader.renew", "15s"))
                .hasMessageContaining("leader.lease = 15s (from default) does not fit leader.renew = 15s");
        assertThat(MusterConfig.defaults().with("leader.renew", "14s").leader().margin())
                .as("leaves room for a renewal in time")
                .isEqualTo(Duration.ofMillis(500));
    }

    @Test
    void thePortableProfileDecidesWhatNobodyGave() {
        MusterConfig portable = MusterConfig.defaults().with("database.profile", "portable");

        assertThat(portable.leader().strategy()).isEqualTo(LeaderConfig.Strategy.LEASE);
        assertThat(portable.worker().wakeup()).isEqualTo(WorkerConfig.Wakeup.NONE);
        assertThat(portable.entries()).anySatisfy(entry -> {
            assertThat(entry.key()).isEqualTo("leader.strategy");
            assertThat(entry.source()).isEqualTo("database.profile");
        });
        assertThat(portable.with("database.profile", "full")).isEqualTo(MusterConfig.defaults());
    }

    @Test
    void thePortableProfileIsNotContradicted() {
        assertThatThrownBy(() -> MusterConfig.defaults()
                        .with(Map.of(
                                "database.profile", "portable",
                                "leader.strategy", "advisory",
                                "worker.wakeup", "postgres")))
                .hasMessageContaining("leader.strategy = advisory (from builder) does not fit database.profile ="
                        + " portable (from builder): it must be lease, or database.profile must be full")
                .hasMessageContaining("worker.wakeup = postgres");
    }

    @Test
    void aLaterSourceWinsKeyByKey() {
        MusterConfig config = MusterConfig.load(List.of(
                        toml("worker", Map.of("lease", "40s", "concurrency", 8, "job_timeout", "2h")),
                        ConfigSource.environment(
                                Map.of("MUSTER_WORKER_LEASE", "50s", "MUSTER_WORKER_CONCURRENCY", "4"))))
                .with("worker.lease", "60s");

        assertThat(config.worker().lease()).isEqualTo(seconds(60));
        assertThat(config.worker().concurrency()).isEqualTo(4);
        assertThat(config.worker().jobTimeout()).isEqualTo(Duration.ofHours(2));
        assertThat(entry(config, "worker.lease")).returns("1m", ConfigEntry::value);
        assertThat(entry(config, "worker.lease")).returns("builder", ConfigEntry::source);
        assertThat(entry(config, "worker.concurrency")).returns("MUSTER_WORKER_CONCURRENCY", ConfigEntry::source);
        assertThat(entry(config, "worker.job_timeout")).returns("muster.toml", ConfigEntry::source);
        assertThat(entry(config, "worker.renew")).returns("default", ConfigEntry::source);
    }

    @Test
    void readsEveryKindOfTomlValue() {
        MusterConfig config = MusterConfig.load(List.of(ConfigSource.of(
                "muster.toml",
                Map.of(
                        "database",
                        Map.of(
                                "url",
                                "jdbc:postgresql://db/shop",
                                "pool_size",
                                20L,
                                "schema",
                                "jobs",
                                "migrate",
                                "off"),
                        "node",
                        Map.of(
                                "id",
                                "worker-1",
                                "queues",
                                List.of("orders", "mail"),
                                "capabilities",
                                List.of("gpu"),
                                "labels",
                                Map.of("zone", "eu")),
                        "worker",
                        Map.of("prefetch", 0, "max_poll_interval", "3s", "on_disconnect", "continue")))));

        assertThat(config.database().url()).contains("jdbc:postgresql://db/shop");
        assertThat(config.database().poolSize()).isEqualTo(20);
        assertThat(config.database().schema()).isEqualTo("jobs");
        assertThat(config.database().migrate()).isEqualTo(DatabaseConfig.Migrate.OFF);
        assertThat(config.node().id()).contains("worker-1");
        assertThat(config.node().queues()).contains(List.of("orders", "mail"));
        assertThat(config.node().capabilities()).containsExactly("gpu");
        assertThat(config.node().labels()).containsExactly(Map.entry("zone", "eu"));
        assertThat(config.worker().prefetch()).contains(0);
        assertThat(config.worker().maxPollInterval()).contains(seconds(3));
        assertThat(config.worker().onDisconnect()).isEqualTo(WorkerConfig.OnDisconnect.CONTINUE);
    }

    @Test
    void readsListsAndMapsFromText() {
        MusterConfig config = MusterConfig.load(List.of(ConfigSource.environment(Map.of(
                "MUSTER_NODE_QUEUES", "orders, mail",
                "MUSTER_NODE_CAPABILITIES", "",
                "MUSTER_NODE_LABELS", "zone=eu, disk=ssd,note=a=b"))));

        assertThat(config.node().queues()).contains(List.of("orders", "mail"));
        assertThat(config.node().capabilities()).isEmpty();
        assertThat(config.node().labels())
                .containsExactly(Map.entry("zone", "eu"), Map.entry("disk", "ssd"), Map.entry("note", "a=b"));
        assertThat(entry(config, "node.labels").value()).isEqualTo("zone=eu,disk=ssd,note=a=b");
    }

    @Test
    void autoLeavesTheDecisionToMuster() {
        MusterConfig fixed = MusterConfig.defaults()
                .with(Map.of("worker.prefetch", "5", "worker.max_poll_interval", "1s", "node.id", "a"));
        MusterConfig automatic =
                fixed.with(Map.of("worker.prefetch", "auto", "worker.max_poll_interval", "auto", "node.id", "auto"));

        assertThat(automatic).isEqualTo(MusterConfig.defaults()).hasSameHashCodeAs(MusterConfig.defaults());
        assertThat(entry(automatic, "worker.prefetch").value()).isEqualTo("auto");
    }

    @Test
    void automaticMaxPollIntervalDependsOnTheListenerAndNeverUndercutsThePollInterval() {
        WorkerConfig worker = MusterConfig.defaults().worker();
        WorkerConfig slow =
                MusterConfig.defaults().with("worker.poll_interval", "30s").worker();
        WorkerConfig fixed =
                MusterConfig.defaults().with("worker.max_poll_interval", "1s").worker();

        assertThat(worker.maxPollInterval(true)).isEqualTo(seconds(10));
        assertThat(worker.maxPollInterval(false)).isEqualTo(seconds(2));
        assertThat(slow.maxPollInterval(false)).isEqualTo(seconds(30));
        assertThat(fixed.maxPollInterval(true)).isEqualTo(seconds(1));
    }

    @Test
    void listsEveryProblemOfEverySourceAtOnce() {
        ConfigException refused = refused(
                toml("worker", ordered("concurrency", 0, "leese", "30s")),
                ConfigSource.environment(Map.of("MUSTER_CLUSTER_DEAD_THRESHOLD", "12s")));

        assertThat(refused).hasMessage("""
                        3 problems in the settings:
                          worker.concurrency = 0 (from muster.toml) is too small; allowed: a whole number from 1 to 10000
                          worker.leese = "30s" (from muster.toml) is not a setting; did you mean worker.lease?
                          cluster.dead_threshold = 12s (from MUSTER_CLUSTER_DEAD_THRESHOLD) does not fit \
                        cluster.heartbeat_interval = 5s (from default): it must be at least 3 × that, 15s or more\
                        """);
        assertThat(refused.problems())
                .extracting(problem -> problem.key().orElse(""), ConfigProblem::source)
                .containsExactly(
                        tuple("worker.concurrency", "muster.toml"),
                        tuple("worker.leese", "muster.toml"),
                        tuple("cluster.dead_threshold", "MUSTER_CLUSTER_DEAD_THRESHOLD"));
    }

    @Test
    void aBadValueIsAProblemEvenWhenALaterSourceOverridesIt() {
        assertThat(problems(
                        toml("worker", Map.of("lease", "soon")),
                        ConfigSource.environment(Map.of("MUSTER_WORKER_LEASE", "40s"))))
                .singleElement()
                .asString()
                .startsWith("worker.lease = \"soon\" (from muster.toml) is not a duration");
    }

    @Test
    void aValueThatCannotBeReadBreaksNoRelation() {
        assertThat(problems(toml("worker", Map.of("lease", "100ms", "renew", "20s", "sweep_interval", "40s"))))
                .containsExactly("worker.lease = \"100ms\" (from muster.toml) is too short;"
                        + " allowed: a duration from 500ms to 24h");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "worker.lease | 30 | has no unit after 30; write 30s for seconds; allowed: a duration from 500ms to 24h",
                "worker.lease | 0s | is zero; allowed: a duration from 500ms to 24h",
                "worker.lease | -5s | is negative;",
                "worker.lease | 2d | is too long; allowed: a duration from 500ms to 24h",
                "worker.concurrency | many | is not a number; allowed: a whole number from 1 to 10000",
                "worker.concurrency | 1.5 | is not a whole number; allowed: a whole number from 1 to 10000",
                "worker.concurrency | 99999999999 | is too large; allowed: a whole number from 1 to 10000",
                "worker.prefetch | -1 | is too small; allowed: auto, or a whole number from 0 to 100000",
                "worker.on_disconnect | stop | is not one of the choices; allowed: interrupt or continue",
                "database.migrate | AUTO | is not one of the choices; allowed: auto, check or off",
                "cluster.discovery | dns | is not one of the choices; allowed: only postgres",
                "database.schema | Jobs | is refused: schema 'Jobs' is not allowed: it must start with a-z",
                "database.url | '' | is empty; give a value or leave it out",
                "node.queues | * | lists '*', which is no queue; leave it out to serve all queues; allowed: a list of",
                "node.queues | '' | is an empty list; leave it out to serve all queues; allowed: a list of queue names",
                "node.queues | a,,b | lists an empty queue",
                "node.queues | a,a | lists 'a' twice",
                "node.queues | Orders | is refused: queue 'Orders' is not allowed",
                "node.labels | zone | has 'zone', which is not key=value; allowed: a map, such as { zone = \"eu\" },",
                "node.labels | a=1,a=2 | has the key 'a' twice",
                "node.labels | =1 | has the key ''; a key starts with a letter or digit",
            })
    void saysWhatIsWrongWithAValueAndWhatIsAllowed(String key, String value, String reason) {
        assertThatThrownBy(() -> MusterConfig.defaults().with(key, value))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith(
                        "1 problem in the settings:\n  " + key + " = \"" + value + "\" (from builder) " + reason);
    }

    @Test
    void refusesTomlValuesOfTheWrongKind() {
        assertThat(problems(ConfigSource.of(
                        "muster.toml",
                        ordered(
                                "worker", ordered("lease", 30, "concurrency", true, "renew", List.of("1s")),
                                "node",
                                        ordered(
                                                "queues",
                                                List.of(),
                                                "name",
                                                7,
                                                "capabilities",
                                                List.of(1),
                                                "labels",
                                                1),
                                "database", ordered("pool_size", 2.5, "migrate", false),
                                "cluster", 5))))
                .containsExactly(
                        "worker.lease = 30 (from muster.toml) has no unit; write \"30s\" for seconds, in quotes;"
                                + " allowed: a duration from 500ms to 24h",
                        "worker.concurrency = true (from muster.toml) is not a number;"
                                + " allowed: a whole number from 1 to 10000",
                        "worker.renew = [1s] (from muster.toml) is not a duration;"
                                + " allowed: a duration from 100ms to 8h",
                        "node.queues = [] (from muster.toml) is an empty list; leave it out to serve all queues;"
                                + " allowed: a list of queue names, such as [\"a\", \"b\"], or a,b as text",
                        "node.name = 7 (from muster.toml) is not text; write it in quotes; allowed: one line of text",
                        "node.capabilities = [1] (from muster.toml) lists 1, which is not text;"
                                + " allowed: a list of capability names, such as [\"a\", \"b\"], or a,b as text",
                        "node.labels = 1 (from muster.toml) is not a map;"
                                + " allowed: a map, such as { zone = \"eu\" }, or zone=eu,disk=ssd as text",
                        "database.pool_size = 2.5 (from muster.toml) is not a whole number;"
                                + " allowed: a whole number from 1 to 1000",
                        "database.migrate = false (from muster.toml) is not one of the choices;"
                                + " allowed: auto, check or off",
                        "cluster = 5 (from muster.toml) is a section; write [cluster] and its settings below it");
    }

    @Test
    void everyRelationIsKept() {
        assertThat(problems(ConfigSource.of(
                        "muster.toml",
                        Map.of(
                                "cluster.heartbeat_interval", "70s",
                                "cluster.stale_threshold", "15s",
                                "worker.renew", "11s",
                                "worker.sweep_interval", "30s",
                                "worker.poll_interval", "2s",
                                "worker.max_poll_interval", "1s"))))
                .containsExactly(
                        "cluster.dead_threshold = 15s (from default) does not fit cluster.heartbeat_interval = 1m10s"
                                + " (from muster.toml): it must be at least 3 × that, 3m30s or more",
                        "cluster.stale_threshold = 15s (from muster.toml) does not fit cluster.dead_threshold = 15s"
                                + " (from default): it must be less than 15s",
                        "cluster.max_heartbeat_interval = 1m (from default) does not fit cluster.heartbeat_interval ="
                                + " 1m10s (from muster.toml): it must be 1m10s or more",
                        "worker.lease = 30s (from default) does not fit worker.renew = 11s (from muster.toml):"
                                + " it must be at least 3 × that, 33s or more",
                        "worker.sweep_interval = 30s (from muster.toml) does not fit worker.lease = 30s (from default):"
                                + " it must be less than 30s",
                        "worker.max_poll_interval = 1s (from muster.toml) does not fit worker.poll_interval = 2s"
                                + " (from muster.toml): it must be auto, or 2s or more");
    }

    @Test
    void settingsThatDependOnEachOtherChangeTogether() {
        MusterConfig quick = MusterConfig.defaults()
                .with(Map.of("worker.lease", "1s", "worker.renew", "300ms", "worker.sweep_interval", "200ms"));

        assertThat(quick.worker().lease()).isEqualTo(seconds(1));
        assertThatThrownBy(() -> quick.with("worker.renew", "500ms")).hasMessageContaining("worker.lease = 1s");
        assertThat(quick.toString())
                .isEqualTo("MusterConfig[worker.lease=1s, worker.renew=300ms, worker.sweep_interval=200ms]");
    }

    private static MusterConfig load(ConfigSource... sources) {
        return MusterConfig.load(List.of(sources));
    }

    @Test
    void whatTenantsMayAskForIsReadAsItIsWritten() {
        MusterConfig config = MusterConfig.defaults()
                .with(Map.of(
                        "tenants.jobs",
                        "send_mail, report_*",
                        "tenants.may_set",
                        "queue:mail_*, priority:high,timeout:10m,max_attempts:20,concurrency_key"));

        assertThat(config.tenants().jobs()).isEqualTo(NamePatterns.of("report_*", "send_mail"));
        assertThat(config.tenants().maySet())
                .extracting(Object::toString)
                .containsExactly("queue:mail_*", "priority:high", "timeout:10m", "max_attempts:20", "concurrency_key");
        assertThat(MusterConfig.defaults().tenants().jobs()).isEqualTo(NamePatterns.of());
        assertThat(MusterConfig.defaults().tenants().maySet()).isEmpty();
    }

    @Test
    void everyPriorityCanBeALimitOfTenants() {
        for (Priority priority : Priority.values()) {
            String allowed = "priority:" + priority.name().toLowerCase(Locale.ROOT);
            assertThat(MusterConfig.defaults()
                            .with("tenants.may_set", allowed)
                            .tenants()
                            .maySet())
                    .hasToString("[" + allowed + "]");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fifo",
                "queue:",
                "queue:A b",
                "placement:gpu",
                "priority:urgent",
                "max_attempts:many",
                "max_crashes:1001",
                "timeout:soon",
                "concurrency_key:k",
                "timeout,,queue"
            })
    void whatIsNoOptionOfTenantsIsRefused(String allowed) {
        assertThatThrownBy(() -> MusterConfig.defaults().with("tenants.may_set", allowed))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("tenants.may_set");
    }

    private static ConfigException refused(ConfigSource... sources) {
        return catchThrowableOfType(ConfigException.class, () -> load(sources));
    }

    private static List<String> problems(ConfigSource... sources) {
        return refused(sources).problems().stream().map(ConfigProblem::message).toList();
    }

    private static ConfigSource toml(String section, Map<String, ?> settings) {
        return ConfigSource.of("muster.toml", Map.of(section, settings));
    }

    private static ConfigEntry entry(MusterConfig config, String key) {
        return config.entries().stream()
                .filter(entry -> entry.key().equals(key))
                .findFirst()
                .orElseThrow();
    }

    private static Map<String, Object> ordered(Object... keysAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            map.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return map;
    }

    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    @Test
    void aModeIsAPresetOverRoles() {
        assertThat(roles("node.mode", "leader"))
                .containsExactly(NodeRole.GATEWAY, NodeRole.FUNCTION, NodeRole.SCHEDULER);
        assertThat(roles("node.mode", "worker")).containsExactly(NodeRole.WORKER);
        assertThat(roles("node.mode", "observer")).containsExactly(NodeRole.GATEWAY);
        assertThat(roles("node.roles", "scheduler, worker")).containsExactly(NodeRole.WORKER, NodeRole.SCHEDULER);
    }

    private static Set<NodeRole> roles(String key, String value) {
        return MusterConfig.defaults().with(key, value).node().effectiveRoles();
    }

    @Test
    void modeAndRolesAreNotBothGiven() {
        assertThatThrownBy(() ->
                        MusterConfig.defaults().with(Map.of("node.mode", "worker", "node.roles", "gateway,worker")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("node.roles = gateway,worker (from builder) does not fit node.mode = worker");
        assertThatThrownBy(() -> MusterConfig.defaults().with("node.roles", "worker,typist"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("typist")
                .hasMessageContaining("gateway, function, worker and scheduler");
        assertThatThrownBy(() -> MusterConfig.defaults().with("node.roles", ""))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("leave it out to let node.mode decide");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://keys.example.com/jwks | is not https",
                "http://127.0.0.1.example.com/jwks | is not https",
                "ftp://keys.example.com/jwks | is no URL that begins with https",
                "keys.example.com/jwks | is no URL that begins with https",
                "https:///jwks | is no URL",
                "https://user:secret@keys.example.com/jwks | has a user",
                "https://keys.example.com/a b | is no URL"
            })
    void keysOfTokensComeOverHttpsOrFromThisMachine(String url, String problem) {
        assertThatThrownBy(() -> MusterConfig.defaults().with(Map.of("jwt.issuer", "me", "jwt.jwks_url", url)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("jwt.jwks_url")
                .hasMessageContaining(problem);
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://keys.example.com/jwks", "http://127.0.0.1:8080/jwks", "http://[::1]/jwks"})
    void theseUrlsOfKeysAreAllowed(String url) {
        assertThat(MusterConfig.defaults()
                        .with(Map.of("jwt.issuer", "me", "jwt.jwks_url", url))
                        .jwt()
                        .jwksUrl())
                .contains(url);
    }

    @Test
    void anIssuerHasOnePlaceForItsKeys() {
        assertThatThrownBy(() -> MusterConfig.defaults().with("jwt.issuer", "me"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("jwt.issuer = me (from builder) needs the issuer's keys: give jwt.jwks_url or");
        assertThatThrownBy(() -> MusterConfig.defaults()
                        .with(Map.of(
                                "jwt.issuer", "me", "jwt.jwks_url", "https://a.example/", "jwt.keys_file", "k.pem")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("jwt.keys_file = k.pem (from builder) does not fit jwt.jwks_url");
        assertThatThrownBy(() -> MusterConfig.defaults().with("jwt.keys_file", "k.pem"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("jwt.keys_file = k.pem (from builder) does not fit jwt.issuer (not given)");
    }
}
