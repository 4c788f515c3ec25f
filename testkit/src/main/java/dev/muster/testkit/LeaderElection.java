package dev.muster.testkit;

import dev.muster.config.LeaderConfig;
import dev.muster.config.MusterConfig;
import dev.muster.internal.cluster.DatabasePolls;
import dev.muster.internal.leader.Election;
import dev.muster.internal.provider.Store;
import dev.muster.internal.provider.StoreProvider;
import dev.muster.internal.telemetry.TelemetryListeners;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.Leadership;
import dev.muster.leader.StaleLeader;
import dev.muster.runtime.Clock;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * One candidate for one leader role, without a node: for tests of what happens when leadership changes. While it leads, it renews
 * by itself; while it does not, it takes part in the election only when told to.
 *
 * <pre>{@code
 * LeaderElection one = new LeaderElection(dataSource, "one", LeaderRole.SCHEDULER, LeaderConfig.defaults());
 * assertThat(one.tryBecomeLeader()).isTrue();
 * }</pre>
 */
public final class LeaderElection implements AutoCloseable {
    private final Store store;
    private final String nodeId;
    private final UUID incarnation = UUID.randomUUID();
    private final LeaderRole role;
    private final LeaderConfig config;
    private @Nullable Election election;

    /**
     * Brings Muster's tables up to date and opens the candidate's control connection.
     *
     * @param dataSource one of its connections is used until {@link #close()}
     */
    public LeaderElection(DataSource dataSource, String nodeId, LeaderRole role, LeaderConfig config) {
        this.nodeId = nodeId;
        this.role = role;
        this.config = config;
        MusterConfig all = MusterConfig.defaults()
                .with(Map.of("leader.strategy", config.strategy().name().toLowerCase(Locale.ROOT)));
        this.store = ServiceLoader.load(StoreProvider.class)
                .findFirst()
                .orElseThrow()
                .open(dataSource, all);
        store.migrate();
        store.connect(Store.Events.ignored());
    }

    /** Becomes the leader if nobody else leads; returns whether it leads. */
    public synchronized boolean tryBecomeLeader() {
        if (election != null && election.tryNow(role)) {
            return true;
        }
        withdraw();
        Clock clock = Clock.system();
        Election fresh = new Election(
                store.leaders(),
                new Election.Self(nodeId, () -> incarnation, Set.of(role), () -> {}),
                config,
                DatabasePolls.of(MusterConfig.defaults().cluster(), config.renew(), clock),
                TelemetryListeners.none(),
                clock);
        election = fresh;
        if (fresh.tryNow(role)) {
            fresh.start();
            return true;
        }
        withdraw();
        return false;
    }

    /** Gives up leadership, so that another candidate can win at once. */
    public synchronized void releaseLeadership() {
        withdraw();
    }

    private void withdraw() {
        if (election != null) {
            election.stop();
            election = null;
        }
    }

    /** Whether it leads, as far as it knows. */
    public synchronized boolean isLeader() {
        return election != null && election.leadership(role).isLeader();
    }

    /**
     * Used to write as the leader.
     *
     * @throws StaleLeader if it does not lead
     */
    public synchronized Leadership leadership() {
        if (election == null) {
            throw new StaleLeader(nodeId + " does not lead " + role.text());
        }
        return election.leadership(role);
    }

    /** Gives up leadership and returns the connection. */
    @Override
    public synchronized void close() {
        withdraw();
        store.close();
    }
}
