package dev.muster.chaos;

import dev.muster.Muster;
import dev.muster.config.MusterConfig;
import dev.muster.leader.LeaderRole;
import dev.muster.leader.Leadership;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * A node without jobs that may lead, and says so when it does. Arguments are settings, {@code key=value}. Understands
 * on standard input: {@code who}; {@code write}, as leader; {@code hold}, a fenced transaction that writes and stays
 * open until {@code go}.
 */
final class LeaderMain {
    private final Muster muster;
    private final Leadership scheduler;
    private final CountDownLatch go = new CountDownLatch(1);

    private LeaderMain(Muster muster) {
        this.muster = muster;
        this.scheduler = muster.leadership(LeaderRole.SCHEDULER);
    }

    public static void main(String[] arguments) throws IOException {
        Map<String, String> settings = new HashMap<>();
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            settings.put(parts[0], parts[1]);
        }
        Muster muster =
                Muster.builder().config(MusterConfig.defaults().with(settings)).build();
        Runtime.getRuntime().addShutdownHook(new Thread(muster::close, "shutdown"));
        try {
            muster.start();
        } catch (RuntimeException e) {
            System.err.println("node did not start: " + e.getMessage());
            System.exit(1);
        }
        System.out.println(NodeProcess.READY);
        new LeaderMain(muster).obey();
    }

    /** Until the test is gone. */
    private void obey() throws IOException {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
        String order;
        while ((order = orders.readLine()) != null) {
            switch (order) {
                case "who" ->
                    System.out.println(scheduler
                            .current()
                            .map(term -> "LEADS " + term.term() + " on " + term.timeline())
                            .orElse("FOLLOWS"));
                case "write" -> System.out.println(write("write", () -> {}));
                case "hold" -> new Thread(() -> System.out.println(write("hold", this::awaitGo)), "hold").start();
                case "go" -> go.countDown();
                default -> throw new IllegalArgumentException(order);
            }
        }
        Runtime.getRuntime().halt(3);
    }

    private String write(String what, Runnable meanwhile) {
        try {
            return scheduler.fenced(tx -> {
                insert(tx, what);
                meanwhile.run();
                return "WROTE " + what;
            });
        } catch (RuntimeException e) {
            return "REFUSED " + what + " " + e.getClass().getSimpleName() + " " + e.getMessage();
        }
    }

    private void insert(Connection tx, String what) throws SQLException {
        try (PreparedStatement statement =
                tx.prepareStatement("INSERT INTO public.written (node, what) VALUES (?, ?)")) {
            statement.setString(1, muster.nodeId());
            statement.setString(2, what);
            statement.executeUpdate();
        }
    }

    private void awaitGo() {
        System.out.println("INSIDE");
        try {
            go.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
