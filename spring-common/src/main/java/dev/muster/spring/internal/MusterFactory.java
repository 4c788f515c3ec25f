package dev.muster.spring.internal;

import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.cluster.ClusterCoordinator;
import dev.muster.cluster.NodeIdentityProvider;
import dev.muster.config.MusterConfig;
import dev.muster.config.NodeRole;
import dev.muster.internal.config.DurationText;
import dev.muster.job.CurrentTransaction;
import dev.muster.job.JobExecutor;
import dev.muster.job.JobHandler;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobListener;
import dev.muster.job.payload.PayloadCipher;
import dev.muster.lock.StartupCoordinator;
import dev.muster.ratelimit.RateLimiterBackend;
import dev.muster.runtime.Clock;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import dev.muster.spring.MusterCustomizer;
import dev.muster.spring.SpringCurrentTransaction;
import dev.muster.telemetry.Telemetry;
import dev.muster.telemetry.Tracing;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.ClassUtils;

/**
 * Builds the application's Muster from its beans and properties. Everything that a builder takes can be a bean: handlers and executors,
 * interceptors, listeners, the JSON codec, the cipher and so on.
 */
public final class MusterFactory {
    private static final Logger log = LoggerFactory.getLogger(MusterFactory.class);

    /** The customizer that puts the gateway's servlet into the builder. */
    public static final String GATEWAY_BEAN = "musterGateway";

    private static final Duration USUAL_PHASE_TIMEOUT = Duration.ofSeconds(30);

    private final ConfigurableListableBeanFactory beans;
    private final ConfigurableEnvironment environment;
    private final HandlerBeans handlers;
    private final Duration phaseTimeout;
    private final MusterConfig config;

    /** @throws dev.muster.config.ConfigException with all problems of the settings */
    public MusterFactory(ConfigurableListableBeanFactory beans, ConfigurableEnvironment environment) {
        this.beans = beans;
        this.environment = environment;
        this.handlers = new HandlerBeans(beans);
        this.phaseTimeout = phaseTimeout(environment.getProperty("spring.lifecycle.timeout-per-shutdown-phase"));
        this.config = SpringSettings.read(environment, phaseTimeout);
    }

    /** Spring Boot reads {@code 30s}, {@code PT30S}, and a number as milliseconds. */
    private static Duration phaseTimeout(@Nullable String text) {
        if (text == null || text.isBlank()) {
            return USUAL_PHASE_TIMEOUT;
        }
        String stripped = text.strip();
        if (stripped.chars().allMatch(Character::isDigit)) {
            return Duration.ofMillis(Long.parseLong(stripped));
        }
        return stripped.regionMatches(true, 0, "P", 0, 1) ? Duration.parse(stripped) : DurationText.parse(stripped);
    }

    /** The application's settings. */
    public MusterConfig config() {
        return config;
    }

    /**
     * The {@code DataSource} that Muster uses, as the application knows it; empty if the property {@code muster.database.url} gives it a
     * database of its own. The variable {@code MUSTER_DATABASE_URL} alone does not: people set it for the command line, and an application
     * that is started from the same shell must not leave its transactions for it.
     *
     * @throws MusterException if it is not clear which one
     */
    public Optional<DataSource> dataSource() {
        String named = environment.getProperty(StarterProperty.DATA_SOURCE.key());
        Optional<String> url = config.database().url();
        if (url.isPresent() && SpringSettings.isProperty(environment, "database.url")) {
            if (named != null) {
                throw new MusterException(StarterProperty.DATA_SOURCE.key()
                        + " and muster.database.url are both set: say one of them, a DataSource of the application or a database of"
                        + " Muster's own");
            }
            return Optional.empty();
        }
        if (named != null) {
            return Optional.of(namedDataSource(named));
        }
        if (url.isPresent() && dataSourceNames().isEmpty()) {
            return Optional.empty();
        }
        DataSource only = onlyDataSource();
        url.ifPresent(variable -> requireSame(variable, only));
        return Optional.of(only);
    }

    /** @throws MusterException if the variable names another database than that of the application */
    private static void requireSame(String variable, DataSource dataSource) {
        if (!SameDatabase.is(variable, dataSource)) {
            throw new MusterException(
                    "MUSTER_DATABASE_URL is set in the environment and names another database than the application's"
                            + " DataSource"
                            + SameDatabase.address(dataSource)
                                    .flatMap(SameDatabase::database)
                                    .map(found -> " (" + found + ")")
                                    .orElse("")
                            + ". Unset it, and Muster joins the application's transactions; or set muster.database.url as a property of the"
                            + " application, if Muster is to have a database of its own and join none");
        }
    }

    private DataSource namedDataSource(String name) {
        if (!beans.containsBean(name) || !beans.isTypeMatch(name, DataSource.class)) {
            throw new MusterException(StarterProperty.DATA_SOURCE.key() + " = " + name
                    + " is not the name of a DataSource bean; there are: " + dataSourceNames());
        }
        return beans.getBean(name, DataSource.class);
    }

    private DataSource onlyDataSource() {
        DataSource only = beans.getBeanProvider(DataSource.class).getIfUnique();
        if (only == null) {
            List<String> names = dataSourceNames();
            throw new MusterException(
                    names.isEmpty()
                            ? "Muster needs a database: set spring.datasource.url, or muster.database.url for a database of its own"
                            : "there are several DataSources, " + names
                                    + ", and none is primary: name the one that Muster uses with "
                                    + StarterProperty.DATA_SOURCE.key());
        }
        return only;
    }

    private List<String> dataSourceNames() {
        return Arrays.asList(beans.getBeanNamesForType(DataSource.class));
    }

    /** The transactions that Muster joins. */
    public CurrentTransaction currentTransaction() {
        return dataSource().map(SpringCurrentTransaction::new).orElseGet(SpringCurrentTransaction::joiningNone);
    }

    /** The Muster, which {@link #lifecycle} starts. */
    public Muster build() {
        checkGateway();
        MusterBuilder builder = Muster.builder().config(config);
        dataSource().ifPresent(dataSource -> connect(builder, dataSource));
        handlers.registerWith(builder);
        all(JobHandler.class, builder::register);
        beans.getBeansOfType(JobExecutor.class).forEach(builder::executor);
        all(JobInterceptor.class, builder::interceptor);
        all(JobListener.class, builder::listener);
        all(Telemetry.class, builder::telemetry);
        one(Tracing.class, builder::tracing);
        one(JsonCodec.class, builder::json);
        one(PayloadCipher.class, builder::payloadCipher);
        one(ClusterCoordinator.class, builder::coordinator);
        one(CurrentTransaction.class, builder::currentTransaction);
        one(StartupCoordinator.class, builder::startupCoordinator);
        one(RateLimiterBackend.class, builder::rateLimiter);
        one(NodeIdentityProvider.class, builder::nodeIdentity);
        one(Clock.class, builder::clock);
        all(MusterCustomizer.class, customizer -> customizer.customize(builder));
        return builder.build();
    }

    private void checkGateway() {
        if (!environment.containsProperty(StarterProperty.GATEWAY_PATH.key())) {
            return;
        }
        if (!ClassUtils.isPresent(
                "dev.muster.gateway.GatewayServlet", getClass().getClassLoader())) {
            throw new MusterException(StarterProperty.GATEWAY_PATH.key()
                    + " is set, but there is no gateway: add muster-gateway to the dependencies");
        }
        if (!config.node().has(NodeRole.GATEWAY)) {
            log.warn(
                    "{} is set, but neither muster.node.roles nor muster.node.mode make this node a gateway: requests to it are answered with 503",
                    StarterProperty.GATEWAY_PATH.key());
        } else if (!beans.containsBean(GATEWAY_BEAN)) {
            log.warn(
                    "{} is set, but this application has no web server with servlets: nothing is served there",
                    StarterProperty.GATEWAY_PATH.key());
        }
    }

    private void connect(MusterBuilder builder, DataSource dataSource) {
        DataSource plain = UnderlyingDataSource.withoutTransactions(dataSource);
        builder.dataSource(plain);
        if (ownControlConnection()) {
            ControlDataSource.besides(plain).ifPresent(builder::controlDataSource);
        }
    }

    private boolean ownControlConnection() {
        String value = environment.getProperty(StarterProperty.CONTROL_CONNECTION.key(), "own");
        return switch (value) {
            case "own" -> true;
            case "pool" -> false;
            default ->
                throw new MusterException(StarterProperty.CONTROL_CONNECTION.key() + " = " + value
                        + " is not allowed; allowed: own or pool");
        };
    }

    private <T> void all(Class<T> type, Consumer<T> use) {
        beans.getBeanProvider(type).orderedStream().forEach(use);
    }

    /** @throws org.springframework.beans.factory.NoUniqueBeanDefinitionException if there are several and none is primary */
    private <T> void one(Class<T> type, Consumer<T> use) {
        ObjectProvider<T> provider = beans.getBeanProvider(type);
        T bean = provider.getIfAvailable();
        if (bean != null) {
            use.accept(bean);
        }
    }

    /** Starts and stops the Muster that {@link #build} has returned. */
    public MusterLifecycle lifecycle(Muster muster) {
        return new MusterLifecycle(
                muster,
                handlers,
                isOn(StarterProperty.AUTO_STARTUP),
                isOn(StarterProperty.KEEP_ALIVE),
                phaseTimeout,
                SpringSettings.drainOfGateway(config, environment));
    }

    private boolean isOn(StarterProperty property) {
        return environment.getProperty(property.key(), Boolean.class, Boolean.TRUE);
    }
}
