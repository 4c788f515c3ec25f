package dev.muster.testkit;

import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.config.MusterConfig;
import dev.muster.internal.job.JobRegistry;
import dev.muster.internal.job.payload.Payloads;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.provider.Store;
import dev.muster.internal.runtime.Plural;
import dev.muster.job.JobExecutor;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobListener;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.JobType;
import dev.muster.job.Jobs;
import dev.muster.runtime.JsonCodec;
import dev.muster.schedule.CronInfo;
import dev.muster.telemetry.Tracing;
import dev.muster.testkit.LiveJobs.Live;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.RunStatus;
import dev.muster.workflow.WorkflowType;
import dev.muster.workflow.Workflows;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A test's own Muster: it enqueues jobs, has a clock that the test can move, and runs jobs in two ways. {@link #drain()}, {@link
 * #runOne()} and {@link #run} run them on the test's thread, one after the other, highest priority first, then by due time.
 * {@link #node} starts real nodes, for tests that need threads, timeouts, several nodes, or faults.
 *
 * <p>{@link MusterTest} creates one for each test. Without it, use {@code Cluster.on(TestDatabase.fromEnv())}.
 */
public final class Cluster implements AutoCloseable {
    /** Leases short enough to end within a test, and frequent polls. */
    private static final Map<String, String> QUICK = Map.of(
            "worker.concurrency", "4",
            "worker.lease", "3s",
            "worker.renew", "500ms",
            "worker.sweep_interval", "250ms",
            "worker.poll_interval", "50ms",
            "worker.max_poll_interval", "500ms",
            "worker.drain_timeout", "2s",
            "scheduler.tick", "50ms");

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final TestDatabase database;
    private final MusterConfig config;
    private final DatabaseClock databaseClock;
    private final FakeClock clock;
    private final LiveJobs live;
    private final Store store;
    private final Jobs jobs = ClientJobs.of(this::client);
    private final List<Node> nodes = new CopyOnWriteArrayList<>();
    private final List<JobInterceptor> interceptors = new CopyOnWriteArrayList<>();
    private final List<JobListener> listeners = new CopyOnWriteArrayList<>();
    private final Map<String, JobExecutor> executors = new ConcurrentHashMap<>();
    private Handlers handlers = Handlers.NONE;
    private @Nullable Tracing tracing;
    private @Nullable JsonCodec json;
    private @Nullable Muster client;

    private Cluster(TestDatabase database, Map<String, String> settings) {
        settings.keySet().stream().filter(key -> key.startsWith("database.")).forEach(key -> {
            throw new IllegalArgumentException(key + " cannot be set: the database of a test is the test kit's");
        });
        this.database = database;
        this.config = MusterConfig.defaults().with(QUICK).with(settings);
        String schema = config.database().schema();
        this.databaseClock = new DatabaseClock(database.dataSource(), schema);
        // Healthy nodes count as having renewed their leases meanwhile; the claims of other nodes expire.
        this.clock = FakeClock.moving(databaseClock, this::healthyNodes, this::recoverFromLostNodes);
        this.live = new LiveJobs(database.dataSource(), schema);
        this.store = database.openStore(config);
    }

    /** A cluster without nodes on this database. The caller closes the database. */
    public static Cluster on(TestDatabase database) {
        return on(database, Map.of());
    }

    /** A cluster without nodes on this database, with settings for its nodes, such as {@code worker.lease}. */
    public static Cluster on(TestDatabase database, Map<String, String> settings) {
        return new Cluster(database, settings);
    }

    /**
     * Registers handlers for {@link #drain()} and the other methods that run jobs on the test's thread, for {@link #jobs()}, and
     * for nodes that are started without handlers of their own.
     */
    public synchronized Cluster register(Object... more) {
        handlers = handlers.and(more);
        dropClient();
        return this;
    }

    /** Wraps every enqueue and run of this cluster from now on. */
    public synchronized Cluster intercept(JobInterceptor interceptor) {
        interceptors.add(interceptor);
        dropClient();
        return this;
    }

    /**
     * Adds a listener, which is told of failures from now on. {@link #drain()} and the like call it at once, on the test's
     * thread; nodes that are started later call it on their own threads.
     */
    public synchronized Cluster listen(JobListener listener) {
        listeners.add(listener);
        return this;
    }

    /** Makes spans of what {@link #client()}, {@link #jobs()} and nodes that are started from now on do. */
    public synchronized Cluster tracing(Tracing tracer) {
        tracing = tracer;
        dropClient();
        return this;
    }

    /**
     * Lets {@link #client()} and nodes that are started from now on read and write values with this codec, such as that of the application,
     * instead of the one on the class path.
     */
    public synchronized Cluster json(JsonCodec codec) {
        json = codec;
        dropClient();
        return this;
    }

    /** Gives an executor of kind {@code custom} to nodes that are started from now on. Each of them closes it when it stops. */
    public synchronized Cluster executor(String name, JobExecutor executor) {
        executors.put(name, executor);
        return this;
    }

    private synchronized void dropClient() {
        if (client != null) {
            client.close();
            client = null;
        }
    }

    /** Starts a node with these handlers or, if none are given, those of the cluster. The node is closed after the test. */
    public Node node(Object... own) {
        return node(Map.of(), own);
    }

    /** Starts a node with its own settings in addition to those of the cluster. */
    public Node node(Map<String, String> settings, Object... own) {
        Faults faults = new Faults();
        EnteredHandlers entered = new EnteredHandlers(faults);
        String id = "node-" + (nodes.size() + 1);
        FaultyConnections connections = new FaultyConnections(database.url(), id, faults);
        MusterBuilder builder = builder(own.length == 0 ? handlers : Handlers.NONE.and(own), settings);
        executors.forEach(builder::executor);
        builder.dataSource(connections.dataSource())
                .interceptor(entered)
                .nodeIdentity(() -> id)
                .clock(() -> {
                    faults.pass();
                    return clock.nanos();
                });
        Node node = new Node(builder.build(), faults, connections, entered);
        nodes.add(node);
        node.start();
        return node;
    }

    private MusterBuilder builder(Handlers known, Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        executors.keySet().forEach(name -> all.put("executors." + name + ".kind", "custom"));
        MusterBuilder builder = Muster.builder().config(config.with(all));
        known.registerWith(builder);
        interceptors.forEach(builder::interceptor);
        listeners.forEach(builder::listener);
        if (tracing != null) {
            builder.tracing(tracing);
        }
        if (json != null) {
            builder.json(json);
        }
        return builder;
    }

    /** Enqueues, reads and changes jobs. It runs nothing, and the faults of nodes do not affect it. */
    public Jobs jobs() {
        return jobs;
    }

    /** A Muster with the cluster's handlers that is not started, like that of a service that only enqueues. */
    public synchronized Muster client() {
        if (client == null) {
            client = builder(handlers, Map.of())
                    .dataSource(database.dataSource())
                    .clock(clock)
                    .build();
        }
        return client;
    }

    public TestDatabase database() {
        return database;
    }

    public FakeClock clock() {
        return clock;
    }

    /** The current time by the database's clock. */
    public Instant now() {
        return databaseClock.now();
    }

    private List<String> healthyNodes() {
        return nodes.stream().filter(Node::isWell).map(Node::id).toList();
    }

    private void recoverFromLostNodes() {
        if (nodes.stream().anyMatch(Node::isLost)) {
            store.leaders().unfenced(tx -> store.recovery().recoverExpired(tx, TestDatabase.ALL_CLAIMS, true)).stream()
                    .filter(job -> job.status() == JobStatus.FAILED)
                    .forEach(job -> listeners.forEach(listener -> listener.deadLetter(job.asDeadLetter())));
        }
    }

    /**
     * Runs the first due job on this thread, whatever its queue and capability.
     *
     * @return the job after its run
     * @throws AssertionError if no job is due
     */
    public JobInfo runOne() {
        return onThisThread().runOne();
    }

    /**
     * Runs due jobs on this thread until no job is due. Jobs that are delayed or wait for a retry stay: move the clock and drain
     * again, or use {@link #fastForward}. The test's thread takes jobs of all queues and capabilities.
     *
     * @return the jobs that ran, in that order, with their state at the end
     * @throws AssertionError if due jobs are left that cannot be run, or jobs keep enqueuing jobs without end
     */
    public List<JobInfo> drain() {
        return drain(ThisThread.MOST_RUNS);
    }

    /** Runs due jobs like {@link #drain()}, but at most {@code mostRuns} instead of 1,000. */
    public List<JobInfo> drain(int mostRuns) {
        return onThisThread().fastForward(Duration.ZERO, mostRuns);
    }

    /** Like {@link #drain()}, but moves the clock from due time to due time, by at most this much in total. */
    public List<JobInfo> fastForward(Duration atMost) {
        return onThisThread().fastForward(atMost, ThisThread.MOST_RUNS);
    }

    /**
     * Enqueues this job and runs it to its end on this thread, moving the clock past its delay and backoffs. Due jobs with the
     * same name that are ahead of it run first.
     */
    public JobInfo run(JobRequest request) {
        return onThisThread().run(request);
    }

    /**
     * Enqueues this job, runs it to its end as {@link #run(JobRequest)} does, and returns the handler's result.
     *
     * @throws AssertionError if the job did not complete
     */
    public <A, R> @Nullable R run(JobType<A, R> type, A args) {
        JobInfo job = run(JobRequest.of(type, args));
        if (job.status() != JobStatus.COMPLETED) {
            throw new AssertionError("the job did not complete: " + JobText.of(job));
        }
        return jobs.result(type, job);
    }

    /**
     * Starts a run of this workflow, runs it to its end on this thread, and returns its result. A run that sleeps or waits is not at its
     * end: start it with {@code client().workflows()}, call {@link #drain()}, move the clock or send the event, and drain again.
     *
     * @throws AssertionError if the run did not complete
     */
    public <I, R> @Nullable R run(WorkflowType<I, R> type, @Nullable I input) {
        Workflows workflows = client().workflows();
        JobId id = workflows.start(type, input);
        drain();
        RunInfo run = workflows.find(id).orElseThrow();
        if (run.status() != RunStatus.COMPLETED) {
            throw new AssertionError("the run did not complete: " + run + "\nsteps: " + workflows.steps(id));
        }
        return workflows.result(type, run);
    }

    private synchronized ThisThread onThisThread() {
        JobRegistry registry = handlers.registry(() -> client().api(NodeContext.class));
        DueJobs due = new DueJobs(
                store,
                registry,
                interceptors,
                jobs,
                Payloads.of(null, config.encryption()),
                client().api(NodeContext.class).argsSource(),
                listeners);
        return new ThisThread(registry, due, jobs, live, clock, this::awaitEnded);
    }

    private JobInfo found(JobId id) {
        return jobs.find(id).orElseThrow(() -> new AssertionError("there is no job " + id));
    }

    /**
     * Waits until a node has ended this job, for at most a minute.
     *
     * @throws AssertionError if the job has not ended by then; at once if there is no node
     */
    public JobInfo awaitEnded(JobId id) {
        return awaitEnded(id, PATIENCE);
    }

    /** Waits until a node has ended this job, for at most this long in real time. */
    public JobInfo awaitEnded(JobId id, Duration atMost) {
        if (nodes.isEmpty() && !found(id).status().isTerminal()) {
            requireSomeNode("no node can end this job: " + JobText.of(found(id)));
        }
        if (!Waiting.until(atMost, () -> found(id).status().isTerminal())) {
            throw new AssertionError("job has not ended within " + atMost + ": " + JobText.of(found(id)) + "\nnodes: "
                    + nodes + "\nlive jobs:\n" + LiveJobs.describe(live.all(), published()));
        }
        return found(id);
    }

    /**
     * Waits until {@code count} jobs with this name have been enqueued, whether ended or not, for at most a minute. Useful
     * after moving the clock past the tick of a cron, for example.
     *
     * @return the newest {@code count} of them, oldest first
     */
    public List<JobInfo> awaitEnqueued(String name, int count) {
        JobQuery query = JobQuery.all().name(name).limit(count);
        if (!Waiting.until(PATIENCE, () -> jobs.list(query).size() >= count)) {
            throw new AssertionError("there have not been " + Plural.of(count, "job") + " '" + name + "' within "
                    + PATIENCE + ", only " + jobs.list(query).size() + "; nodes: " + nodes);
        }
        List<JobInfo> found = new ArrayList<>(jobs.list(query));
        Collections.reverse(found);
        return found;
    }

    /**
     * Waits, for at most a minute, until no job is due, claimed or running, or waits for jobs that have all ended. Delayed jobs
     * may be left, and jobs that depend on them.
     */
    public void awaitIdle() {
        if (!Waiting.until(PATIENCE, () -> live.all().stream().noneMatch(Live::isOpen))) {
            throw new AssertionError("the cluster is not idle after " + PATIENCE + "; nodes: " + nodes
                    + "\nlive jobs:\n" + LiveJobs.describe(live.all(), published()));
        }
    }

    /**
     * Moves the clock to the next tick of this cron, waits until the cluster's nodes have enqueued and ended its job, for at most
     * a minute each, and returns the job.
     *
     * @param cron the cron's name, such as hourly_report
     */
    public JobInfo awaitTick(String cron) {
        return awaitTick(cron, PATIENCE);
    }

    /** Like {@link #awaitTick(String)}, but waits for each of the two steps for at most this long in real time. */
    public JobInfo awaitTick(String cron, Duration atMost) {
        requireSomeNode("no node can enqueue a tick of cron " + cron);
        if (!Waiting.until(atMost, () -> nextTick(cron).isPresent())) {
            throw new AssertionError("there is no cron " + cron + " that will tick; there are "
                    + client().crons().list().stream().map(CronInfo::name).toList());
        }
        Set<JobId> before = jobsNamed(cron);
        Duration untilTick = Duration.between(now(), nextTick(cron).orElseThrow());
        if (!untilTick.isNegative()) {
            clock.advance(untilTick);
        }
        if (!Waiting.until(atMost, () -> !before.containsAll(jobsNamed(cron)))) {
            throw new AssertionError("no job of cron " + cron + " was enqueued within " + atMost + " of its tick: "
                    + client().crons().find(cron));
        }
        Set<JobId> enqueued = new TreeSet<>(jobsNamed(cron));
        enqueued.removeAll(before);
        return awaitEnded(enqueued.iterator().next(), atMost);
    }

    private Optional<Instant> nextTick(String cron) {
        return client().crons().find(cron).flatMap(CronInfo::nextTick);
    }

    private Set<JobId> jobsNamed(String name) {
        return jobs.list(JobQuery.all().name(name)).stream().map(JobInfo::id).collect(Collectors.toSet());
    }

    private void requireSomeNode(String problem) {
        if (nodes.isEmpty() && store.nodes().list().isEmpty()) {
            throw new AssertionError(
                    problem + "\nthe cluster has no node: call cluster.node() first, or run due jobs on the"
                            + " test's thread with cluster.drain()");
        }
    }

    private Set<String> published() {
        return store.nodes().published(null).keySet();
    }

    /** Closes the nodes; those that are frozen, cut off or crashed end without draining. */
    @Override
    public void close() {
        List<String> leaks = closeAndReport();
        if (!leaks.isEmpty()) {
            throw new AssertionError("left behind: " + String.join("; ", leaks));
        }
    }

    private List<String> closeAndReport() {
        List<String> leaks = new ArrayList<>();
        for (Node node : nodes) {
            try {
                node.closeAnyway();
            } catch (RuntimeException e) {
                leaks.add(node + " could not be closed: " + e);
            }
        }
        for (Node node : nodes) {
            node.handlersLeft()
                    .forEach(what -> leaks.add("on " + node + " the handler of " + what
                            + " is still running; it ignores its interruption"));
        }
        dropClient();
        store.close();
        int connections = database.openConnections();
        if (connections > 0) {
            leaks.add(Plural.of(connections, "connection") + " of the test's DataSource not closed");
        }
        return leaks;
    }
}
