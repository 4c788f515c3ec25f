package dev.muster.spring.internal;

import dev.muster.config.ConfigSource;
import dev.muster.config.GatewayConfig;
import dev.muster.config.MusterConfig;
import dev.muster.config.NodeRole;
import dev.muster.config.SettingInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Reads Muster's settings from Spring's environment: {@code worker.drain_timeout} is the property {@code muster.worker.drain-timeout}, in
 * whatever form Spring accepts it. Names that are no setting are refused, as in {@code muster.toml}.
 */
final class SpringSettings {
    static final String PREFIX = "muster.";

    private static final String EXECUTORS = "executors.";
    private static final Pattern INDEX = Pattern.compile("\\[(\\d+)]");
    private static final String PLACEHOLDER = EXECUTORS + "NAME.";

    /** What the starter sets for people who did not: applications have their own limit for a shutdown. */
    private static final Duration USUAL_DRAIN = Duration.ofSeconds(30);

    private static final Duration USUAL_DRAIN_OF_GATEWAY = Duration.ofSeconds(5);

    private final ConfigurableEnvironment environment;
    private final Set<String> names = new TreeSet<>();

    /** The names in each source; the source that counts most comes first. */
    private final Map<PropertySource<?>, Set<String>> sources = new LinkedHashMap<>();

    private SpringSettings(ConfigurableEnvironment environment) {
        this.environment = environment;
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> enumerable) {
                sources.put(source, isWritten(source) ? namesIn(enumerable) : Set.of());
            }
        }
        sources.values().forEach(names::addAll);
    }

    private static Set<String> namesIn(EnumerablePropertySource<?> source) {
        Set<String> found = new TreeSet<>(Comparator.comparing(SpringSettings::withPaddedIndexes));
        for (String name : source.getPropertyNames()) {
            if (name.startsWith(PREFIX)) {
                found.add(name.substring(PREFIX.length()));
            }
        }
        return found;
    }

    /** Sorts "[10]" after "[9]". */
    private static String withPaddedIndexes(String name) {
        return INDEX.matcher(name)
                .replaceAll(index ->
                        "[" + "0".repeat(Math.max(0, 10 - index.group(1).length())) + index.group(1) + "]");
    }

    /** Variables have names of another form. System properties may be for something else that is called muster. */
    private static boolean isWritten(PropertySource<?> source) {
        return !source.getName().equals(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)
                && !source.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
    }

    /**
     * @param phaseTimeout how long Spring waits for the node to stop
     * @throws dev.muster.config.ConfigException with all problems of the settings
     */
    static MusterConfig read(ConfigurableEnvironment environment, Duration phaseTimeout) {
        MusterConfig written = MusterConfig.load(new SpringSettings(environment).all());
        return withDefaults(written, environment, phaseTimeout);
    }

    /** Whether a setting stands in the application's properties, also if a variable of the environment replaces it. */
    static boolean isProperty(ConfigurableEnvironment environment, String key) {
        SpringSettings settings = new SpringSettings(environment);
        return settings.names.stream().anyMatch(name -> "".equals(restAfter(key, name)))
                || settings.sources.keySet().stream()
                        .filter(source ->
                                source.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME))
                        .anyMatch(source -> source.containsProperty(PREFIX + kebab(key)));
    }

    private static MusterConfig withDefaults(
            MusterConfig written, ConfigurableEnvironment environment, Duration phaseTimeout) {
        Map<String, String> defaults = new LinkedHashMap<>();
        String application = environment.getProperty("spring.application.name");
        if (written.node().name().isEmpty() && application != null && !application.isBlank()) {
            defaults.put("node.name", application);
        }
        if (servesHttp(written, environment) && isDefault(written, "gateway.drain_timeout")) {
            defaults.put("gateway.drain_timeout", USUAL_DRAIN_OF_GATEWAY.toSeconds() + "s");
        }
        MusterConfig named = written.with(defaults);
        if (isDefault(named, "worker.drain_timeout")) {
            Duration left = phaseTimeout.minus(MusterLifecycle.MARGIN).minus(drainOfGateway(named, environment));
            Duration drain = left.compareTo(USUAL_DRAIN) < 0 ? left : USUAL_DRAIN;
            return named.with("worker.drain_timeout", Math.max(0, drain.toMillis()) + "ms");
        }
        return named;
    }

    private static boolean isDefault(MusterConfig config, String key) {
        return config.entries().stream()
                .anyMatch(entry -> entry.key().equals(key) && entry.source().equals("default"));
    }

    /** How long the node's gateway may take to drain. */
    static Duration drainOfGateway(MusterConfig config, Environment environment) {
        GatewayConfig gateway = config.gateway();
        return servesHttp(config, environment)
                ? gateway.effectiveDrainNotice().plus(gateway.drainTimeout())
                : Duration.ZERO;
    }

    private static boolean servesHttp(MusterConfig config, Environment environment) {
        return config.node().has(NodeRole.GATEWAY)
                && (config.gateway().port().isPresent()
                        || environment.containsProperty(StarterProperty.GATEWAY_PATH.key()));
    }

    /** Variables first, because Muster knows which of them are not settings; then the properties, whose precedence Spring has decided. */
    private List<ConfigSource> all() {
        List<ConfigSource> all = new ArrayList<>();
        all.add(ConfigSource.environment(variables()));
        Set<String> read = new TreeSet<>();
        for (SettingInfo setting : MusterConfig.settings()) {
            for (String key : keys(setting)) {
                value(key, read).ifPresent(value -> all.add(source(key, value)));
            }
        }
        names.stream()
                .filter(name -> !read.contains(name) && !StarterProperty.isOne(name))
                .forEach(name -> all.add(source(name.replace('-', '_'), property(name))));
        return all;
    }

    private Map<String, String> variables() {
        Map<String, String> variables = new HashMap<>();
        environment.getSystemEnvironment().forEach((name, value) -> {
            if (!StarterProperty.isVariable(name)) {
                variables.put(withUnderscores(name), String.valueOf(value));
            }
        });
        return variables;
    }

    /** Spring's own form of {@code MUSTER_WORKER_DRAIN_TIMEOUT} is {@code MUSTER_WORKER_DRAINTIMEOUT}. */
    private static String withUnderscores(String variable) {
        if (!variable.startsWith("MUSTER_")) {
            return variable;
        }
        return MusterConfig.settings().stream()
                .map(setting -> "MUSTER_" + setting.key().replace('.', '_').toUpperCase(Locale.ROOT))
                .filter(known -> known.replace("_", "").equals(variable.replace("_", "")))
                .findFirst()
                .orElse(variable);
    }

    private static ConfigSource source(String key, Object value) {
        return ConfigSource.of("property " + PREFIX + kebab(key), Map.of(key, value));
    }

    /** The keys of a setting: one, or one for each executor that a property names. */
    private Collection<String> keys(SettingInfo setting) {
        if (!setting.key().startsWith(PLACEHOLDER)) {
            return List.of(setting.key());
        }
        Set<String> keys = new TreeSet<>();
        String last = setting.key().substring(PLACEHOLDER.length());
        for (String name : names) {
            int end = name.indexOf('.', EXECUTORS.length());
            if (name.startsWith(EXECUTORS) && end > 0) {
                keys.add(name.substring(0, end + 1) + last);
            }
        }
        return keys;
    }

    /** As Spring does it, one source has the whole list, and all sources together have a map. */
    private Optional<Object> value(String key, Set<String> read) {
        names.stream().filter(name -> restAfter(key, name) != null).forEach(read::add);
        Object tree = null;
        for (Map.Entry<PropertySource<?>, Set<String>> source : sources.entrySet()) {
            if (tree == null && hasText(source.getKey(), source.getValue(), key)) {
                break;
            }
            Object own = tree(key, source.getValue());
            if (tree == null || tree instanceof Map<?, ?> && own instanceof Map<?, ?>) {
                tree = merged(tree, own);
            }
        }
        return Optional.ofNullable(tree == null ? text(key) : tree);
    }

    private static boolean hasText(PropertySource<?> source, Set<String> names, String key) {
        return source.containsProperty(PREFIX + kebab(key))
                || names.stream().anyMatch(name -> "".equals(restAfter(key, name)));
    }

    private @Nullable String text(String key) {
        String text = environment.getProperty(PREFIX + kebab(key));
        return text != null
                ? text
                : names.stream()
                        .filter(name -> "".equals(restAfter(key, name)))
                        .findFirst()
                        .map(this::property)
                        .orElse(null);
    }

    private @Nullable Object tree(String key, Set<String> ofSource) {
        Object tree = null;
        for (String name : ofSource) {
            String rest = restAfter(key, name);
            if (rest != null && !rest.isEmpty()) {
                tree = put(tree, rest, property(name));
            }
        }
        return tree;
    }

    /** @param strong wins where both have something */
    private static @Nullable Object merged(@Nullable Object strong, @Nullable Object weak) {
        if (!(strong instanceof Map<?, ?> first) || !(weak instanceof Map<?, ?> second)) {
            return strong == null ? weak : strong;
        }
        Map<Object, Object> both = new LinkedHashMap<>(second);
        first.forEach((name, value) -> both.put(name, merged(value, second.get(name))));
        return both;
    }

    /** What follows the key in a name, such as "[0]" or ".zone"; null if the name is of something else. */
    private static @Nullable String restAfter(String key, String name) {
        int used = 0;
        for (int i = 0; i < key.length(); i++) {
            while (used < name.length() && isSeparator(name.charAt(used))) {
                used++;
            }
            if (isSeparator(key.charAt(i))) {
                continue;
            }
            if (used == name.length() || Character.toLowerCase(name.charAt(used)) != key.charAt(i)) {
                return null;
            }
            used++;
        }
        String rest = name.substring(used);
        return rest.isEmpty() || rest.charAt(0) == '.' || rest.charAt(0) == '[' ? rest : null;
    }

    private static boolean isSeparator(char character) {
        return character == '-' || character == '_';
    }

    /** Adds a value to lists and maps: at "[0]", at "[0].match" or at ".zone". */
    private static Object put(@Nullable Object tree, String path, Object value) {
        boolean bracket = path.charAt(0) == '[';
        int end = bracket ? path.indexOf(']') : nextPart(path);
        String part = path.substring(1, end < 0 ? path.length() : end);
        String rest = end < 0 ? "" : path.substring(bracket ? end + 1 : end);
        if (bracket && part.chars().allMatch(Character::isDigit) && !part.isEmpty()) {
            @SuppressWarnings("unchecked")
            List<Object> list = tree instanceof List<?> ? (List<Object>) tree : new ArrayList<>();
            int index = Integer.parseInt(part);
            Object old = index < list.size() ? list.get(index) : null;
            Object added = rest.isEmpty() ? value : put(old, rest, value);
            if (old != null) {
                list.set(index, added);
            } else {
                list.add(added);
            }
            return list;
        }
        @SuppressWarnings("unchecked")
        Map<String, Object> map = tree instanceof Map<?, ?> ? (Map<String, Object>) tree : new LinkedHashMap<>();
        map.put(part, rest.isEmpty() ? value : put(map.get(part), rest, value));
        return map;
    }

    private static int nextPart(String path) {
        for (int i = 1; i < path.length(); i++) {
            if (path.charAt(i) == '.' || path.charAt(i) == '[') {
                return i;
            }
        }
        return -1;
    }

    private String property(String name) {
        String value = environment.getProperty(PREFIX + name);
        return value == null ? "" : value;
    }

    /** The text with all settings in it under the names that they have in Spring's files. */
    static String withPropertyNames(String text) {
        String named = text;
        for (SettingInfo setting : MusterConfig.settings()) {
            named = Pattern.compile("(?<![\\w.-])" + Pattern.quote(setting.key()) + "(?![\\w-]|\\.\\w)")
                    .matcher(named)
                    .replaceAll(Matcher.quoteReplacement(PREFIX + kebab(setting.key())));
        }
        return named;
    }

    /** The key as it stands in Spring's files: {@code worker.drain-timeout}. */
    static String kebab(String key) {
        return key.replace('_', '-').toLowerCase(Locale.ROOT);
    }
}
