package dev.muster.testing.verify;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What has happened so far, by module. Thread-safe: every access holds the monitor. */
final class Results {
    /** A failed test, or a class or JVM that failed outside of a test. */
    record Failure(String round, String module, String type, String test, String text, String log) {
        String name() {
            return simple(type) + (test.isEmpty() ? "" : "." + test);
        }

        /** The message in one line, without the stack. */
        String message() {
            return text.lines()
                    .takeWhile(line -> !line.startsWith("\tat "))
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .collect(Collectors.joining(" "));
        }
    }

    record Skip(String module, String type, String test, String reason) {}

    record Duration(String module, String type, long millis) {}

    /** The numbers of one module in one round. */
    static final class Counts {
        long passed;
        long failed;
        long skipped;
        long millis;
    }

    private final Map<String, Counts> counts = new LinkedHashMap<>();
    private final List<Failure> failures = new ArrayList<>();
    private final List<Skip> skips = new ArrayList<>();
    private final List<Duration> durations = new ArrayList<>();
    private final Map<String, Set<String>> expected = new TreeMap<>();
    private final Set<String> running = new LinkedHashSet<>();
    private final List<String> faults = new ArrayList<>();
    private int classesDone;
    private int classesExpected;

    static String simple(String type) {
        return type.substring(type.lastIndexOf('.') + 1);
    }

    private static String place(String round, String module) {
        return round.isEmpty() ? module : module + " (" + round + ")";
    }

    synchronized void expect(String round, TestModule module, List<String> types) {
        expected.computeIfAbsent(place(round, module.folder()), key -> new LinkedHashSet<>())
                .addAll(types);
        classesExpected += types.size();
    }

    /** Returns the failure that the event tells of, or null. */
    synchronized Failure add(String round, TestModule module, Event event, String log) {
        String place = place(round, module.folder());
        Counts count = counts.computeIfAbsent(place, key -> new Counts());
        if (event instanceof Event.ClassStarted started) {
            running.add(place + " " + simple(started.type()));
        } else if (event instanceof Event.ClassEnded ended) {
            running.remove(place + " " + simple(ended.type()));
            durations.add(new Duration(place, ended.type(), ended.millis()));
            done(place, ended.type());
        } else if (event instanceof Event.NothingToRun nothing) {
            if (nothing.isRight()) {
                done(place, nothing.type());
            }
        } else if (event instanceof Event.Passed) {
            count.passed++;
        } else if (event instanceof Event.Skipped skipped) {
            count.skipped++;
            skips.add(new Skip(place, skipped.type(), skipped.test(), skipped.reason()));
        } else if (event instanceof Event.Failed failed) {
            count.failed++;
            Failure failure = new Failure(round, module.folder(), failed.type(), failed.test(), failed.failure(), log);
            failures.add(failure);
            return failure;
        }
        return null;
    }

    private void done(String place, String type) {
        Set<String> left = expected.get(place);
        if (left != null && left.remove(type)) {
            classesDone++;
        }
    }

    synchronized void ended(String round, TestModule module, long millis, String fault, String log) {
        String place = place(round, module.folder());
        counts.computeIfAbsent(place, key -> new Counts()).millis += millis;
        running.removeIf(entry -> entry.startsWith(place + " "));
        if (!fault.isEmpty()) {
            fault(place + ": " + fault + " (" + log + ")");
        }
    }

    /** Something outside of tests went wrong. */
    synchronized void fault(String text) {
        faults.add(text);
    }

    synchronized Map<String, Counts> counts() {
        return new LinkedHashMap<>(counts);
    }

    synchronized List<Failure> failures() {
        return List.copyOf(failures);
    }

    synchronized List<Skip> skips() {
        return List.copyOf(skips);
    }

    synchronized List<Duration> durations() {
        return List.copyOf(durations);
    }

    synchronized List<String> faults() {
        return List.copyOf(faults);
    }

    synchronized List<String> running() {
        return List.copyOf(running);
    }

    /** Classes that should have run and did not, as "module Class". */
    synchronized List<String> notRun() {
        return expected.entrySet().stream()
                .flatMap(entry -> entry.getValue().stream().map(type -> entry.getKey() + " " + simple(type)))
                .toList();
    }

    synchronized int classesDone() {
        return classesDone;
    }

    synchronized int classesExpected() {
        return classesExpected;
    }

    synchronized long passed() {
        return counts.values().stream().mapToLong(count -> count.passed).sum();
    }

    synchronized long failed() {
        return counts.values().stream().mapToLong(count -> count.failed).sum();
    }

    synchronized long skipped() {
        return counts.values().stream().mapToLong(count -> count.skipped).sum();
    }
}
