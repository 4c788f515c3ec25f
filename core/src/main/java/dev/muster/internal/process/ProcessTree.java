package dev.muster.internal.process;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A child process with all its descendants. They are found as children of children and, on Linux, by a text in their environment, which a
 * process inherits even if it has left its parent, its process group and its session.
 */
final class ProcessTree {
    private static final Logger log = LoggerFactory.getLogger(ProcessTree.class);
    static final File PROC = new File("/proc");
    private static final long GIVE_UP_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Process root;
    private final byte[] mark;
    private final @Nullable ProcessNumbers before;
    private final File proc;

    /**
     * @param mark a text that stands in the environment of these processes and of no others
     * @param before the process numbers before the child was started: no older process is looked at
     * @param proc where the processes of this system are listed
     */
    ProcessTree(Process root, String mark, @Nullable ProcessNumbers before, File proc) {
        this.root = root;
        this.mark = mark.getBytes(StandardCharsets.US_ASCII);
        this.before = before;
        this.proc = proc;
    }

    /**
     * Kills all of them and returns when none is left. An interrupt does not stop this; it is kept for the caller.
     */
    void kill() {
        boolean interrupted = Thread.interrupted();
        long start = System.nanoTime();
        // A process that is just being created or is replacing its program has no environment for a moment.
        for (int clean = 0; clean < 2; ) {
            Set<ProcessHandle> found = find();
            found.forEach(ProcessHandle::destroyForcibly);
            clean = found.isEmpty() ? clean + 1 : 0;
            if (System.nanoTime() - start > GIVE_UP_NANOS) {
                log.warn(
                        "processes={} of a job are left: they do not end after SIGKILL",
                        found.stream().map(ProcessHandle::pid).toList());
                break;
            }
            if (clean < 2) {
                interrupted |= pause();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(2);
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    private Set<ProcessHandle> find() {
        Set<ProcessHandle> found = new HashSet<>(marked());
        if (root.isAlive()) {
            found.add(root.toHandle());
        }
        if (!found.isEmpty()) {
            addDescendants(found);
        }
        return found;
    }

    /** Has to happen before any of them is killed, because its children then get another parent. */
    private static void addDescendants(Set<ProcessHandle> found) {
        Map<ProcessHandle, List<ProcessHandle>> children = ProcessHandle.allProcesses()
                .filter(process -> process.parent().isPresent())
                .collect(Collectors.groupingBy(process -> process.parent().orElse(process)));
        Deque<ProcessHandle> open = new ArrayDeque<>(found);
        for (ProcessHandle parent = open.poll(); parent != null; parent = open.poll()) {
            for (ProcessHandle child : children.getOrDefault(parent, List.of())) {
                if (found.add(child)) {
                    open.add(child);
                }
            }
        }
    }

    private Set<ProcessHandle> marked() {
        Set<ProcessHandle> found = new HashSet<>();
        String[] names = proc.list((folder, name) -> Character.isDigit(name.charAt(0)));
        if (names == null) {
            return found;
        }
        // To read thousands of environments costs much, and one that cannot be read now keeps this thread waiting.
        LongPredicate young = ProcessNumbers.givenSince(before, root.pid(), proc);
        for (String name : names) {
            if (!young.test(Long.parseLong(name))) {
                continue;
            }
            // The handle knows when its process started, so that it never kills another one with the same number.
            File environment = new File(proc, name + "/environ");
            if (hasMark(environment)) {
                ProcessHandle.of(Long.parseLong(name))
                        .filter(process -> hasMark(environment))
                        .ifPresent(found::add);
            }
        }
        return found;
    }

    private boolean hasMark(File environment) {
        try (InputStream in = new FileInputStream(environment)) {
            return contains(in.readAllBytes());
        } catch (IOException e) {
            // It has ended, or belongs to another user.
            return false;
        }
    }

    private boolean contains(byte[] bytes) {
        for (int start = 0; start <= bytes.length - mark.length; start++) {
            int same = 0;
            while (same < mark.length && bytes[start + same] == mark[same]) {
                same++;
            }
            if (same == mark.length) {
                return true;
            }
        }
        return false;
    }
}
