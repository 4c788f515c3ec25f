package dev.muster.internal.access;

import dev.muster.access.ApiKeys;
import dev.muster.access.Audit;
import dev.muster.cluster.ClusterCoordinator.Topic;
import dev.muster.config.NodeRole;
import dev.muster.internal.node.LeaderDeletions;
import dev.muster.internal.node.Membership;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.node.NodePart;
import dev.muster.internal.node.Subsystem;
import dev.muster.leader.LeaderRole;
import java.time.Duration;
import java.util.List;

/** API keys and the audit. */
public final class AccessSubsystem implements Subsystem {
    static final Topic KEYS = new Topic("KEYS");

    @Override
    public String name() {
        return "access";
    }

    @Override
    public List<Api<?>> apis(NodeContext node) {
        ApiKeys keys =
                new DatabaseApiKeys(node.port(ApiKeyStore.class), node.json(), node.nodeId(), () -> keysChanged(node));
        return List.of(new Api<>(ApiKeys.class, keys), new Api<>(Audit.class, node.port(AuditStore.class)::list));
    }

    @Override
    public List<NodePart> parts(NodeContext node, Membership membership) {
        if (node.observes() || !node.config().node().has(NodeRole.SCHEDULER)) {
            return List.of();
        }
        AuditStore audit = node.port(AuditStore.class);
        ApiKeyStore keys = node.port(ApiKeyStore.class);
        Duration retain = node.config().history().auditRetain();
        return List.of(new LeaderDeletions(
                "access-retention",
                membership.leadership(LeaderRole.LOG_COMPACTOR),
                List.of(tx -> audit.forget(tx, retain), tx -> keys.forget(tx, retain))));
    }

    /** The node's verifier of API keys, one for all who ask. */
    public static ApiKeyVerifier verifier(NodeContext node) {
        return node.shared(ApiKeyVerifier.class, () -> {
            ApiKeyStore store = node.port(ApiKeyStore.class);
            KeyUses uses = new KeyUses(store, node.clock(), KeyUses.thread());
            ApiKeyVerifier verifier = new ApiKeyVerifier(store, node.observes() ? id -> {} : uses::used, node.clock());
            node.coordinator().registerChangeListener(KEYS, verifier::forget);
            return verifier;
        });
    }

    /** The node's estimate of the database's time, one for all who ask. */
    public static DatabaseClock databaseClock(NodeContext node) {
        return node.shared(DatabaseClock.class, () -> new DatabaseClock(node.port(TimeStore.class), node.clock()));
    }

    /** The keys with which nodes sign what they send to each other, one object for all who ask. */
    public static ClusterKeys clusterKeys(NodeContext node) {
        return node.shared(ClusterKeys.class, () -> new ClusterKeys(node.port(ClusterKeyStore.class), node.clock()));
    }

    /** This node may not hear its own message, for example because it has not started. */
    private static void keysChanged(NodeContext node) {
        verifier(node).forget();
        node.coordinator().notifyChange(KEYS);
    }
}
