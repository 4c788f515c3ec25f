package dev.muster.beacon;

import java.util.concurrent.Callable;

/** A method with a {@link Beacon} annotation. */
record BeaconHandler(String name, Callable<String> colour) {}
