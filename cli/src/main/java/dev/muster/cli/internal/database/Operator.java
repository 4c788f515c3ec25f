package dev.muster.cli.internal.database;

import dev.muster.access.Caller;
import dev.muster.access.Scope;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Who runs the command, as the operating system says. */
final class Operator {
    private Operator() {}

    /** Such as {@code cli:ada@desk-7}. Whoever reaches the database may do everything. */
    static Caller caller() {
        String name = System.getProperty("user.name", "unknown") + "@" + host();
        return Caller.builder("cli:" + name, name, Scope.ADMIN).build();
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }
}
