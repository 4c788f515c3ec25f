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
 * It also freezes nodes. The tables {@code killed_nodes} and {@code frozen_nodes} say which ones, and since when at the latest.
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
        database.execute("CREATE TABLE frozen_nodes (node text, since timestamptz NOT NULL, until timestamptz)");
    }

    /** Only nodes of which this is true are killed. */
    void killOnly(Predicate<String> chosen) {
        victims = chosen;
    }

    /** Starts this many nodes, and returns when all of them are up. */
    void start(int count) {
        for (int i = 0; i < count; i++) {
            launch();
        }
        nodes.forEach(node -> node.process().awaitReady());
    }

    /**
     * Kills nodes for at least this long, and at least this many of them.
     *
     * @param pause between two kills. It takes longer on a busy machine: a node is killed only while most of them are up,
     *     because otherwise soon nobody would be left
     * @param killed is told the id of each dead node
     * @return how many were killed
     */
    int kill(Duration time, int atLeast, Duration pause, Consumer<String> killed) {
        long end = System.nanoTime() + time.toNanos();
        int kills = 0;
        while (kills < atLeast || System.nanoTime() - end < 0) {
            await("most nodes are up").atMost(START_LIMIT).until(() -> 2 * up().size() > nodes.size());
            killOne(killed, true);
            kills++;
            pass(pause);
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

    /**
     * For at least this long, kills a node and starts another one, or freezes a node for a while, at random.
     *
     * @param pause between two of them
     */
    void disturb(Duration time, Duration shortestFreeze, Duration longestFreeze, Duration pause) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - end < 0) {
            await("most nodes are up").atMost(START_LIMIT).until(() -> 2 * up().size() > nodes.size());
            if (random.nextBoolean()) {
                killOne(killed -> {}, true);
            } else {
                freezeOne(shortestFreeze.plusMillis(
                        random.nextLong(longestFreeze.minus(shortestFreeze).toMillis())));
            }
            pass(pause);
        }
    }

    /** Freezes a node that is up, and returns when it has been thawed. */
    private void freezeOne(Duration time) {
        List<Running> up = up();
        Running victim = up.get(random.nextInt(up.size()));
        victim.process().stop();
        database.execute("INSERT INTO frozen_nodes VALUES ('" + victim.id() + "', clock_timestamp())");
        pass(time);
        database.execute("UPDATE frozen_nodes SET until = clock_timestamp() WHERE until IS NULL");
        victim.process().cont();
    }

    private static void pass(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        await().atMost(time.plus(START_LIMIT)).until(() -> System.nanoTime() - end >= 0);
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
