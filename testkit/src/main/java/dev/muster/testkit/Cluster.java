package dev.muster.testkit;

import dev.muster.Muster;
import dev.muster.Store;
import dev.muster.StoreProvider;
import dev.muster.config.MusterConfig;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobInterceptor;
import dev.muster.job.JobListener;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.JobStatus;
import dev.muster.job.JobType;
import dev.muster.job.Jobs;
import dev.muster.job.payload.Payloads;
import dev.muster.runtime.Clock;
import dev.muster.schedule.CronInfo;
import dev.muster.testkit.LiveJobs.Live;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A test's own Muster: a way to enqueue, a clock to move, and two ways to run jobs. {@link #drain()}, {@link
 * #runOne()} and {@link #run} run them on the test's thread, one after the other, highest priority first, then by
 * due time. {@link #node} starts real nodes, for what needs threads, timeouts, several nodes, or faults.
 *
 * <p>{@link MusterTest} makes one for each test. Elsewhere: {@code Cluster.on(TestDatabase.fromEnv())}.
 */
public final class Cluster implements AutoCloseable {
    /** Leases short enough to end within a test, and looks for work in quick succession. */
    private static final Map<String, String> QUICK = Map.of(
            "worker.concurrency", "4",
            "worker.lease", "3s",
            "worker.renew", "500ms",
            "worker.sweep_interval", "250ms",
            "worker.poll_interval", "50ms",
            "worker.max_poll_interval", "500ms",
            "worker.drain_timeout", "2s",
            "scheduler.tick", "50ms");

    private static final Duration PATIENCE = Duration.ofSeconds(20);

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
    private Handlers handlers = Handlers.NONE;
    private @Nullable Muster client;

    private Cluster(TestDatabase database, Map<String, String> settings) {
        settings.keySet().stream().filter(key -> key.startsWith("database.")).forEach(key -> {
            throw new IllegalArgumentException(key + " cannot be set: the database of a test is the test kit's");
        });
        this.database = database;
        this.config = MusterConfig.defaults().with(QUICK).with(settings);
        String schema = config.database().schema();
        this.databaseClock = new DatabaseClock(database.dataSource(), schema);
        this.clock = new FakeClock(Clock.system(), this::timePasses);
        this.live = new LiveJobs(database.dataSource(), schema);
        this.store = ServiceLoader.load(StoreProvider.class)
                .findFirst()
                .orElseThrow()
                .open(database.dataSource(), config);
    }

    /** A cluster without nodes on this database, which stays the caller's to close. */
    public static Cluster on(TestDatabase database) {
        return on(database, Map.of());
    }

    /** Same, with settings for its nodes, such as {@code worker.lease}. */
    public static Cluster on(TestDatabase database, Map<String, String> settings) {
        return new Cluster(database, settings);
    }

    /** Makes handlers known: to {@link #drain()} and its kin, to {@link #jobs()}, and to nodes started without any. */
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
     * Adds a listener, which is told of failures from now on: by {@link #drain()} and its kin at once and on the test's
     * thread, by nodes that are started later on a thread of theirs.
     */
    public synchronized Cluster listen(JobListener listener) {
        listeners.add(listener);
        return this;
    }

    private synchronized void dropClient() {
        if (client != null) {
            client.close();
            client = null;
        }
    }

    /** Starts a node with these handlers; with none, those of the cluster. It is closed after the test. */
    public Node node(Object... own) {
        return node(Map.of(), own);
    }

    /** Same, with settings of its own. */
    public Node node(Map<String, String> settings, Object... own) {
        Faults faults = new Faults();
        EnteredHandlers entered = new EnteredHandlers(faults);
        String id = "node-" + (nodes.size() + 1);
        FaultyConnections connections = new FaultyConnections(database.url(), id, faults);
        Muster.Builder builder = builder(own.length == 0 ? handlers : Handlers.NONE.and(own), settings)
                .dataSource(connections.dataSource())
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

    private Muster.Builder builder(Handlers known, Map<String, String> settings) {
        Muster.Builder builder = Muster.builder().config(config.with(settings));
        known.registerWith(builder);
        interceptors.forEach(builder::interceptor);
        listeners.forEach(builder::listener);
        return builder;
    }

    /** Enqueues, looks and steers; runs nothing, and no node's faults touch it. */
    public Jobs jobs() {
        return jobs;
    }

    /** A Muster that knows the cluster's handlers and is not started: what a service that only enqueues has. */
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

    /** What the database takes for the present. */
    public Instant now() {
        return databaseClock.now();
    }

    /** Nodes that are well renew as time passes; what others held is taken from them once its lease is over. */
    private void timePasses(Duration by) {
        databaseClock.advance(
                by, nodes.stream().filter(Node::isWell).map(Node::id).toList());
        if (nodes.stream().anyMatch(Node::isLost)) {
            store.leaders().unfenced(tx -> store.jobs().recoverExpired(tx, 10_000, true)).stream()
                    .filter(job -> job.status() == JobStatus.FAILED)
                    .forEach(job -> listeners.forEach(listener -> listener.deadLetter(job.asDeadLetter())));
        }
    }

    /**
     * Runs the first due job on this thread, whatever its queue and capability.
     *
     * @return the job as it stands afterwards
     * @throws AssertionError if no job is due
     */
    public JobInfo runOne() {
        return onThisThread().runOne();
    }

    /**
     * Runs everything that is due on this thread, until nothing is. What is delayed or waits for a retry stays:
     * move the clock and drain again, or use {@link #fastForward}. The test's thread takes jobs of every queue and with every
     * capability, as a node would that has them all.
     *
     * @return the jobs that ran, in that order, as they stand at the end
     * @throws AssertionError if due jobs are left that cannot be run, or jobs enqueue jobs without end
     */
    public List<JobInfo> drain() {
        return drain(ThisThread.MOST_RUNS);
    }

    /** Same, with another limit than 1,000 to what runs. */
    public List<JobInfo> drain(int mostRuns) {
        return onThisThread().fastForward(Duration.ZERO, mostRuns);
    }

    /** Like {@link #drain()}, and moves the clock from due time to due time, but no further than this in all. */
    public List<JobInfo> fastForward(Duration atMost) {
        return onThisThread().fastForward(atMost, ThisThread.MOST_RUNS);
    }

    /**
     * Enqueues this job and runs it to its end on this thread, moving the clock past its delay and backoffs. Due jobs
     * of the same name that stand before it run first.
     */
    public JobInfo run(JobRequest request) {
        return onThisThread().run(request);
    }

    /**
     * Same, and returns what the handler returned.
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

    private synchronized ThisThread onThisThread() {
        return new ThisThread(
                store,
                handlers.registry(database.dataSource()::getConnection),
                interceptors,
                listeners,
                jobs,
                Payloads.of(null, config.encryption()),
                live,
                clock,
                this::awaitEnded);
    }

    private JobInfo found(JobId id) {
        return jobs.find(id).orElseThrow(() -> new AssertionError("there is no job " + id));
    }

    /**
     * Waits until nodes have brought this job to its end, 20 seconds at most.
     *
     * @throws AssertionError if it has not ended by then; at once if it has not ended and there is no node
     */
    public JobInfo awaitEnded(JobId id) {
        return awaitEnded(id, PATIENCE);
    }

    /** Same, for as long as this, in real time. */
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
     * Waits until there have been so many jobs of this name, ended or not, 20 seconds at most: for the tick of a cron, say,
     * after which the clock was moved.
     *
     * @return the newest of them, so many, the oldest first
     */
    public List<JobInfo> awaitEnqueued(String name, int count) {
        JobQuery query = JobQuery.all().name(name).limit(count);
        if (!Waiting.until(PATIENCE, () -> jobs.list(query).size() >= count)) {
            throw new AssertionError("there have not been " + count + " job(s) '" + name + "' within " + PATIENCE
                    + ", only " + jobs.list(query).size() + "; nodes: " + nodes);
        }
        List<JobInfo> found = new ArrayList<>(jobs.list(query));
        Collections.reverse(found);
        return found;
    }

    /**
     * Waits until no job is due, claimed or running any more, nor waits for jobs that have all ended, 20 seconds at most. Delayed
     * jobs may be left, and those that depend on them.
     */
    public void awaitIdle() {
        if (!Waiting.until(PATIENCE, () -> live.all().stream().noneMatch(Live::isOpen))) {
            throw new AssertionError("the cluster is not idle after " + PATIENCE + "; nodes: " + nodes
                    + "\nlive jobs:\n" + LiveJobs.describe(live.all(), published()));
        }
    }

    /**
     * Moves the clock to the next tick of this cron, waits until the cluster's nodes have enqueued its job and brought it to
     * its end, 20 seconds at most each, and returns the job.
     *
     * @param cron its name, such as hourly_report
     */
    public JobInfo awaitTick(String cron) {
        return awaitTick(cron, PATIENCE);
    }

    /** Same, and waits for each of these steps for as long as this, in real time. */
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

    /** Closes the nodes; those that are frozen, cut off or crashed get no goodbye. */
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
            leaks.add(connections + " connection(s) of the test's DataSource were not closed");
        }
        return leaks;
    }
}
