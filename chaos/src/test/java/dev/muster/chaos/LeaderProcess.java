package dev.muster.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A {@link LeaderMain} in a process of its own. */
record LeaderProcess(String id, NodeProcess process) implements AutoCloseable {
    private static final Duration SOON = Duration.ofSeconds(90);
    private static final List<String> JVM_OPTIONS = List.of("-Dlogback.configurationFile=node-logback.xml");

    static LeaderProcess start(String id, String url, Map<String, String> settings) {
        return start(List.of(), id, url, settings);
    }

    /** @param prefix the command that runs the JVM, if it does not run by itself */
    static LeaderProcess start(List<String> prefix, String id, String url, Map<String, String> settings) {
        List<String> arguments = new ArrayList<>(List.of("node.id=" + id, "database.url=" + url));
        settings.forEach((key, value) -> arguments.add(key + "=" + value));
        return new LeaderProcess(
                id,
                NodeProcess.launch(prefix, LeaderMain.class, JVM_OPTIONS, arguments)
                        .awaitReady());
    }

    boolean leads() {
        return who().startsWith("LEADS");
    }

    String who() {
        return process.ask("who", line -> line.startsWith("LEADS") || line.equals("FOLLOWS"), SOON);
    }

    String write() {
        return process.ask("write", line -> line.matches("(WROTE|REFUSED) write.*"), SOON);
    }

    /** Opens a fenced transaction and stays in it. */
    void hold() {
        process.ask("hold", line -> line.equals("INSIDE"), SOON);
    }

    /** Lets it continue, and returns how that ended. */
    String go() {
        return process.ask("go", line -> line.matches("(WROTE|REFUSED) hold.*"), SOON);
    }

    LeaderProcess awaitLeads(Duration atMost) {
        await(id + " leads")
                .atMost(atMost)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .untilAsserted(() -> assertThat(who()).startsWith("LEADS"));
        return this;
    }

    @Override
    public void close() {
        process.close();
    }
}
