package dev.muster.testkit.internal;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.internal.job.store.ClaimFilter;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.internal.provider.Store;
import dev.muster.internal.provider.StoreProvider;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
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
                .openClaims(new ClaimFilter(node, null, Set.copyOf(capabilities), null, LEASE))
                .exchange(List.of(), limit)
                .claimed();
    }
}
