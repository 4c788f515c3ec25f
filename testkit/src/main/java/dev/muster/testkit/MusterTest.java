package dev.muster.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives every test of this class its own database, migrated and empty, and what it needs to test jobs. A test method, or a method
 * that runs before or after each test, can have these parameters:
 *
 * <ul>
 *   <li>{@link Cluster}: runs jobs, starts nodes
 *   <li>{@link dev.muster.job.Jobs}: enqueues
 *   <li>{@link FakeClock}: moves time
 *   <li>{@link dev.muster.workflow.Workflows}, {@link dev.muster.graph.Graphs}, {@link dev.muster.batch.Batches}: start and read them
 *   <li>{@link dev.muster.job.Queues}: pauses and resumes
 *   <li>{@link dev.muster.schedule.Crons}, {@link dev.muster.lock.Locks}: crons and locks
 *   <li>{@link dev.muster.ratelimit.RateLimits}: takes permits
 *   <li>{@link dev.muster.function.Functions}: calls the queries and mutations of the handlers, on the test's thread
 *   <li>{@link TestDatabase}, {@link javax.sql.DataSource}: the database
 *   <li>{@link dev.muster.Muster}: a client that enqueues and runs nothing
 *   <li>an object of one of the {@link #handlers()} classes
 * </ul>
 *
 * A test class with methods annotated with {@link dev.muster.job.Job} is registered as a handler itself. After the test
 * everything is closed; a handler that does not end or a connection that was not closed fails the test.
 *
 * <p>Together with a Spring context, such as that of {@code @SpringBootTest}, it works differently: the application gets one fresh database
 * for its context, and its own node runs the jobs. Parameters can then be the application's {@code Muster}, {@code Jobs} and the like, the {@link
 * TestDatabase}, and the {@link FakeClock}, which moves the application's node and its database. {@link #handlers()} are the application's beans.
 *
 * <p>Works with JUnit 5.10 and later, and JUnit 6.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(MusterExtension.class)
public @interface MusterTest {

    /**
     * Classes with handlers. Each test gets a new object of each class, created with its only constructor, which may have any of
     * the parameters listed above.
     */
    Class<?>[] handlers() default {};

    /** Settings for the nodes, each {@code key=value}, such as {@code worker.lease=2s}. */
    String[] settings() default {};
}
