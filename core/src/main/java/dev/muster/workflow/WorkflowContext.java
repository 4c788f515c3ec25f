package dev.muster.workflow;

import dev.muster.job.JobId;
import dev.muster.job.TypeRef;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What a workflow's code does durably. After a crash the code runs again from its beginning, and each call returns what it returned
 * before. So the code between the calls must do the same each time; effects belong into steps. One thread at a time may use it.
 */
public interface WorkflowContext {

    /** The run's id, which is also the id of its driver. */
    JobId runId();

    String workflow();

    String version();

    /** A step with a result of this type; {@link Step#run} runs it, or returns its stored result. */
    <R> Step<R> step(String name, Class<R> result);

    /** A step whose result type has type parameters. */
    <R> Step<R> step(String name, TypeRef<R> result);

    /** A step without a result. */
    Step<Void> step(String name);

    /** Runs a step without a result and without options; see {@link Step#run}. */
    default void step(String name, StepAction action) {
        step(name).run(step -> {
            action.run();
            return null;
        });
    }

    /** Runs a step without options; see {@link Step#run}. */
    default <R> @Nullable R step(String name, Class<R> result, Step.Effect<R> effect) {
        return step(name, result).run(effect);
    }

    /** Runs a step without options in a transaction that also stores its result; see {@link Step#runIn}. */
    default <R> @Nullable R stepIn(String name, Class<R> result, Step.TransactionalEffect<R> effect) {
        return step(name, result).runIn(effect);
    }

    /**
     * Runs the branches and returns their results in the order of the branches. Branches run at the same time if threads are free, and
     * one after the other if not. If one fails, the others end first; then its failure is thrown, even if another one continues as a new run. If
     * several fail, it is the failure of the first in the list, with the others suppressed.
     */
    <R> List<@Nullable R> parallel(List<Function<WorkflowContext, @Nullable R>> branches);

    /** Starts another workflow and waits for its result. The run gives its thread back while it waits. */
    <I, R> @Nullable R child(WorkflowType<I, R> type, @Nullable I input);

    /** Gives the thread back, and continues after this time. */
    void sleep(Duration duration);

    /** Gives the thread back, and continues at this time of the database's clock. */
    void sleepUntil(Instant instant);

    /**
     * Waits for an event, without a limit. The run gives its thread back while it waits.
     *
     * @throws StepFailed if the event that came does not fit the type; it is used up
     */
    <E> @Nullable E awaitEvent(String name, Class<E> type);

    /**
     * Waits for an event and returns its payload; empty if no event came within this time, or one without a payload. An event that was
     * sent before the wait began counts. {@link #receiveEvent} tells the two apart.
     *
     * @throws StepFailed if the event that came does not fit the type; it is used up
     */
    <E> Optional<E> awaitEvent(String name, Class<E> type, Duration timeout);

    /**
     * Waits for an event that may have no payload; empty if none came within this time. To the run it is the same wait as that of
     * {@link #awaitEvent(String, Class, Duration)}: code may change from one to the other while it has runs.
     *
     * @throws StepFailed if the event that came does not fit the type; it is used up
     */
    <E> Optional<ReceivedEvent<E>> receiveEvent(String name, Class<E> type, Duration timeout);

    /** The database's clock when the code first came here. */
    Instant now();

    /** Random numbers that are the same in each replay. They cannot be drawn inside a step. */
    RandomGenerator random();

    /** An id that is the same in each replay. */
    UUID uuid();

    /**
     * Ends this run and starts another one of the same workflow with this input, for workflows that would have too many steps. It has the same
     * version, or the newest active one if that is deprecated. What the steps of
     * this run did is not undone after that. A run that was asked to end meanwhile is not continued: it compensates, and ends as cancelled.
     *
     * @return what the code has to throw
     */
    ContinueAsNew continueAsNew(@Nullable Object input);

    /** An effect without a result. */
    @FunctionalInterface
    interface StepAction {
        void run() throws Exception;
    }
}
