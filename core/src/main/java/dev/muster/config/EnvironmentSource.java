package dev.muster.config;

import dev.muster.internal.config.Nearest;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The MUSTER_ variables of an environment. */
final class EnvironmentSource extends ConfigSource {
    private static final Set<String> NOT_SETTINGS =
            Set.of("MUSTER_OPTS", "MUSTER_HOME", "MUSTER_CONFIG", "MUSTER_DEBUG", "MUSTER_SERVER", "MUSTER_KEY");
    private static final String FOR_TESTS = "MUSTER_TEST_";

    // Kubernetes sets such variables in every pod for each service of its namespace, and a service may be named
    // "muster".
    private static final Pattern KUBERNETES_NAME = Pattern.compile(
            "MUSTER(_[A-Z0-9_]+)?_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\\d+_(TCP|UDP|SCTP)(_[A-Z]+)?)");
    private static final Pattern KUBERNETES_PORT = Pattern.compile("(tcp|udp|sctp)://.*");

    private final Map<String, String> environment;

    EnvironmentSource(Map<String, String> environment) {
        this.environment = new TreeMap<>(environment);
    }

    @Override
    public ConfigSource expanded(Map<String, String> environment) {
        return this;
    }

    @Override
    void readInto(Draft draft) {
        environment.forEach((variable, value) -> {
            if (variable.startsWith(Setting.VARIABLE_PREFIX) && !isForeign(variable, value)) {
                read(variable, value, draft);
            }
        });
    }

    private static boolean isForeign(String variable, String value) {
        return NOT_SETTINGS.contains(variable)
                || variable.startsWith(FOR_TESTS)
                || KUBERNETES_NAME.matcher(variable).matches()
                || (variable.endsWith("_PORT") && KUBERNETES_PORT.matcher(value).matches());
    }

    private static void read(String variable, String value, Draft draft) {
        Optional<Setting<?>> setting = Settings.byVariable(variable);
        if (setting.isPresent()) {
            draft.offer(setting.get(), value, variable, null);
        } else if (!readNamed(variable, value, draft) && !draft.mentions(variable)) {
            String name = variable.substring(Setting.VARIABLE_PREFIX.length());
            Nearest nearest = Nearest.to(name, Settings.keysLike(name));
            String hint = nearest.hint(key -> Setting.variable(key) + " (" + key + ")");
            // The variable may belong to another program and hold a secret, so its value is not shown.
            draft.refuse(variable, variable, variable + " (from the environment) is not a setting; " + hint);
        }
    }

    /** Reads the variable if it is one of a named section. */
    private static boolean readNamed(String variable, String value, Draft draft) {
        for (NamedSection section : Settings.NAMED) {
            Optional<Setting<?>> setting = section.byVariable(variable, draft.names(section));
            if (setting.isPresent()) {
                String name = section.nameIn(setting.get().key());
                section.objection(name)
                        .ifPresentOrElse(
                                reason -> draft.refuse(
                                        setting.get().key(),
                                        variable,
                                        variable + " (from the environment) is for the " + section.one() + " '" + name
                                                + "', which " + reason),
                                () -> draft.offer(setting.get(), value, variable, null));
                return true;
            }
        }
        return false;
    }
}
