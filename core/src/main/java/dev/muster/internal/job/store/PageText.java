package dev.muster.internal.job.store;

import dev.muster.internal.job.payload.LeftOut;
import dev.muster.internal.runtime.LargeReads;
import dev.muster.job.JobInfo;

/**
 * Counts the args, results, errors and metadata of the jobs on one page, so that a page of a search ends after about 16 MB of them, whatever its
 * limit is.
 */
public final class PageText {
    /** How much text a page of a search may have; a single job may have more. */
    public static final long SEARCH_LIMIT = 16L << 20;

    private final long limit;
    private long length;
    private int jobs;

    private PageText(long limit) {
        this.limit = limit;
    }

    public static PageText ofSearch() {
        return new PageText(SEARCH_LIMIT);
    }

    public static PageText unlimited() {
        return new PageText(Long.MAX_VALUE);
    }

    public boolean isLimited() {
        return limit != Long.MAX_VALUE;
    }

    /** Counts a job, if the page has room for it: the first one always has. */
    public boolean add(JobInfo job) {
        long added = length(job);
        if (jobs > 0 && added > limit - length) {
            return false;
        }
        length += added;
        jobs++;
        LargeReads.count(added);
        return true;
    }

    /** The text of a value, and counts it; {@link LeftOut#TEXT} if there is no room for it. */
    public String orLeftOut(String text) {
        if (text.length() > limit - length) {
            return LeftOut.TEXT;
        }
        length += text.length();
        LargeReads.count(text.length());
        return text;
    }

    /** How many more jobs like the ones so far have room; at least one. */
    public int roomForJobs() {
        long average = Math.max(1, length / Math.max(1, jobs));
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, (limit - length) / average));
    }

    private static long length(JobInfo job) {
        return job.metadata().entrySet().stream()
                        .mapToLong(one -> one.getKey().length() + one.getValue().length())
                        .sum()
                + job.args().length()
                + job.result().map(String::length).orElse(0)
                + job.error().map(String::length).orElse(0)
                + job.earlierError().map(String::length).orElse(0);
    }
}
