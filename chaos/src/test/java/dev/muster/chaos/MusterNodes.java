package dev.muster.chaos;

import static org.awaitility.Awaitility.await;

import dev.muster.cli.MusterCommand;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The command {@code muster} as processes, with the settings that a user gets. */
final class MusterNodes implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofMinutes(2);

    private final List<NodeProcess> processes = new ArrayList<>();
    private static final Pattern HEALTH = Pattern.compile("health at http://[^ ]*:(\\d+)");

    private final HttpClient http = HttpClient.newHttpClient();

    /** Starts {@code muster node --example} and does not wait for it. */
    NodeProcess launch(String id, String url, String... settings) {
        List<String> arguments = new ArrayList<>(List.of("node", "--example", "--url", url, "--set", "node.id=" + id));
        arguments.addAll(List.of("--set", "gateway.port=0"));
        for (String setting : settings) {
            arguments.addAll(List.of("--set", setting));
        }
        return command(arguments);
    }

    /** Starts {@code muster} with these arguments and does not wait for it. */
    NodeProcess command(List<String> arguments) {
        NodeProcess process = NodeProcess.launch(MusterCommand.class, List.of(), arguments);
        processes.add(process);
        return process;
    }

    static void awaitUp(NodeProcess... nodes) {
        for (NodeProcess node : nodes) {
            await("start of a node")
                    .atMost(START_LIMIT)
                    .until(() -> !node.isAlive() || node.text().contains(" ready "));
            if (!node.text().contains(" ready ")) {
                throw new AssertionError("the node did not come up:\n" + node.text());
            }
        }
    }

    /** What {@code /_api/ready} answers. */
    int readiness(NodeProcess node) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port(node) + "/_api/ready"))
                .timeout(Duration.ofSeconds(60))
                .build();
        try {
            return http.send(request, BodyHandlers.discarding()).statusCode();
        } catch (IOException e) {
            throw new IllegalStateException("no answer from a node; it printed:\n" + node.text(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Where a node that is up says it listens. */
    private static String port(NodeProcess node) {
        Matcher line = HEALTH.matcher(node.text());
        if (!line.find()) {
            throw new IllegalStateException("the node does not say where it listens:\n" + node.text());
        }
        return line.group(1);
    }

    @Override
    public void close() {
        processes.forEach(NodeProcess::close);
    }
}
