package dev.muster.internal.assembly;

import dev.muster.Gateway;
import dev.muster.cluster.ClusterCoordinator;
import dev.muster.cluster.NodeIdentityProvider;
import dev.muster.internal.node.Handlers;
import dev.muster.job.CurrentTransaction;
import dev.muster.job.JobExecutor;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobListener;
import dev.muster.job.payload.PayloadCipher;
import dev.muster.lock.StartupCoordinator;
import dev.muster.ratelimit.RateLimiterBackend;
import dev.muster.runtime.Clock;
import dev.muster.runtime.JsonCodec;
import dev.muster.telemetry.Telemetry;
import dev.muster.telemetry.Tracing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** What a program has given the builder of a node. The builder fills it in; {@link NodeResources} reads it once, and adds the defaults. */
public final class NodeSpec {
    public final BuilderSettings settings = new BuilderSettings();
    public final ApplicationVersion version = new ApplicationVersion();
    public final List<JobInterceptor> interceptors = new ArrayList<>();
    public final List<JobListener> listeners = new ArrayList<>();
    public final List<Telemetry> telemetry = new ArrayList<>();
    public final Map<String, JobExecutor> executors = new HashMap<>();
    public Handlers handlers = Handlers.NONE;
    public CurrentTransaction currentTransaction = CurrentTransaction.none();
    public NodeIdentityProvider identity = NodeIdentityProvider.random();
    public Clock clock = Clock.system();

    /** Whether the node acts as the leader of every role without an election. */
    public boolean unelected;

    /** Whether the node opens a port even if {@code gateway.port} is not set. */
    public boolean listens;

    /** A gateway that is part of another server. */
    public @Nullable Gateway gateway;

    public @Nullable DataSource dataSource;
    public @Nullable DataSource controlDataSource;
    public @Nullable JsonCodec json;
    public @Nullable PayloadCipher cipher;
    public @Nullable ClusterCoordinator coordinator;
    public @Nullable StartupCoordinator startupCoordinator;
    public @Nullable RateLimiterBackend rateLimiter;
    public @Nullable Tracing tracing;
}
