package dev.muster.cli.internal.database;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.Admin;
import dev.muster.ClusterApi;
import dev.muster.Muster;
import dev.muster.access.ApiKeys;
import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.config.SettingsOptions.GatewayAddress;
import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.client.MusterClient;
import dev.muster.config.MusterConfig;
import dev.muster.document.internal.Json;
import dev.muster.graph.InvalidGraph;
import dev.muster.internal.access.AuditStore;
import dev.muster.internal.access.NewAuditEntry;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.runtime.SentCommits;
import dev.muster.job.InvalidJob;
import dev.muster.job.Jobs;
import dev.muster.job.Queues;
import dev.muster.json.jackson3.Jackson3Codec;
import dev.muster.runtime.DatabaseUnavailable;
import dev.muster.runtime.JsonCodec.JsonException;
import dev.muster.runtime.MusterException;
import dev.muster.runtime.OutcomeUnknown;
import dev.muster.schedule.InvalidCron;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A command's access to the cluster: it can read and enqueue, but runs no jobs. */
public final class Session implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Session.class);
    private static final int CONNECTIONS = 2;
    private static final String READ_URL = "database.read_url";

    private final ClusterApi cluster;
    private final @Nullable Muster muster;
    private final AutoCloseable resources;

    private Session(HikariDataSource pool, MusterConfig config) {
        Muster built = Muster.builder().config(config).dataSource(pool).build();
        this.cluster = built;
        this.muster = built;
        this.resources = () -> {
            built.close();
            pool.close();
        };
    }

    private Session(MusterClient client) {
        this.cluster = client;
        this.muster = null;
        this.resources = client;
    }

    /**
     * For commands that change something: over HTTP if the options or the environment name a gateway, else with the database.
     *
     * @throws dev.muster.runtime.DatabaseUnavailable if the database cannot be reached
     */
    public static Session open(SettingsOptions settings) {
        return settings.gateway().map(Session::overHttp).orElseGet(() -> open(settings.load()));
    }

    /**
     * For commands that only read: over HTTP if the options or the environment name a gateway, else with the database.
     *
     * @throws dev.muster.runtime.DatabaseUnavailable if the server on which they read cannot be reached
     */
    public static Session toRead(SettingsOptions settings) {
        return settings.gateway().map(Session::overHttp).orElseGet(() -> toRead(settings.load()));
    }

    private static Session overHttp(GatewayAddress gateway) {
        MusterClient.Builder client = MusterClient.builder().json(new Jackson3Codec());
        try {
            gateway.key().ifPresent(client::key);
        } catch (IllegalArgumentException e) {
            throw CommandFailed.badInput("--api-key (or MUSTER_KEY): " + e.getMessage(), e);
        }
        try {
            gateway.addresses().forEach(address -> client.server(address(address)));
            return new Session(client.build());
        } catch (IllegalArgumentException e) {
            throw CommandFailed.badInput("--server (or MUSTER_SERVER): " + e.getMessage(), e);
        }
    }

    private static URI address(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no address of a gateway; one looks like https://muster.example.org", e);
        }
    }

    /**
     * For commands that change something. They also read at {@code database.url}, because they show what they have just changed.
     *
     * @throws dev.muster.runtime.DatabaseUnavailable if the database cannot be reached
     */
    public static Session open(MusterConfig config) {
        Connections connections = new Connections(config.database()).check();
        return new Session(connections.pool("muster-cli", CONNECTIONS), config.with(READ_URL, "none"));
    }

    /**
     * For commands that only read. If {@code database.read_url} is set, they read there and do not connect to {@code database.url},
     * which may be down.
     *
     * @throws dev.muster.runtime.DatabaseUnavailable if the server on which they read cannot be reached
     */
    private static Session toRead(MusterConfig config) {
        if (config.database().readUrl().isEmpty()) {
            return open(config);
        }
        Connections.ofReplica(config.database()).check();
        return new Session(new Connections(config.database()).pool("muster-cli", CONNECTIONS), config);
    }

    /**
     * For commands about the tables alone. They read and write no args or results and so need no encryption keys: people who migrate
     * the tables may not have them. They also work with the settings of an observer, which does not migrate by itself.
     *
     * @throws dev.muster.runtime.DatabaseUnavailable if the database cannot be reached
     */
    public static Session forTables(MusterConfig config) {
        return open(config.with(Map.of("encryption.required", "false", "node.mode", "auto")));
    }

    /** As {@link #audited(String, String, Map, Supplier)}, if there is nothing else worth knowing. */
    public <T> T audited(String action, String target, Supplier<T> change) {
        return audited(action, target, Map.of(), change);
    }

    /**
     * Changes something as an operator does, within an entry of the audit, which is committed before: if it cannot be written, nothing is
     * changed. Over HTTP the gateway writes it.
     *
     * @param action as the gateway calls it, such as {@code queues.pause}
     * @param target what is changed, such as the name of the queue
     * @param details what else is worth knowing; no secrets
     * @param change does it, and throws if it was not done
     */
    public <T> T audited(String action, String target, Map<String, ?> details, Supplier<T> change) {
        if (muster == null) {
            return change.get();
        }
        AuditStore audit = muster.api(NodeContext.class).port(AuditStore.class);
        long entry = audit.begin(NewAuditEntry.of(Operator.caller(), action, target, muster.nodeId())
                .details(Json.write(details)));
        try {
            T done = SentCommits.during(change);
            noteOutcome(audit, entry, AuditStore.DONE);
            return done;
        } catch (RuntimeException | Error e) {
            noteFailure(audit, entry, e);
            throw e;
        }
    }

    private static void noteFailure(AuditStore audit, long entry, Throwable failure) {
        String word = "failed: ";
        if (failure instanceof OutcomeUnknown) {
            word = "unknown: ";
        } else if (failure instanceof MusterException && !(failure instanceof DatabaseUnavailable)) {
            word = "refused: ";
        }
        noteOutcome(audit, entry, word + reason(failure));
    }

    /** What is wrong with a request may be its args, which the audit must not keep. */
    private static String reason(Throwable failure) {
        boolean quotes = failure instanceof InvalidJob
                || failure instanceof InvalidCron
                || failure instanceof InvalidGraph
                || failure instanceof JsonException;
        return quotes ? "invalid_request" : String.valueOf(failure.getMessage());
    }

    /** What was done is done, whether or not its outcome can be written. */
    private static void noteOutcome(AuditStore audit, long entry, String outcome) {
        try {
            audit.end(entry, outcome);
        } catch (RuntimeException e) {
            log.warn("audit={} has no outcome, which was: {}", entry, outcome, e);
        }
    }

    /** The API keys, as the operator may use them: the audit names who that is. Over HTTP that is whoever has the key. */
    public ApiKeys apiKeys() {
        return muster == null ? cluster.apiKeys() : muster.apiKeys().as(Operator.caller());
    }

    /** What commands use of the cluster. */
    public ClusterApi cluster() {
        return cluster;
    }

    /** For what only a process that reaches the database can do: the APIs of subsystems that other jars have brought along. */
    public Muster muster() {
        if (muster == null) {
            throw CommandFailed.badInput("this command needs the database; use --url instead of --server");
        }
        return muster;
    }

    public Jobs jobs() {
        return cluster().jobs();
    }

    public Queues queues() {
        return cluster().queues();
    }

    public Admin admin() {
        return cluster().admin();
    }

    /** Hints about a job name and a queue that do not occur in the database; null for one that was not given. */
    public List<String> sentencesAboutUnknown(@Nullable String job, @Nullable String queue) {
        return job == null && queue == null ? List.of() : admin().knownNames().sentencesAboutUnknown(job, queue);
    }

    /** Migrates or checks the tables, depending on {@code database.migrate}. The node of a gateway has done that. */
    public void prepareTables() {
        if (muster != null) {
            muster.migrate();
        }
    }

    @Override
    public void close() {
        try {
            resources.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
