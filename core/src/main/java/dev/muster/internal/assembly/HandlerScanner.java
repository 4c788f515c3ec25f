package dev.muster.internal.assembly;

import dev.muster.MusterBuilder;
import dev.muster.internal.node.HandlerKind;
import dev.muster.internal.node.HandlerMethod;
import dev.muster.internal.node.HandlerObject;
import dev.muster.internal.node.Handlers;
import dev.muster.internal.node.NodeContext;
import dev.muster.internal.worker.JobMethods;
import dev.muster.job.JobHandler;
import dev.muster.runtime.MusterException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the annotated methods of an object, as {@link MusterBuilder#register(Object)} does; for running handlers without a
 * node.
 */
public final class HandlerScanner {
    private HandlerScanner() {}

    /** The annotated methods of an object, including those of its superclasses and interfaces. */
    public static Handlers scan(Object object) {
        return scan(HandlerObject.of(object));
    }

    /**
     * The annotated methods of an object that a container creates later, and perhaps wraps into a proxy.
     *
     * @param type the class that declares the methods
     * @param bean returns the object, or a proxy for it; asked for each call of a handler
     * @param invocable turns a method of the class into the one to call on what {@code bean} returns; asked once for each method, with its
     *     first call
     */
    public static Handlers scan(Class<?> type, Supplier<?> bean, UnaryOperator<Method> invocable) {
        return scan(HandlerObject.later(type, bean, invocable));
    }

    /** The methods of a class that are annotated as handlers of any kind, including those of its superclasses and interfaces. */
    public static List<Method> handlerMethods(Class<?> type) {
        return kinds().stream()
                .flatMap(kind -> methods(type, kind.annotation()))
                .distinct()
                .toList();
    }

    private static Handlers scan(HandlerObject object) {
        Handlers found = Handlers.NONE;
        for (HandlerKind<?> kind : kinds()) {
            found = found.and(scan(object, kind));
        }
        return found;
    }

    /** @throws MusterException if the object has no annotated method */
    public static Handlers scanOrRefuse(Object object) {
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
        return Subsystems.jobHandlers(handlers, node);
    }

    private static List<HandlerKind<?>> kinds() {
        List<HandlerKind<?>> kinds = new ArrayList<>(List.of(JobMethods.JOBS));
        Subsystems.all().forEach(subsystem -> kinds.addAll(subsystem.handlerKinds()));
        return kinds;
    }

    /** The methods of an object that are of this kind. */
    public static <H> Handlers scan(Object object, HandlerKind<H> kind) {
        return scan(HandlerObject.of(object), kind);
    }

    private static <H> Handlers scan(HandlerObject object, HandlerKind<H> kind) {
        List<H> handlers = new ArrayList<>();
        methods(object.type(), kind.annotation()).forEach(method -> {
            HandlerMethod candidate = new HandlerMethod(object, method, method.getAnnotation(kind.annotation()));
            handlers.add(candidate.build(() -> kind.read().apply(candidate)));
        });
        return Handlers.NONE.with(kind, handlers);
    }

    /** A method that overrides another and has the annotation, too, stands for both. */
    private static Stream<Method> methods(Class<?> type, Class<? extends Annotation> annotation) {
        List<Method> found = new ArrayList<>();
        List<Method> inherited = new ArrayList<>();
        for (Class<?> each : types(type)) {
            for (Method method : each.getDeclaredMethods()) {
                if (method.isAnnotationPresent(annotation)) {
                    if (!method.isBridge() && inherited.stream().noneMatch(lower -> overrides(lower, method))) {
                        found.add(method);
                    }
                    inherited.add(method);
                }
            }
        }
        return found.stream();
    }

    /** The class and its superclasses, then all of their interfaces. */
    private static Set<Class<?>> types(Class<?> type) {
        Set<Class<?>> types = new LinkedHashSet<>();
        for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
            types.add(each);
        }
        List.copyOf(types).forEach(each -> addInterfaces(each, types));
        return types;
    }

    private static void addInterfaces(Class<?> type, Set<Class<?>> types) {
        for (Class<?> each : type.getInterfaces()) {
            types.add(each);
            addInterfaces(each, types);
        }
    }

    private static boolean overrides(Method lower, Method upper) {
        return lower.getDeclaringClass() != upper.getDeclaringClass()
                && lower.getName().equals(upper.getName())
                && Arrays.equals(lower.getParameterTypes(), upper.getParameterTypes())
                && !Modifier.isPrivate(upper.getModifiers())
                && !Modifier.isStatic(upper.getModifiers());
    }
}
