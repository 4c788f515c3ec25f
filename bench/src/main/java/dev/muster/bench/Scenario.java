package dev.muster.bench;

import dev.muster.bench.contender.Contender;
import java.util.List;

/** One thing to measure. */
interface Scenario {

    String name();

    boolean suits(Contender contender);

    /** How many times to measure, when that many are asked for. A scenario that takes turns within itself measures once. */
    default int rounds(int wanted) {
        return wanted;
    }

    /** Whether a first round is needed that does not count. */
    default boolean warmsUp() {
        return true;
    }

    Figures measure(Stage stage, Contender contender) throws Exception;

    /** How its own metrics relate to each other. */
    default List<Comparison> comparisons() {
        return List.of();
    }

    /**
     * A quotient of two metrics of one contender.
     *
     * @param factor what the quotient is multiplied with
     */
    record Comparison(String name, Metric over, Metric under, double factor) {
        Comparison(String name, Metric over, Metric under) {
            this(name, over, under, 1);
        }
    }
}
