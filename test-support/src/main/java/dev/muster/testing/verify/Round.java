package dev.muster.testing.verify;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;

/**
 * Runs the tests of a selection once, several modules at a time.
 *
 * @param name empty for the ordinary round
 * @param jvms how many modules run at the same time
 */
record Round(String name, RoundOptions options, int jvms, Path logs, Results results, Progress progress) {
    /** What failed runs again alone, for information; this many classes at most. */
    private static final int AGAIN = 20;

    private record Part(TestModule module, List<String> selected) {}

    void run(Selection selection) throws InterruptedException {
        Queue<Part> parts = new ArrayDeque<>();
        selection.classesByModule().forEach((module, selected) -> {
            results.expect(name, module, Selection.types(selected));
            parts.add(new Part(module, selected));
        });
        List<Thread> lanes = new ArrayList<>();
        for (int i = 0; i < jvms; i++) {
            Thread lane = new Thread(() -> runAll(parts), "tests-" + i);
            lane.start();
            lanes.add(lane);
        }
        for (Thread lane : lanes) {
            lane.join();
        }
    }

    private void runAll(Queue<Part> parts) {
        while (true) {
            Part part;
            synchronized (parts) {
                part = parts.poll();
            }
            if (part == null || TestJvm.stopping()) {
                return;
            }
            try {
                run(part);
            } catch (IOException | RuntimeException e) {
                results.ended(name, part.module, 0, "its JVM could not be started: " + e, "");
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void run(Part part) throws IOException, InterruptedException {
        String classPath = part.module.classPath().orElse(null);
        if (classPath == null) {
            results.ended(
                    name, part.module, 0, "did not compile, or needs a module that did not", "see the build above");
            return;
        }
        long start = System.nanoTime();
        Path log = logs.resolve(part.module.folder().replace('/', '-') + ".log");
        try (TestJvm jvm = TestJvm.start(part.module, classPath, part.selected, options, log)) {
            String fault = jvm.follow(event -> {
                Results.Failure failure = results.add(name, part.module, event, log.toString());
                if (failure != null) {
                    progress.say(
                            Summary.line("FAILED", failure.module() + " " + failure.name() + ": " + failure.message()));
                }
            });
            long millis = (System.nanoTime() - start) / 1_000_000;
            results.ended(name, part.module, millis, fault, log.toString());
        }
    }

    /** Runs each class with a failure once more, alone. Returns the failures that did not happen again. */
    Set<Results.Failure> again(Selection selection) throws IOException, InterruptedException {
        Map<String, List<Results.Failure>> byClass = new LinkedHashMap<>();
        for (Results.Failure failure : results.failures()) {
            if (failure.round().equals(name) && !failure.type().startsWith("(")) {
                byClass.computeIfAbsent(failure.module() + " " + failure.type(), key -> new ArrayList<>())
                        .add(failure);
            }
        }
        Set<Results.Failure> passed = new LinkedHashSet<>();
        int left = AGAIN;
        for (List<Results.Failure> failures : byClass.values()) {
            if (left-- == 0) {
                progress.say("Only the first " + AGAIN + " classes that failed are run again.");
                break;
            }
            Results.Failure first = failures.get(0);
            TestModule module = selection.classesByModule().keySet().stream()
                    .filter(each -> each.folder().equals(first.module()))
                    .findFirst()
                    .orElseThrow();
            progress.say("again, alone: " + first.module() + " " + Results.simple(first.type()));
            Results alone = new Results();
            Path log = logs.resolve(
                    "again-" + module.folder().replace('/', '-') + "-" + Results.simple(first.type()) + ".log");
            String classPath = module.classPath().orElseThrow();
            try (TestJvm jvm = TestJvm.start(module, classPath, List.of(first.type()), options, log)) {
                String fault = jvm.follow(event -> alone.add(name, module, event, log.toString()));
                if (fault.isEmpty()) {
                    failures.stream()
                            .filter(failure -> alone.failures().stream()
                                    .noneMatch(other -> other.test().equals(failure.test())))
                            .forEach(passed::add);
                }
            }
        }
        return passed;
    }
}
