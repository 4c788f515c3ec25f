package dev.muster.spring.internal;

import dev.muster.MusterBuilder;
import dev.muster.internal.assembly.HandlerScanner;
import dev.muster.runtime.MusterException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/** The beans with annotated methods, found by their types, called through their proxies. */
final class HandlerBeans {
    private static final Logger log = LoggerFactory.getLogger(HandlerBeans.class);

    private final ConfigurableListableBeanFactory beans;
    private final Map<String, Set<Method>> registered = new LinkedHashMap<>();
    private boolean used;

    HandlerBeans(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** Registers all beans with handlers, without creating any. */
    void registerWith(MusterBuilder builder) {
        used = true;
        for (String name : names()) {
            Class<?> type = targetType(name);
            List<Method> methods = handlerMethods(type);
            if (type != null && !methods.isEmpty()) {
                registered.put(name, new LinkedHashSet<>(methods));
                builder.versionOf(type)
                        .register(HandlerScanner.scan(type, supplier(name), method -> invocable(name, method)));
            }
        }
    }

    private List<String> names() {
        return Arrays.stream(beans.getBeanNamesForType(Object.class, true, false))
                .filter(name -> !ScopedProxyUtils.isScopedTarget(name))
                .toList();
    }

    /** The class of the bean behind its proxies, as far as Spring knows it by now. */
    private @Nullable Class<?> targetType(String name) {
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
        if (type != null && beans.containsSingleton(name) && !type.isInterface()) {
            return ClassUtils.getUserClass(type);
        }
        String scopedTarget = ScopedProxyUtils.getTargetBeanName(name);
        if (beans.containsBeanDefinition(scopedTarget)) {
            type = AutoProxyUtils.determineTargetClass(beans, scopedTarget);
        }
        return type == null ? null : ClassUtils.getUserClass(type);
    }

    private static List<Method> handlerMethods(@Nullable Class<?> type) {
        if (type == null || type.getName().startsWith("org.springframework.")) {
            return List.of();
        }
        try {
            return HandlerScanner.handlerMethods(type);
        } catch (LinkageError e) {
            // Beans of libraries may have methods for other libraries that are not there.
            log.debug("the methods of {} cannot be read", type, e);
            return List.of();
        }
    }

    private Supplier<Object> supplier(String name) {
        return () -> beans.getBean(name);
    }

    /**
     * Refuses handlers that could not be called, now that all beans exist which are created at start. Beans that are created later are
     * checked with the first call. If the application has built its Muster itself, with the handlers that it wants, nothing is checked.
     *
     * @throws MusterException with all problems
     */
    void check() {
        List<String> problems = new ArrayList<>();
        for (String name : names()) {
            if (used && beans.containsSingleton(name)) {
                check(name, problems);
            }
        }
        if (!problems.isEmpty()) {
            throw new MusterException(String.join("\n", problems));
        }
    }

    private void check(String name, List<String> problems) {
        Class<?> type = targetType(name);
        Set<Method> known = registered.getOrDefault(name, Set.of());
        List<Method> unknown = handlerMethods(type).stream()
                .filter(method -> !known.contains(method))
                .toList();
        if (type != null && !unknown.isEmpty()) {
            problems.add("bean '" + name + "' has handlers that were not found, " + describe(unknown)
                    + ": Muster was built before the bean, whose class was not known then. Declare the @Bean method to return "
                    + type.getSimpleName());
        }
        for (Method method : known) {
            try {
                invocable(name, method);
            } catch (MusterException e) {
                problems.add(e.getMessage());
            }
        }
    }

    /** @throws MusterException if the bean is behind a proxy that does not pass calls of the method on */
    private Method invocable(String name, Method method) {
        Object bean = beans.getBean(name);
        if (!AopUtils.isAopProxy(bean)) {
            return method;
        }
        if (isAsync(method, AopUtils.getTargetClass(bean))) {
            throw new MusterException(describe(method) + " of bean '" + name
                    + "' is @Async: it would return before its work is done, so the job would count as completed, and would neither be"
                    + " retried nor be awaited by a drain. Remove @Async; handlers run on threads of their own");
        }
        if (AopUtils.isJdkDynamicProxy(bean)) {
            return methodOfInterface(name, bean, method);
        }
        String obstacle = obstacle(method, AopUtils.getTargetClass(bean));
        if (obstacle != null) {
            throw new MusterException(describe(method) + " is " + obstacle + ", but bean '" + name
                    + "' is behind a proxy (for @Transactional, for example), which does not pass calls of such methods on: it would"
                    + " run without the bean's fields. Make the method " + remedy(obstacle));
        }
        return method;
    }

    /** Without a proxy the annotation has no effect. */
    private static boolean isAsync(Method method, Class<?> target) {
        return AnnotatedElementUtils.hasAnnotation(AopUtils.getMostSpecificMethod(method, target), Async.class)
                || AnnotatedElementUtils.hasAnnotation(target, Async.class);
    }

    private static Method methodOfInterface(String name, Object bean, Method method) {
        try {
            return AopUtils.selectInvocableMethod(method, bean.getClass());
        } catch (IllegalStateException e) {
            throw new MusterException(
                    describe(method) + " cannot be called, because bean '" + name
                            + "' is behind a JDK proxy, which has the methods of its interfaces alone. Declare the method in an"
                            + " interface of the bean, or let Spring make proxies of classes (spring.aop.proxy-target-class=true)",
                    e);
        }
    }

    private static @Nullable String obstacle(Method method, Class<?> target) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers)) {
            return "private";
        }
        if (Modifier.isFinal(modifiers)) {
            return "final";
        }
        boolean visible = Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
        return visible || method.getDeclaringClass().getPackageName().equals(target.getPackageName())
                ? null
                : "package-private in another package than " + target.getSimpleName();
    }

    private static String remedy(String obstacle) {
        return obstacle.equals("final") ? "non-final" : "public or protected";
    }

    private static String describe(List<Method> methods) {
        return methods.stream().map(HandlerBeans::describe).collect(Collectors.joining(", "));
    }

    private static String describe(Method method) {
        String annotations = Arrays.stream(method.getAnnotations())
                .map(Annotation::annotationType)
                .filter(type -> type.getName().startsWith("dev.muster."))
                .map(type -> "@" + type.getSimpleName())
                .collect(Collectors.joining(" "));
        return annotations + " on " + method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }
}
