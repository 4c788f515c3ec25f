package dev.muster.examples.feature;

import com.zaxxer.hikari.HikariDataSource;
import dev.muster.embedded.EmbeddedPostgres;
import java.util.List;
import java.util.Optional;

/**
 * All examples, and the program that runs one of them: on the empty database that {@code MUSTER_DATABASE_URL} names, or on a
 * PostgreSQL of its own.
 */
public final class Examples {
    /** In the order in which a newcomer would read them. */
    static final List<Example> ALL = List.of(
            new EnqueueAndAwait(),
            new TypedJob(),
            new HandlerWithoutAnnotation(),
            new GenericArgs(),
            new RequestOptions(),
            new DelayedJob(),
            new Priorities(),
            new IdempotencyKey(),
            new EnqueueBatch(),
            new EnqueueInTransaction(),
            new Dependencies(),
            new DependsOnAnyOutcome(),
            new FanOut(),
            new BatchWithSummary(),
            new RetryWithBackoff(),
            new OwnRetryDelays(),
            new OwnRetryPolicy(),
            new SnoozeJob(),
            new DeadLetters(),
            new RunAtMostOnce(),
            new JobTimeout(),
            new MoveJob(),
            new CancelJob(),
            new ExpiringJob(),
            new CompleteInTransaction(),
            new ProgressAndLog(),
            new TagsAndMetadata(),
            new SearchJobs(),
            new BulkOperations(),
            new Interceptor(),
            new PauseQueue(),
            new LimitQueue(),
            new FifoKey(),
            new DedicatedNode(),
            new Capabilities(),
            new PlacedJob(),
            new RouteJobs(),
            new GracefulShutdown(),
            new CronTicks(),
            new CronInZone(),
            new CronOverlap(),
            new DynamicCron(),
            new CheckoutWorkflow(),
            new WaitingWorkflow(),
            new EtlGraph(),
            new SingletonDaemon(),
            new ClusterLock(),
            new LimitRate(),
            new QueryAndMutation(),
            new LeaderWrites(),
            new EncryptedPayloads());

    private Examples() {}

    static String nameOf(Example example) {
        return example.getClass().getSimpleName();
    }

    /** @param args the name of an example, such as EnqueueAndAwait */
    public static void main(String[] args) throws Exception {
        Optional<Example> wanted = ALL.stream()
                .filter(it -> args.length == 1 && nameOf(it).equals(args[0]))
                .findFirst();
        if (wanted.isEmpty()) {
            System.err.println(
                    "Name one of " + ALL.stream().map(Examples::nameOf).toList());
            System.exit(2);
        }
        try (HikariDataSource pool = new HikariDataSource()) {
            String url = System.getenv("MUSTER_DATABASE_URL");
            pool.setJdbcUrl(url != null ? url : EmbeddedPostgres.shared().jdbcUrl());
            wanted.get().run(pool, System.out);
        }
    }
}
