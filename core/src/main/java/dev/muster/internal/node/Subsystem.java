package dev.muster.internal.node;

import dev.muster.internal.attempt.ArgsSource;
import dev.muster.job.JobHandler;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A kind of work that nodes do besides plain jobs, such as crons. It has no state: that is in its parts.
 *
 * <p>Muster's own subsystems are listed in {@code dev.muster.internal.assembly.Subsystems}; those of other jars are found with {@link
 * java.util.ServiceLoader}.
 */
public interface Subsystem {

    /** One word for messages, such as {@code crons}. */
    String name();

    /** The annotations by which an application registers its handlers. */
    default List<HandlerKind<?>> handlerKinds() {
        return List.of();
    }

    /**
     * The jobs that run this subsystem's handlers.
     *
     * @param handlers all handlers of the node
     * @param node the node, which exists once the jobs run
     */
    default List<JobHandler> jobHandlers(Handlers handlers, Supplier<NodeContext> node) {
        return List.of();
    }

    /** Supplies the args of this subsystem's jobs, if they are stored as references. */
    default Optional<ArgsSource> argsSource(NodeContext node) {
        return Optional.empty();
    }

    /** What programs use this subsystem through. Its methods that change something are {@link dev.muster.runtime.Writes}: an observer refuses them. */
    default List<Api<?>> apis(NodeContext node) {
        return List.of();
    }

    /** What a node runs for this subsystem; nothing if its role or its handlers do not ask for it. */
    default List<NodePart> parts(NodeContext node, Membership membership) {
        return List.of();
    }

    /**
     * An interface and what implements it. {@code Muster.api} returns it.
     *
     * @param <T> the interface
     */
    record Api<T>(Class<T> type, T instance) {}
}
