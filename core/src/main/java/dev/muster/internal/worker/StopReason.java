package dev.muster.internal.worker;

/** Why a running handler is asked to stop. */
enum StopReason {
    CANCELLED("it was cancelled"),
    TIMED_OUT("it timed out"),
    LOST("its claim was lost"),
    DISCONNECTED("its lease could not be renewed"),
    EXECUTOR_STOPPED("its executor can no longer run it"),
    DRAINED("its node is stopping");

    private final String text;

    StopReason(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
