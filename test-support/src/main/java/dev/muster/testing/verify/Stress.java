package dev.muster.testing.verify;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs chosen tests again and again on a machine that is kept busy, each time in a JVM of its own. */
final class Stress {
    private static final int ENOUGH_FAILURES = 5;

    private final Arguments arguments;
    private final RoundOptions options;
    private final Path logs;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger passed = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();

    Stress(Arguments arguments, RoundOptions options, Path logs) {
        this.arguments = arguments;
        this.options = options;
        this.logs = logs;
    }

    /** Returns whether every run was green. */
    boolean run(Selection selection) throws InterruptedException, IOException {
        List<Process> load = startLoad();
        try {
            List<Thread> lanes = new ArrayList<>();
            for (int i = 0; i < arguments.jvms; i++) {
                Thread lane = new Thread(() -> runAll(selection), "stress-" + i);
                lane.start();
                lanes.add(lane);
            }
            for (Thread lane : lanes) {
                lane.join();
            }
        } finally {
            load.forEach(Process::destroyForcibly);
        }
        System.out.printf(
                "%nstress: %s, %d at a time beside %d busy processes%n%d passed, %d failed%n",
                String.join(",", arguments.only), arguments.jvms, arguments.load, passed.get(), failed.get());
        arguments.broken.forEach(fault -> System.out.println("BROKEN   " + fault));
        return failed.get() == 0 && passed.get() == arguments.stress && arguments.broken.isEmpty();
    }

    /** Processes that keep the processors busy until this program ends, however it ends: each looks for it once a round. */
    private List<Process> startLoad() throws IOException {
        List<Process> load = new ArrayList<>();
        String loop = "while kill -0 " + ProcessHandle.current().pid()
                + " 2>/dev/null; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done";
        for (int i = 0; i < arguments.load; i++) {
            load.add(new ProcessBuilder("sh", "-c", loop)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start());
        }
        return load;
    }

    private void runAll(Selection selection) {
        while (failed.get() < ENOUGH_FAILURES && !TestJvm.stopping()) {
            int number = next.incrementAndGet();
            if (number > arguments.stress) {
                return;
            }
            try {
                run(selection, number);
            } catch (IOException | RuntimeException e) {
                failed.incrementAndGet();
                System.out.println("run " + number + ": " + e);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void run(Selection selection, int number) throws IOException, InterruptedException {
        long start = System.nanoTime();
        List<String> wrong = new ArrayList<>();
        int tests = 0;
        for (TestModule module : selection.classesByModule().keySet()) {
            Path log = logs.resolve("%s-%d.log".formatted(module.folder().replace('/', '-'), number));
            String classPath = module.classPath()
                    .orElseThrow(() -> new Arguments.Refused(module.folder() + " did not compile, see above"));
            Results results = new Results();
            List<String> selected = selection.classesByModule().get(module);
            results.expect("", module, Selection.types(selected));
            try (TestJvm jvm = TestJvm.start(module, classPath, selected, options, log)) {
                String fault = jvm.follow(event -> results.add("", module, event, log.toString()));
                results.failures().forEach(each -> wrong.add(each.name() + ": " + each.message() + "\n    " + log));
                results.notRun().forEach(type -> wrong.add("not run: " + type + "\n    " + log));
                if (!fault.isEmpty()) {
                    wrong.add(fault + "\n    " + log);
                }
                tests += (int) (results.passed() + results.failed());
            }
        }
        if (tests == 0) {
            wrong.add("no test ran");
        }
        (wrong.isEmpty() ? passed : failed).incrementAndGet();
        System.out.printf(
                "run %d of %d: %s, %d tests, %.1f s%n",
                number,
                arguments.stress,
                wrong.isEmpty() ? "passed" : "FAILED",
                tests,
                (System.nanoTime() - start) / (double) TimeUnit.SECONDS.toNanos(1));
        wrong.forEach(line -> System.out.println("  " + line));
    }
}
