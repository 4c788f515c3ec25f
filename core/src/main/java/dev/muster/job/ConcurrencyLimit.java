package dev.muster.job;

import dev.muster.runtime.MusterException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs of a handler run at a time in the whole cluster, in which order, and how many begin per unit of time. {@link Job} has the
 * same as {@code maxConcurrent}, {@code concurrencyKey}, {@code ordered} and {@code rate}.
 *
 * @param maxConcurrent how many jobs of the handler, or of one key of it, may run at a time; 0 if that is not limited
 * @param concurrencyKey the path of a field of the args, such as {@code customer.id}: the limits hold for each value of it. Empty if they
 *     hold for all jobs of the handler together, or if requests name the key
 * @param ordered whether they run one after the other, in the order in which they were enqueued
 * @param rate how many of them begin in a time; null if that is not limited
 */
public record ConcurrencyLimit(
        int maxConcurrent,
        String concurrencyKey,
        boolean ordered,
        @Nullable JobRate rate) {
    private static final int MOST = 10_000;
    private static final Pattern PATH = Pattern.compile("[^.\\s/]+(\\.[^.\\s/]+)*");

    /** @throws MusterException if the limits contradict each other, or one is out of its bounds */
    public ConcurrencyLimit {
        if (maxConcurrent < 0 || maxConcurrent > MOST) {
            throw new MusterException("maxConcurrent is 1 to " + MOST + ", or 0 for no limit, not " + maxConcurrent);
        }
        if (!concurrencyKey.isEmpty() && !PATH.matcher(concurrencyKey).matches()) {
            throw new MusterException("concurrencyKey '" + concurrencyKey
                    + "' is no path of a field of the args; write names with dots between them, such as customer.id");
        }
        if (ordered && maxConcurrent > 1) {
            throw new MusterException(
                    "ordered jobs run one at a time, so ordered = true allows no maxConcurrent but 1, not "
                            + maxConcurrent);
        }
        if (maxConcurrent == 0 && !ordered && rate == null) {
            throw new MusterException(
                    "concurrencyKey says for whom a limit holds, but there is none; add maxConcurrent, ordered or rate");
        }
    }

    /**
     * The limits of an annotation; null if it has none.
     *
     * @param rate such as {@code 100/1m}; empty for no limit
     */
    public static @Nullable ConcurrencyLimit of(
            int maxConcurrent, String concurrencyKey, boolean ordered, String rate) {
        return maxConcurrent == 0 && concurrencyKey.isEmpty() && !ordered && rate.isEmpty()
                ? null
                : new ConcurrencyLimit(
                        maxConcurrent, concurrencyKey, ordered, rate.isEmpty() ? null : JobRate.parse(rate));
    }
}
