package dev.muster.config;

import dev.muster.internal.config.DurationText;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A rule between two settings.
 *
 * @param left the setting that the rule restricts
 * @param right the setting it is compared with
 * @param rule what the left setting must be for this value of the right one; follows "it must be " in a message
 * @param words what the left setting must be for any value of the right one; follows "must be " in the rule's sentence
 */
record Relation<A, B>(
        Setting<A> left, Setting<B> right, BiPredicate<A, B> holds, Function<B, String> rule, String words)
        implements SettingCheck {

    static final List<Relation<?, ?>> ALL = List.of(
            atLeast(3, ClusterConfig.DEAD_THRESHOLD, ClusterConfig.HEARTBEAT_INTERVAL),
            below(ClusterConfig.STALE_THRESHOLD, ClusterConfig.DEAD_THRESHOLD),
            atLeast(1, ClusterConfig.MAX_HEARTBEAT_INTERVAL, ClusterConfig.HEARTBEAT_INTERVAL),
            new Relation<>(
                    LeaderConfig.LEASE,
                    LeaderConfig.RENEW,
                    (lease, renew) -> lease.compareTo(renew) > 0,
                    renew -> "more than " + DurationText.format(renew),
                    "more than leader.renew"),
            notPortable(LeaderConfig.STRATEGY, LeaderConfig.Strategy.LEASE),
            notPortable(WorkerConfig.WAKEUP, WorkerConfig.Wakeup.NONE),
            atLeast(3, WorkerConfig.LEASE, WorkerConfig.RENEW),
            below(WorkerConfig.SWEEP_INTERVAL, WorkerConfig.LEASE),
            // A key is kept until some time after its job ended, and only history tells when that was.
            new Relation<>(
                    HistoryConfig.KEY_RETAIN,
                    HistoryConfig.RETAIN,
                    (keys, jobs) -> keys.compareTo(jobs) <= 0,
                    jobs -> DurationText.format(jobs) + " or less",
                    "as long as history.retain or shorter"),
            new Relation<>(
                    GatewayConfig.AUTH,
                    GatewayConfig.HOST,
                    (auth, host) -> auth == GatewayConfig.Auth.REQUIRED || GatewayConfig.isLoopback(host),
                    host -> "required, because others can reach that address",
                    "required, unless gateway.host is a loopback address"),
            bothOrNone(GatewayConfig.TLS_CERTIFICATE, GatewayConfig.TLS_KEY),
            bothOrNone(GatewayConfig.TLS_KEY, GatewayConfig.TLS_CERTIFICATE),
            needs(JwtConfig.JWKS_URL, JwtConfig.ISSUER),
            needs(JwtConfig.KEYS_FILE, JwtConfig.ISSUER),
            new Relation<>(
                    JwtConfig.KEYS_FILE,
                    JwtConfig.JWKS_URL,
                    (file, url) -> file.isEmpty() || url.isEmpty(),
                    url -> "left out, because the keys come from one place only",
                    "left out when jwt.jwks_url is given"),
            new Relation<>(
                    NodeConfig.ROLES,
                    NodeConfig.MODE,
                    (roles, mode) -> roles.isEmpty() || mode == NodeConfig.Mode.AUTO,
                    mode -> "left out, or the mode be auto",
                    "left out, unless node.mode is auto"),
            new Relation<>(
                    EncryptionConfig.ACTIVE,
                    EncryptionConfig.KEYS,
                    EncryptionConfig::fits,
                    EncryptionConfig::rule,
                    "one of the ids in encryption.keys; it may be left out when there is only one"),
            new Relation<>(
                    WorkerConfig.MAX_POLL_INTERVAL,
                    WorkerConfig.POLL_INTERVAL,
                    (max, poll) -> max.isEmpty() || max.get().compareTo(poll) >= 0,
                    poll -> "auto, or " + DurationText.format(poll) + " or more",
                    "auto, or at least worker.poll_interval"));

    private static Relation<Duration, Duration> atLeast(int times, Setting<Duration> left, Setting<Duration> right) {
        return new Relation<>(
                left,
                right,
                (a, b) -> a.compareTo(b.multipliedBy(times)) >= 0,
                b -> (times == 1 ? "" : "at least " + times + " × that, ") + DurationText.format(b.multipliedBy(times))
                        + " or more",
                "at least " + (times == 1 ? "" : times + " × ") + right.key());
    }

    private static Relation<Optional<String>, Optional<String>> bothOrNone(
            Setting<Optional<String>> left, Setting<Optional<String>> right) {
        return new Relation<>(
                left,
                right,
                (a, b) -> a.isPresent() || b.isEmpty(),
                b -> "given, too",
                "given when " + right.key() + " is");
    }

    private static Relation<Optional<String>, Optional<String>> needs(
            Setting<Optional<String>> left, Setting<Optional<String>> right) {
        return new Relation<>(
                left,
                right,
                (a, b) -> a.isEmpty() || b.isPresent(),
                b -> "left out, or " + right.key() + " be given",
                "left out, unless " + right.key() + " is given");
    }

    private static Relation<Duration, Duration> below(Setting<Duration> left, Setting<Duration> right) {
        return new Relation<>(
                left,
                right,
                (a, b) -> a.compareTo(b) < 0,
                b -> "less than " + DurationText.format(b),
                "less than " + right.key());
    }

    /** With the portable profile the setting must have this value. */
    private static <T> Relation<T, DatabaseConfig.Profile> notPortable(Setting<T> left, T portable) {
        return new Relation<>(
                left,
                DatabaseConfig.PROFILE,
                (value, profile) -> profile == DatabaseConfig.Profile.FULL || value == portable,
                profile -> left.type().show(portable) + ", or database.profile must be full",
                left.type().show(portable) + " when database.profile is portable");
    }

    /** This rule of a {@link NamedSection} for one of its names. */
    Relation<A, B> in(String name) {
        return new Relation<>(left.in(name), right.in(name), holds, rule, words);
    }

    @Override
    public List<ConfigProblem> problems(Values values, Predicate<Setting<?>> readable) {
        B measure = values.get(right);
        if (!readable.test(left) || !readable.test(right) || holds.test(values.get(left), measure)) {
            return List.of();
        }
        String message = describe(left, values) + " does not fit " + describe(right, values) + ": it must be "
                + rule.apply(measure);
        return List.of(new ConfigProblem(Optional.of(left.key()), values.source(left), message));
    }

    @Override
    public String sentence() {
        return left.key() + " must be " + words;
    }

    /** The setting with its value and source, for messages. */
    static String describe(Setting<?> setting, Values values) {
        String value = values.show(setting);
        return value.isEmpty() && values.source(setting).equals(Values.DEFAULT)
                ? setting.key() + " (not given)"
                : setting.key() + " = " + value + " (from " + values.source(setting) + ")";
    }
}
