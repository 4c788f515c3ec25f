package dev.muster.bench;

import dev.muster.bench.contender.Contender;

/** A scenario of Muster alone that warms up and takes turns within itself, so that it is measured once. */
interface SelfPacedScenario extends Scenario {

    @Override
    default boolean suits(Contender contender) {
        return contender.kind() == Contender.Kind.MUSTER;
    }

    @Override
    default int rounds(int wanted) {
        return 1;
    }

    @Override
    default boolean warmsUp() {
        return false;
    }
}
