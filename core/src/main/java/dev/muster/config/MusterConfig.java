package dev.muster.config;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All settings of a node. Immutable and always valid: instances come only from the defaults and from checked sources.
 *
 * <pre>{@code
 * MusterConfig config = MusterConfig.load(ConfigSource.standard(System.getenv(), Path.of("")));
 * MusterConfig quick = config.with(Map.of("worker.lease", "2s", "worker.renew", "500ms"));
 * }</pre>
 */
public final class MusterConfig {
    private static final String BUILDER = "builder";
    private static final MusterConfig DEFAULTS = new MusterConfig(Values.defaults());

    private final Values values;
    private final DatabaseConfig database;
    private final NodeConfig node;
    private final ClusterConfig cluster;
    private final LeaderConfig leader;
    private final WorkerConfig worker;
    private final GatewayConfig gateway;
    private final JwtConfig jwt;
    private final TenantsConfig tenants;
    private final RateLimitConfig rateLimit;
    private final SchedulerConfig scheduler;
    private final EncryptionConfig encryption;
    private final HistoryConfig history;
    private final RoutingConfig routing;
    private final ExecutorsConfig executors;

    private MusterConfig(Values values) {
        this.values = values;
        this.database = DatabaseConfig.from(values);
        this.node = NodeConfig.from(values);
        this.cluster = ClusterConfig.from(values);
        this.leader = LeaderConfig.from(values);
        this.worker = WorkerConfig.from(values);
        this.gateway = GatewayConfig.from(values);
        this.jwt = JwtConfig.from(values);
        this.tenants = TenantsConfig.from(values);
        this.rateLimit = RateLimitConfig.from(values);
        this.scheduler = SchedulerConfig.from(values);
        this.encryption = EncryptionConfig.from(values);
        this.history = HistoryConfig.from(values);
        this.routing = RoutingConfig.from(values);
        this.executors = ExecutorsConfig.from(values);
    }

    /** Every setting at its default. */
    public static MusterConfig defaults() {
        return DEFAULTS;
    }

    /**
     * Reads the sources over the defaults; a later source wins.
     *
     * @throws ConfigException with every problem of every source
     */
    public static MusterConfig load(List<ConfigSource> sources) {
        return read(Values.defaults(), sources);
    }

    /**
     * A copy with one setting changed. The value is written as in an environment variable: {@code with("worker.lease", "45s")}.
     *
     * @throws ConfigException if the result would not be valid; change settings that depend on each other with {@link
     *     #with(Map)}
     */
    public MusterConfig with(String key, String value) {
        return with(Map.of(key, value));
    }

    /**
     * A copy with several settings changed, which are checked together.
     *
     * @throws ConfigException if the result would not be valid
     */
    public MusterConfig with(Map<String, String> changes) {
        return read(values, List.of(ConfigSource.of(BUILDER, changes)));
    }

    private static MusterConfig read(Values start, List<ConfigSource> sources) {
        Draft draft = new Draft(start);
        sources.forEach(source -> source.readInto(draft));
        return new MusterConfig(draft.finish());
    }

    public DatabaseConfig database() {
        return database;
    }

    public NodeConfig node() {
        return node;
    }

    public ClusterConfig cluster() {
        return cluster;
    }

    public LeaderConfig leader() {
        return leader;
    }

    public WorkerConfig worker() {
        return worker;
    }

    public GatewayConfig gateway() {
        return gateway;
    }

    public JwtConfig jwt() {
        return jwt;
    }

    public TenantsConfig tenants() {
        return tenants;
    }

    public RateLimitConfig rateLimit() {
        return rateLimit;
    }

    public SchedulerConfig scheduler() {
        return scheduler;
    }

    public EncryptionConfig encryption() {
        return encryption;
    }

    public HistoryConfig history() {
        return history;
    }

    public RoutingConfig routing() {
        return routing;
    }

    public ExecutorsConfig executors() {
        return executors;
    }

    /** All settings with their values and sources, by section. */
    public List<ConfigEntry> entries() {
        return values.settings().stream().<ConfigEntry>map(this::entry).toList();
    }

    /** The definitions of all settings, by section. Those that each executor has are {@code executors.NAME.size} and so on. */
    public static List<SettingInfo> settings() {
        return Stream.concat(
                        Settings.ALL.stream(), Settings.NAMED.stream().flatMap(section -> section.settings().stream()))
                .<SettingInfo>map(SettingInfo::of)
                .toList();
    }

    /** The rules between settings, one sentence each. */
    public static List<String> rules() {
        return SettingCheck.all().stream().map(SettingCheck::sentence).toList();
    }

    private ConfigEntry entry(Setting<?> setting) {
        return new ConfigEntry(
                setting.key(), values.show(setting), values.source(setting), setting.description(), setting.secret());
    }

    /** Whether all values are the same, whatever their sources. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof MusterConfig that && valuesByKey().equals(that.valuesByKey());
    }

    @Override
    public int hashCode() {
        return valuesByKey().hashCode();
    }

    private Map<String, Object> valuesByKey() {
        return values.settings().stream().collect(Collectors.toMap(Setting::key, values::get));
    }

    /** The settings that came from a source other than the defaults, with secrets hidden. */
    @Override
    public String toString() {
        return entries().stream()
                .filter(entry -> !entry.source().equals(Values.DEFAULT))
                .map(entry -> entry.key() + "=" + entry.value())
                .collect(Collectors.joining(", ", "MusterConfig[", "]"));
    }
}
