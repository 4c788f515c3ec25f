package dev.muster.bench;

import java.util.List;
import java.util.Map;

/** One thing to measure. */
interface Scenario {

    String name();

    List<Metric> metrics();

    boolean suits(Contender contender);

    /** Measures once. A metric that does not apply to this site is left out. */
    Map<Metric, Double> measure(Scratch database, Site site) throws Exception;
}
