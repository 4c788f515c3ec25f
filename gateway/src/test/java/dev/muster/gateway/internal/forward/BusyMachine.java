package dev.muster.gateway.internal.forward;

import java.time.Duration;

/** Where tests run, a healthy node may need longer than a second to accept a call. */
public final class BusyMachine {
    private BusyMachine() {}

    /** Gateways that are started later in this JVM wait longer before they take a node for silent. */
    public static void waitsForFirstWord() {
        Forwarder.allowFirstWord(Duration.ofSeconds(20));
    }
}
