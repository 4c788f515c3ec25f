package dev.muster.bench;

import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Handled;
import dev.muster.bench.contender.Payload;
import dev.muster.bench.contender.Site;
import dev.muster.config.MusterConfig;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.provider.Store;
import dev.muster.internal.provider.StoreProvider;
import dev.muster.job.JobRequest;
import dev.muster.job.JobType;
import dev.muster.job.Priority;
import dev.muster.job.QueueLimit;
import dev.muster.telemetry.Tracing;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Muster as shipped: one node that enqueues, one that runs a handler which does nothing, default settings. */
final class MusterContender implements Contender {
    static final String NAME = "muster";
    static final JobType<Payload, Void> TYPE = JobType.of("send-confirmation", Payload.class, Void.class);
    static final String QUEUE = "default";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Kind kind() {
        return Kind.MUSTER;
    }

    @Override
    public String about() {
        return "Muster as shipped, default settings, one node that enqueues and one that runs";
    }

    @Override
    public Site open(String url) {
        return site(url, QueueLimit.NONE, request -> request);
    }

    /**
     * A site whose queue has a limit.
     *
     * @param change applied to each request
     */
    static Site site(String url, QueueLimit limit, UnaryOperator<JobRequest> change) {
        MusterSite site = new MusterSite(url, change, client -> client, node -> node);
        if (!limit.isNone()) {
            site.client.queues().limit(QUEUE, limit);
        }
        return site;
    }

    /**
     * A site whose jobs are run by a node with settings of its own.
     *
     * @param node adds settings and handlers to the node
     */
    static Site site(String url, UnaryOperator<MusterBuilder> node) {
        return new MusterSite(url, request -> request, client -> client, node);
    }

    /** A site whose jobs are enqueued and run with a tracer; null if there is none. */
    static Site site(String url, @Nullable Tracing tracing) {
        UnaryOperator<MusterBuilder> traced = builder -> tracing == null ? builder : builder.tracing(tracing);
        return new MusterSite(url, request -> request, traced, traced);
    }

    /** Jobs of all five priorities by turns, like those of the floor. */
    static List<JobRequest> requests(int first, int count) {
        Priority[] priorities = Priority.values();
        List<JobRequest> requests = new ArrayList<>(count);
        for (int i = first; i < first + count; i++) {
            requests.add(JobRequest.of(TYPE, Payload.number(i)).priority(priorities[i % priorities.length]));
        }
        return requests;
    }

    static long left(String url) throws SQLException {
        return Scratch.number(url, "select count(*) from muster_jobs");
    }

    /** The store without an engine. */
    static Store store(String url) {
        return ServiceLoader.load(StoreProvider.class)
                .findFirst()
                .orElseThrow()
                .open(null, MusterConfig.defaults().with("database.url", url));
    }

    static ClaimSession claims(Store store) {
        return store.claims()
                .openClaims(new ClaimFilter("own-sql", null, Set.of(), Set.of(TYPE.name()), Duration.ofSeconds(30)));
    }

    static List<Outcome> completed(List<ClaimedJob> claimed) {
        List<Outcome> outcomes = new ArrayList<>(claimed.size());
        for (ClaimedJob job : claimed) {
            outcomes.add(new Outcome.Completed(job.claim(), null));
        }
        return outcomes;
    }

    private static final class MusterSite implements Site {
        private final String url;
        private final Muster client;
        private final UnaryOperator<JobRequest> change;
        private final UnaryOperator<MusterBuilder> running;

        MusterSite(
                String url,
                UnaryOperator<JobRequest> change,
                UnaryOperator<MusterBuilder> enqueuing,
                UnaryOperator<MusterBuilder> running) {
            this.url = url;
            this.change = change;
            this.running = running;
            this.client = enqueuing
                    .apply(Muster.builder().config(MusterConfig.defaults()).database(url))
                    .build();
            client.start();
        }

        @Override
        public void enqueue(int first, int count) {
            List<JobRequest> requests = requests(first, count);
            requests.replaceAll(change);
            client.jobs().enqueueAll(requests);
        }

        @Override
        public Work start(Handled handled) {
            Muster node = running.apply(Muster.builder()
                            .config(MusterConfig.defaults())
                            .database(url)
                            .register(new Confirmations(handled)))
                    .build();
            node.start();
            return new Work() {
                @Override
                public void pause() {
                    client.queues().pause(QUEUE);
                }

                @Override
                public void resume() {
                    client.queues().resume(QUEUE);
                }

                @Override
                public void close() {
                    node.close();
                }
            };
        }

        @Override
        public long left() throws SQLException {
            return MusterContender.left(url);
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
