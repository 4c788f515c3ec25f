package dev.muster.testkit;

import dev.muster.Muster;
import dev.muster.Store;
import dev.muster.StoreProvider;
import dev.muster.config.MusterConfig;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.job.store.ClaimScope;
import dev.muster.job.store.ClaimedJob;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import javax.sql.DataSource;

/** Enqueues and claims jobs directly, without a node. */
public final class JobQueue {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final Muster muster;
    private final Store store;

    public JobQueue(DataSource dataSource) {
        this.muster = Muster.builder()
                .config(MusterConfig.defaults())
                .dataSource(dataSource)
                .build();
        this.store = ServiceLoader.load(StoreProvider.class)
                .findFirst()
                .orElseThrow()
                .open(dataSource, MusterConfig.defaults());
    }

    public JobId enqueue(JobRequest request) {
        return muster.jobs().enqueue(request);
    }

    /** Claims at most {@code limit} due jobs of any name for a node with these capabilities. */
    public List<ClaimedJob> claim(String node, Collection<String> capabilities, int limit) {
        return store.claims()
                .openClaims(new ClaimScope(node, null, Set.copyOf(capabilities), null, LEASE))
                .exchange(List.of(), limit)
                .claimed();
    }
}
