package dev.muster.worker;

/** Why a running handler is asked to stop. */
enum StopReason {
    CANCELLED("it was cancelled"),
    TIMED_OUT("it timed out"),
    LOST("its claim was lost"),
    DISCONNECTED("its lease could not be renewed"),
    DRAINED("its node is stopping");

    private final String text;

    StopReason(String text) {
        this.text = text;
    }

    /** Whether the job goes back in line as if it had not run. */
    boolean releases() {
        return this == DISCONNECTED || this == DRAINED;
    }

    @Override
    public String toString() {
        return text;
    }
}
