package dev.muster.bench.contender;

/** The workflow of every system that runs workflows: each step adds its number to the result of the step before it. */
public final class FiveSteps {
    public static final int STEPS = 5;

    private FiveSteps() {}

    /** The result of a step, which the system has to store. */
    public static int step(int before, int number) {
        return before + number;
    }

    /** The result of a whole run. */
    public static int result(Payload payload) {
        int sum = payload.order();
        for (int i = 1; i <= STEPS; i++) {
            sum = step(sum, i);
        }
        return sum;
    }
}
