package dev.muster.batch;

/**
 * The jobs of a batch by what became of them.
 *
 * @param live how many have not ended
 */
public record BatchCounts(long live, long completed, long failed, long cancelled, long expired) {

    public long ended() {
        return completed + failed + cancelled + expired;
    }

    public long total() {
        return live + ended();
    }

    /** The share of the jobs that has ended, 0 to 100; 100 if there are none. */
    public int percent() {
        return total() == 0 ? 100 : (int) (100 * ended() / total());
    }

    /** The share of the jobs that has completed, 0 to 1; 1 if there are none. */
    public double successRate() {
        return total() == 0 ? 1 : (double) completed / total();
    }
}
