package dev.muster.cli.internal.console;

/** A progress bar. */
public final class Bar {
    private final int width;

    public Bar(int width) {
        this.width = width;
    }

    /** The bar filled to {@code done} of {@code total}. */
    public String of(long done, long total) {
        int filled = (int) (done * width / total);
        return "█".repeat(filled) + "░".repeat(width - filled);
    }
}
