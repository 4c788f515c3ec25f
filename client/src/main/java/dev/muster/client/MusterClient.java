package dev.muster.client;

import dev.muster.Admin;
import dev.muster.ClusterApi;
import dev.muster.access.ApiKeys;
import dev.muster.access.Audit;
import dev.muster.access.CallerInfo;
import dev.muster.batch.Batches;
import dev.muster.cluster.LeaderInfo;
import dev.muster.cluster.NodeInfo;
import dev.muster.daemon.Daemons;
import dev.muster.document.internal.CallerDocument;
import dev.muster.document.internal.LeaderDocument;
import dev.muster.document.internal.NodeDocument;
import dev.muster.document.internal.OverviewDocument;
import dev.muster.document.internal.QueueDocument;
import dev.muster.event.Subscription;
import dev.muster.function.Functions;
import dev.muster.graph.Graphs;
import dev.muster.job.Jobs;
import dev.muster.job.QueueInfo;
import dev.muster.job.Queues;
import dev.muster.job.RawJson;
import dev.muster.lock.Locks;
import dev.muster.overview.Overview;
import dev.muster.runtime.Clock;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import dev.muster.schedule.Crons;
import dev.muster.workflow.Workflows;
import java.lang.reflect.Type;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cluster that is reached over HTTP. Thread-safe.
 *
 * <pre>{@code
 * MusterClient muster = MusterClient.builder().server(URI.create("https://muster.example.org")).key(key).build();
 * JobId id = muster.jobs().enqueue("process_order", new OrderArgs(42));
 * JobInfo job = muster.jobs().await(id, Duration.ofMinutes(1));
 * }</pre>
 *
 * The package description says what a client does not do, and when it sends a request again.
 */
public final class MusterClient implements ClusterApi, AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    private final Gateway gateway;
    private final JsonCodec json;
    private final Servers servers;
    private final ClientFunctions functions;

    private MusterClient(Builder given) {
        this.servers = new Servers(given.servers);
        this.json = given.json != null ? given.json : new FoundCodec();
        HttpClient client = given.httpClient != null
                ? given.httpClient
                : HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .connectTimeout(CONNECT_TIMEOUT)
                        .build();
        this.gateway = new Gateway(new Http(client, servers, given.key, given.timeout, Clock.system()));
        this.functions = new ClientFunctions(gateway);
    }

    public static Builder builder() {
        return new Builder();
    }

    @Override
    public Jobs jobs() {
        return new ClientJobs(gateway, json);
    }

    @Override
    public Queues queues() {
        return new ClientQueues(gateway);
    }

    /** The queue of this name; one without jobs is empty. */
    public QueueInfo queue(String name) {
        return QueueDocument.read(gateway.get(Gateway.path("/_api/queues", name)));
    }

    @Override
    public Crons crons() {
        return new ClientCrons(gateway, json);
    }

    @Override
    public Daemons daemons() {
        return new ClientDaemons(gateway);
    }

    @Override
    public Workflows workflows() {
        return new ClientWorkflows(gateway, json);
    }

    @Override
    public Graphs graphs() {
        return new ClientGraphs(gateway, json);
    }

    @Override
    public Batches batches() {
        return new ClientBatches(gateway, json);
    }

    @Override
    public Functions functions() {
        return functions;
    }

    /**
     * Calls a query or a mutation.
     *
     * @param args any value the {@code JsonCodec} can write, or {@link RawJson}; null for none
     * @return null if the function has no result
     * @throws GatewayException if the call was refused or has failed; {@link GatewayException#code} says how
     */
    public <R> @Nullable R call(String function, @Nullable Object args, Class<R> result) {
        String text = args == null ? null : args instanceof RawJson raw ? raw.text() : json.write(args);
        return result.cast(json.read(functions.call(function, text), result));
    }

    @Override
    public Locks locks() {
        return new ClientLocks(gateway);
    }

    @Override
    public ApiKeys apiKeys() {
        return new ClientApiKeys(gateway);
    }

    @Override
    public Audit audit() {
        return new ClientAudit(gateway);
    }

    /** Who the gateway takes this client for. */
    public CallerInfo me() {
        return CallerDocument.read(gateway.get("/_api/me"));
    }

    @Override
    public List<NodeInfo> nodes() {
        return gateway.get("/_api/nodes").list("nodes").stream()
                .map(NodeDocument::read)
                .toList();
    }

    /** The node of this id. */
    public Optional<NodeInfo> node(String id) {
        return gateway.find(Gateway.path("/_api/nodes", id)).map(NodeDocument::read);
    }

    @Override
    public List<LeaderInfo> leaders() {
        return gateway.get("/_api/leaders").list("leaders").stream()
                .map(LeaderDocument::read)
                .toList();
    }

    @Override
    public Overview overview() {
        return OverviewDocument.read(gateway.get("/_api/overview"));
    }

    @Override
    public Admin admin() {
        return new ClientAdmin(gateway);
    }

    @Override
    public boolean drainNode(String id) {
        return gateway.changes("POST", Gateway.path("/_api/nodes", id, "drain"), null, true);
    }

    /** Live events: what happens in the cluster from now on. Needs the scope read; connects with the first {@link EventReader#next}. */
    public EventReader events(Subscription subscription) {
        return gateway.events(subscription);
    }

    /** Connections that are not used any more close by themselves. */
    @Override
    public void close() {
        // The HTTP client of Java 17 has nothing to close.
    }

    @Override
    public String toString() {
        return "MusterClient[" + servers + "]";
    }

    /** The codec that the {@link ServiceLoader} finds, once one is needed: those who use {@link RawJson} alone need none. */
    private static final class FoundCodec implements JsonCodec {
        private final Supplier<JsonCodec> finder = () -> ServiceLoader.load(JsonCodec.class)
                .findFirst()
                .orElseThrow(
                        () -> new MusterException(
                                "there is no JSON codec on the classpath; add muster-json-jackson3, or pass one to the builder"));
        private volatile @Nullable JsonCodec found;

        private JsonCodec codec() {
            JsonCodec codec = found;
            if (codec == null) {
                codec = finder.get();
                found = codec;
            }
            return codec;
        }

        @Override
        public String write(@Nullable Object value) {
            return codec().write(value);
        }

        @Override
        public @Nullable Object read(String text, Type type) {
            return codec().read(text, type);
        }

        @Override
        public void check(String text, Type type) {
            codec().check(text, type);
        }
    }

    /** Builds a client. */
    public static final class Builder {
        private final List<URI> servers = new ArrayList<>();
        private Duration timeout = Duration.ofSeconds(30);
        private @Nullable String key;
        private @Nullable JsonCodec json;
        private @Nullable HttpClient httpClient;

        private Builder() {}

        /** Adds the addresses of gateways. If one does not answer, the next is asked. */
        public Builder server(URI... addresses) {
            servers.addAll(List.of(addresses));
            return this;
        }

        /**
         * The API key, or the token, with which the gateways know the caller. Blanks and line breaks around it are left out.
         *
         * @throws IllegalArgumentException if no header can have this text; the message does not show it
         */
        public Builder key(String text) {
            String stripped = text.strip();
            if (stripped.isEmpty() || !stripped.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
                throw new IllegalArgumentException(
                        "the key is empty, or has blanks or other characters that neither keys nor tokens have");
            }
            this.key = stripped;
            return this;
        }

        /** How long a request may take, with all that it waits for. Default: 30 s. */
        public Builder timeout(Duration limit) {
            this.timeout = limit;
            return this;
        }

        /** Writes args and reads results; without this call, the one that the {@link ServiceLoader} finds does. */
        public Builder json(JsonCodec codec) {
            this.json = codec;
            return this;
        }

        /** Connects to the gateways, with your own trust, proxy or limits. Without this call, connecting may take 5 s. */
        public Builder httpClient(HttpClient client) {
            this.httpClient = client;
            return this;
        }

        /** @throws IllegalArgumentException if there is no address, or one is not the address of a gateway */
        public MusterClient build() {
            return new MusterClient(this);
        }
    }
}
