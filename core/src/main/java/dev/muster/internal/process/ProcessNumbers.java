package dev.muster.internal.process;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Which process numbers were given out since a moment. Linux gives them out in turn and begins again after the highest one;
 * {@code /proc/loadavg} names the last, and {@code /proc/stat} counts how many were given out since the machine was started.
 *
 * @param last the number that was given out last
 * @param given how many were given out in all, to threads, too
 * @param used how many are in use, by threads, too
 */
record ProcessNumbers(long last, long given, long used) {
    private static final LongPredicate ANY = number -> true;

    /** The numbers of now; null if this system does not tell them. */
    static @Nullable ProcessNumbers now(File proc) {
        try {
            // Such as "0.20 0.18 0.12 1/80 11206".
            String[] load = read(proc, "loadavg").strip().split(" ");
            long used = Long.parseLong(load[3].substring(load[3].indexOf('/') + 1));
            String stat = read(proc, "stat");
            int start = stat.indexOf("\nprocesses ") + "\nprocesses ".length();
            long given = Long.parseLong(stat.substring(start, stat.indexOf('\n', start)));
            return new ProcessNumbers(Long.parseLong(load[4]), given, used);
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    private static String read(File proc, String name) throws IOException {
        // Some of these files give nothing more after a first read of a few bytes.
        byte[] buffer = new byte[16_384];
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (InputStream in = new FileInputStream(new File(proc, name))) {
            for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
                all.write(buffer, 0, n);
            }
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }

    /**
     * Says of a number whether it may have been given out since then, and of any number that it may, where that cannot be told.
     *
     * @param before the numbers before then
     * @param known a number that was given out since then
     */
    static LongPredicate givenSince(@Nullable ProcessNumbers before, long known, File proc) {
        ProcessNumbers now = before == null ? null : now(proc);
        if (before == null || now == null || mayHaveGoneRound(before, now, proc)) {
            return ANY;
        }
        LongPredicate since = before.last <= now.last
                ? number -> number > before.last && number <= now.last
                : number -> number > before.last || number <= now.last;
        return since.test(known) ? since : ANY;
    }

    /** Whether all free numbers may have been given out. */
    private static boolean mayHaveGoneRound(ProcessNumbers before, ProcessNumbers now, File proc) {
        try {
            long highest = Long.parseLong(read(proc, "sys/kernel/pid_max").strip());
            return before.used + 2 * (now.given - before.given) >= highest;
        } catch (IOException | RuntimeException e) {
            return true;
        }
    }
}
