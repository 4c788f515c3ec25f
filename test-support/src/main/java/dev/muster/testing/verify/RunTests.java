package dev.muster.testing.verify;

import static java.util.stream.Collectors.toMap;

import dev.muster.testing.LongTest;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs test classes in this JVM and writes what happens to a file of {@link Event}s. Arguments: the file, whether long tests run,
 * then the classes, each with {@code #method} if only one of its methods is wanted.
 */
final class RunTests {
    private static final Map<String, String> JUNIT = Map.of(
            "junit.jupiter.execution.timeout.default", "5 m",
            "junit.jupiter.execution.timeout.threaddump.enabled", "true");

    private RunTests() {}

    public static void main(String[] args) throws IOException {
        try (Event.Writer events = new Event.Writer(Path.of(args[0]));
                LauncherSession session = LauncherFactory.openSession()) {
            boolean withLong = Boolean.parseBoolean(args[1]);
            run(session.getLauncher(), events, withLong, Arrays.asList(args).subList(2, args.length));
            if (events.complete()) {
                events.write(new Event.JvmDone());
            }
        }
        // A test may have left a thread that is no daemon; that is for the test to notice, not for this program to wait
        // for.
        System.exit(0);
    }

    private static void run(Launcher launcher, Event.Writer events, boolean withLong, List<String> selected) {
        Map<String, Set<String>> methodsByClass = methodsByClass(selected);
        LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request()
                .configurationParameters(JUNIT.entrySet().stream()
                        .filter(entry -> System.getProperty(entry.getKey()) == null)
                        .collect(toMap(Map.Entry::getKey, Map.Entry::getValue)));
        methodsByClass.keySet().forEach(name -> request.selectors(DiscoverySelectors.selectClass(name)));
        request.filters((PostDiscoveryFilter) test -> FilterResult.includedIf(isWanted(test, methodsByClass)));
        if (!withLong) {
            request.filters(TagFilter.excludeTags(LongTest.TAG));
        }
        LauncherDiscoveryRequest built = request.build();
        TestPlan plan = launcher.discover(built);
        Set<String> withTests = new LinkedHashSet<>();
        plan.getRoots()
                .forEach(root -> plan.getDescendants(root).stream()
                        .filter(TestIdentifier::isTest)
                        .forEach(test -> withTests.add(topLevelClass(test))));
        // A class of parameterised tests or of a test factory has no test yet, but a container for each method.
        plan.getRoots()
                .forEach(root -> plan.getDescendants(root).stream()
                        .filter(test -> test.getSource()
                                .filter(MethodSource.class::isInstance)
                                .isPresent())
                        .forEach(test -> withTests.add(topLevelClass(test))));
        for (String name : methodsByClass.keySet()) {
            if (!withTests.contains(name)) {
                events.write(new Event.NothingToRun(name, whyNothing(name, methodsByClass.get(name))));
            }
        }
        launcher.execute(plan, new Listener(events));
    }

    /** The methods that are wanted of each class; none if all of them are. */
    private static Map<String, Set<String>> methodsByClass(List<String> selected) {
        Map<String, Set<String>> methodsByClass = new LinkedHashMap<>();
        selected.stream()
                .filter(selector -> selector.contains("#"))
                .forEach(selector -> methodsByClass
                        .computeIfAbsent(selector.substring(0, selector.indexOf('#')), name -> new TreeSet<>())
                        .add(selector.substring(selector.indexOf('#') + 1)));
        // Whoever wants a whole class gets it, even if one of its methods is named as well.
        selected.stream()
                .filter(selector -> !selector.contains("#"))
                .forEach(selector -> methodsByClass.put(selector, Set.of()));
        return methodsByClass;
    }

    /** The class is the one that was selected: a nested class, and so its methods, may come from one that it extends. */
    private static boolean isWanted(TestDescriptor test, Map<String, Set<String>> methodsByClass) {
        if (!(test.getSource().orElse(null) instanceof MethodSource method)) {
            return true;
        }
        Set<String> methods = test.getUniqueId().getSegments().stream()
                .filter(segment -> segment.getType().equals("class"))
                .findFirst()
                .map(segment -> methodsByClass.getOrDefault(segment.getValue(), Set.of()))
                .orElse(Set.of());
        return methods.isEmpty() || methods.contains(method.getMethodName());
    }

    /** Why no test of the class is run. What is neither abstract nor left out on purpose is missing. */
    private static String whyNothing(String name, Set<String> methods) {
        try {
            Class<?> type = Class.forName(name, false, RunTests.class.getClassLoader());
            if (Modifier.isAbstract(type.getModifiers())) {
                return Event.NothingToRun.ABSTRACT;
            }
            boolean hasTests = Stream.concat(Stream.of(type), Stream.of(type.getDeclaredClasses()))
                    .flatMap(each -> Stream.of(each.getDeclaredMethods()))
                    .anyMatch(method -> (methods.isEmpty() || methods.contains(method.getName()))
                            && AnnotationSupport.isAnnotated(method, Testable.class));
            return hasTests ? Event.NothingToRun.LEFT_OUT : "it has no such test";
        } catch (ClassNotFoundException e) {
            return "there is no such class";
        }
    }

    /** The class that runs the test, which may have it from one that it extends; empty for the engine's own container. */
    private static String topLevelClass(TestIdentifier test) {
        return test.getUniqueIdObject().getSegments().stream()
                .filter(segment -> segment.getType().equals("class"))
                .findFirst()
                .map(UniqueId.Segment::getValue)
                .orElseGet(() -> sourceOf(test));
    }

    private static String sourceOf(TestIdentifier test) {
        TestSource source = test.getSource().orElse(null);
        if (source instanceof MethodSource method) {
            return topLevel(method.getClassName());
        }
        return source instanceof ClassSource type ? topLevel(type.getClassName()) : "";
    }

    private static String topLevel(String className) {
        int nested = className.indexOf('$');
        return nested < 0 ? className : className.substring(0, nested);
    }

    /** Writes an event for each test, and for each class. */
    private static final class Listener implements TestExecutionListener {
        private final Event.Writer events;
        private final Map<String, Long> startedAt = new ConcurrentHashMap<>();
        private final Map<String, String> classes = new ConcurrentHashMap<>();
        private TestPlan plan;

        Listener(Event.Writer events) {
            this.events = events;
        }

        @Override
        public void testPlanExecutionStarted(TestPlan started) {
            plan = started;
        }

        @Override
        public void executionStarted(TestIdentifier test) {
            startedAt.put(test.getUniqueId(), System.nanoTime());
            if (isTopLevelClass(test)) {
                events.write(new Event.ClassStarted(classOf(test)));
            }
        }

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            events.write(new Event.Skipped(classOf(test), nameOf(test), reason));
            if (isTopLevelClass(test)) {
                events.write(new Event.ClassEnded(classOf(test), 0));
            }
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            long millis =
                    (System.nanoTime() - startedAt.getOrDefault(test.getUniqueId(), System.nanoTime())) / 1_000_000;
            switch (result.getStatus()) {
                case SUCCESSFUL -> {
                    if (test.isTest()) {
                        events.write(new Event.Passed(classOf(test), nameOf(test), millis));
                    }
                }
                case ABORTED ->
                    events.write(new Event.Skipped(
                            classOf(test),
                            nameOf(test),
                            result.getThrowable().map(Throwable::getMessage).orElse("aborted")));
                case FAILED -> {
                    String failure =
                            result.getThrowable().map(Listener::describe).orElse("failed");
                    System.out.println("FAILED " + classOf(test) + " " + nameOf(test) + "\n" + failure);
                    events.write(new Event.Failed(classOf(test), nameOf(test), millis, failure));
                }
            }
            if (isTopLevelClass(test)) {
                events.write(new Event.ClassEnded(classOf(test), millis));
            }
        }

        private static String describe(Throwable failure) {
            try {
                StringWriter text = new StringWriter();
                failure.printStackTrace(new PrintWriter(text));
                return text.toString();
            } catch (RuntimeException e) {
                return failure.getClass().getName() + ", which cannot be printed: " + e.getClass();
            }
        }

        private boolean isTopLevelClass(TestIdentifier test) {
            return test.getSource()
                    .filter(ClassSource.class::isInstance)
                    .filter(source -> ((ClassSource) source).getClassName().indexOf('$') < 0)
                    .isPresent();
        }

        /** The class that a test or container belongs to; the engine's own container belongs to none. */
        private String classOf(TestIdentifier test) {
            return classes.computeIfAbsent(test.getUniqueId(), id -> {
                TestIdentifier place = test;
                while (place != null) {
                    String name = topLevelClass(place);
                    if (!name.isEmpty()) {
                        return name;
                    }
                    place = plan.getParent(place).orElse(null);
                }
                return "(engine)";
            });
        }

        /** The names below the class, such as {@code Nested.method[3]}. */
        private String nameOf(TestIdentifier test) {
            List<String> names = new ArrayList<>();
            TestIdentifier place = test;
            while (place != null
                    && !isTopLevelClass(place)
                    && plan.getParent(place).isPresent()) {
                names.add(0, place.getDisplayName());
                place = plan.getParent(place).orElse(null);
            }
            return names.isEmpty() ? "(class)" : String.join(" ", names);
        }
    }
}
