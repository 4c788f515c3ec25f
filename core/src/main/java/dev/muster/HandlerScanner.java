package dev.muster;

import dev.muster.job.JobHandler;
import dev.muster.node.HandlerKind;
import dev.muster.node.HandlerMethod;
import dev.muster.node.Handlers;
import dev.muster.node.NodeContext;
import dev.muster.node.Subsystem;
import dev.muster.runtime.MusterException;
import dev.muster.worker.JobMethods;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Finds the annotated methods of an object, as {@link Muster.Builder#register(Object)} does; for running handlers without a
 * node.
 */
public final class HandlerScanner {
    private HandlerScanner() {}

    /** The annotated methods of an object, including those of its superclasses. */
    public static Handlers scan(Object object) {
        Handlers found = Handlers.NONE;
        for (HandlerKind<?> kind : kinds()) {
            found = found.and(scan(object, kind));
        }
        return found;
    }

    /** @throws MusterException if the object has no annotated method */
    static Handlers scanOrRefuse(Object object) {
        Handlers found = scan(object);
        if (found.isEmpty()) {
            String names = kinds().stream().map(HandlerKind::text).collect(Collectors.joining(", "));
            throw new MusterException(object.getClass().getName() + " has no method annotated with "
                    + names.replaceFirst(", ([^,]*)$", " or $1"));
        }
        return found;
    }

    /**
     * The handlers of all jobs, including those that a subsystem runs its handlers with.
     *
     * @param node the node, which exists once the jobs run
     */
    public static List<JobHandler> jobHandlers(Handlers handlers, Supplier<NodeContext> node) {
        List<JobHandler> all = new ArrayList<>(handlers.of(JobMethods.JOBS));
        for (Subsystem subsystem : Subsystems.all()) {
            all.addAll(subsystem.jobHandlers(handlers, node));
        }
        return all;
    }

    private static List<HandlerKind<?>> kinds() {
        List<HandlerKind<?>> kinds = new ArrayList<>(List.of(JobMethods.JOBS));
        Subsystems.all().forEach(subsystem -> kinds.addAll(subsystem.handlerKinds()));
        return kinds;
    }

    /** The methods of an object that are of this kind. */
    static <H> Handlers scan(Object object, HandlerKind<H> kind) {
        List<H> handlers = new ArrayList<>();
        for (Class<?> type = object.getClass(); type != null && type != Object.class; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                Annotation found = method.getAnnotation(kind.annotation());
                if (found != null && !method.isBridge()) {
                    HandlerMethod candidate = new HandlerMethod(object, method, found);
                    handlers.add(candidate.build(() -> kind.read().apply(candidate)));
                }
            }
        }
        return Handlers.NONE.with(kind, handlers);
    }
}
