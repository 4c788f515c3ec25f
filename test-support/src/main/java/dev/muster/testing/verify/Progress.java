package dev.muster.testing.verify;

import java.time.Duration;
import java.util.List;

/** Says every few seconds what runs now and how many are done: on a terminal in one line that changes, elsewhere in a new line. */
final class Progress implements AutoCloseable {
    private static final Duration ON_TERMINAL = Duration.ofSeconds(1);
    private static final Duration ELSEWHERE = Duration.ofSeconds(30);
    private static final int SHOWN = 6;

    private final Results results;
    private final long start = System.nanoTime();
    private final boolean terminal;
    private final int columns;
    private final Thread thread = new Thread(this::run, "progress");

    /** @param columns the width of the terminal, 0 if there is none */
    Progress(Results results, int columns) {
        this.results = results;
        this.terminal = columns > 0;
        this.columns = columns;
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep((terminal ? ON_TERMINAL : ELSEWHERE).toMillis());
                show();
            }
        } catch (InterruptedException e) {
            clear();
        }
    }

    private synchronized void show() {
        List<String> running = results.running();
        String now = String.join(", ", running.subList(0, Math.min(SHOWN, running.size())))
                + (running.size() > SHOWN ? " and " + (running.size() - SHOWN) + " more" : "");
        String line = "%s  %d of %d classes, %d tests, %d failed%s"
                .formatted(
                        Summary.clock(System.nanoTime() - start),
                        results.classesDone(),
                        results.classesExpected(),
                        results.passed() + results.failed(),
                        results.failed(),
                        now.isEmpty() ? "" : "; now: " + now);
        if (terminal) {
            System.out.print("\r\033[K" + (line.length() < columns ? line : line.substring(0, columns - 1)));
            System.out.flush();
        } else {
            System.out.println(line);
        }
    }

    private void clear() {
        if (terminal) {
            System.out.print("\r\033[K");
            System.out.flush();
        }
    }

    /** Prints a line that stays. */
    synchronized void say(String line) {
        clear();
        System.out.println(line);
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
