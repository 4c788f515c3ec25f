package dev.muster.chaos;

import static org.awaitility.Awaitility.await;

import dev.muster.testing.Seeds;
import dev.muster.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Kills nodes of a cluster one after the other with {@code kill -9}, and starts another one for each, under an id that no node had before.
 * The table {@code killed_nodes} says which ones are dead, and since when at the latest.
 */
final class NodeKiller {
    private static final Duration START_LIMIT = Duration.ofMinutes(2);

    private final TestDatabase database;
    private final Function<String, NodeProcess> launcher;
    private final List<Running> nodes = new ArrayList<>();
    private final Random random;
    private Predicate<String> victims = node -> true;
    private int launched;

    private record Running(String id, NodeProcess process) {}

    /**
     * @param test whose seed decides who is killed
     * @param launcher starts the node with this id, and does not wait for it
     */
    NodeKiller(TestDatabase database, Class<?> test, Function<String, NodeProcess> launcher) {
        this.database = database;
        this.random = new Random(Seeds.next(test));
        this.launcher = launcher;
        database.execute("CREATE TABLE killed_nodes (node text PRIMARY KEY, at timestamptz NOT NULL)");
    }

    /** Only nodes of which this is true are killed. */
    void killOnly(Predicate<String> chosen) {
        victims = chosen;
    }

    /** Starts so many nodes, and returns when all of them are up. */
    void start(int count) {
        for (int i = 0; i < count; i++) {
            launch();
        }
        nodes.forEach(node -> node.process().awaitReady());
    }

    /**
     * Kills nodes for at least this long, and at least so many of them.
     *
     * @param pause the least time between two kills. It takes longer on a busy machine: a node is killed only while most of them are up,
     *     because otherwise soon nobody would be left
     * @param killed is told the id of each dead node
     * @return how many were killed
     */
    int kill(Duration time, int atLeast, Duration pause, Consumer<String> killed) {
        long end = System.nanoTime() + time.toNanos();
        int kills = 0;
        while (kills < atLeast || System.nanoTime() - end < 0) {
            long next = System.nanoTime() + pause.toNanos();
            await("most nodes are up").atMost(START_LIMIT).until(() -> 2 * up().size() > nodes.size());
            killOne(killed, true);
            kills++;
            await().atMost(pause.plus(START_LIMIT)).until(() -> System.nanoTime() - next >= 0);
        }
        return kills;
    }

    /**
     * Kills one as soon as there is one to be killed.
     *
     * @param andAnother whether another node is started
     */
    void killOne(Consumer<String> killed, boolean andAnother) {
        String victim = await("a node to kill")
                .atMost(START_LIMIT)
                .until(this::tryKill, Optional::isPresent)
                .orElseThrow();
        killed.accept(victim);
        if (andAnother) {
            launch();
        }
    }

    private Optional<String> tryKill() {
        List<Running> up = up().stream().filter(node -> victims.test(node.id())).toList();
        if (up.isEmpty()) {
            return Optional.empty();
        }
        Running victim = up.get(random.nextInt(up.size()));
        nodes.remove(victim);
        victim.process().kill9();
        database.execute("INSERT INTO killed_nodes VALUES ('" + victim.id() + "', clock_timestamp())");
        return Optional.of(victim.id());
    }

    private void launch() {
        String id = "n" + launched++;
        nodes.add(new Running(id, launcher.apply(id)));
    }

    private List<Running> up() {
        return nodes.stream().filter(node -> node.process().isReady()).toList();
    }
}
