package dev.muster.testkit;

import dev.muster.Muster;
import dev.muster.batch.Batches;
import dev.muster.function.Functions;
import dev.muster.graph.Graphs;
import dev.muster.internal.assembly.HandlerScanner;
import dev.muster.job.Jobs;
import dev.muster.job.Queues;
import dev.muster.lock.Locks;
import dev.muster.ratelimit.RateLimits;
import dev.muster.schedule.Crons;
import dev.muster.workflow.Workflows;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** The database, the cluster and the handlers of one test. */
final class Fixture {
    private final TestDatabase database = TestDatabase.fromEnv();
    private final Cluster cluster;
    private final Map<Class<?>, Supplier<Object>> offers = new LinkedHashMap<>();

    Fixture(Map<String, String> settings) {
        try {
            this.cluster = Cluster.on(database, settings);
        } catch (RuntimeException e) {
            database.close();
            throw e;
        }
        offers.put(Cluster.class, () -> cluster);
        offers.put(Jobs.class, cluster::jobs);
        offers.put(Muster.class, cluster::client);
        offers.put(Queues.class, () -> cluster.client().queues());
        offers.put(Crons.class, () -> cluster.client().crons());
        offers.put(Locks.class, () -> cluster.client().locks());
        offers.put(RateLimits.class, () -> cluster.client().rateLimits());
        offers.put(Workflows.class, () -> cluster.client().workflows());
        offers.put(Graphs.class, () -> cluster.client().graphs());
        offers.put(Batches.class, () -> cluster.client().batches());
        offers.put(Functions.class, () -> cluster.client().functions());
        offers.put(FakeClock.class, cluster::clock);
        offers.put(TestDatabase.class, () -> database);
        offers.put(DataSource.class, database::dataSource);
    }

    void register(Class<?> type) {
        Object handlers = create(type);
        cluster.register(handlers);
        offers.put(type, () -> handlers);
    }

    /** Registers the test class itself if it has handlers. */
    void registerIfHandler(Object testInstance) {
        if (!HandlerScanner.scan(testInstance).isEmpty()) {
            cluster.register(testInstance);
        }
    }

    private Object create(Class<?> type) {
        Constructor<?>[] constructors = type.getDeclaredConstructors();
        if (constructors.length != 1
                || !Arrays.stream(constructors[0].getParameterTypes()).allMatch(this::offers)) {
            throw new IllegalStateException("@MusterTest(handlers): " + type.getName()
                    + " needs one constructor, whose parameters are among "
                    + offers.keySet().stream().map(Class::getSimpleName).toList()
                    + "; or register an object of it with cluster.register(…) in a @BeforeEach method");
        }
        try {
            constructors[0].setAccessible(true);
            return constructors[0].newInstance(Arrays.stream(constructors[0].getParameterTypes())
                    .map(this::offer)
                    .toArray());
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("the constructor of " + type.getName() + " failed", e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(type.getName() + " cannot be created: " + e.getMessage(), e);
        }
    }

    boolean offers(Class<?> type) {
        return offers.containsKey(type);
    }

    Object offer(Class<?> type) {
        return offers.get(type).get();
    }

    void end() {
        try {
            cluster.close();
        } finally {
            database.close();
        }
    }
}
