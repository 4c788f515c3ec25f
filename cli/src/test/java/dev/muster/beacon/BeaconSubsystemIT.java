package dev.muster.beacon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.beacon.Beacons.Light;
import dev.muster.cli.Cli;
import dev.muster.job.Job;
import dev.muster.job.JobRequest;
import dev.muster.job.JobType;
import dev.muster.runtime.MusterException;
import dev.muster.testing.LongTest;
import dev.muster.testkit.Cluster;
import dev.muster.testkit.Node;
import dev.muster.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A subsystem of another package works although the rest of Muster does not know it. */
class BeaconSubsystemIT {
    private static final Duration SOON = Duration.ofMinutes(2);

    private TestDatabase database;
    private Cluster cluster;

    /** Shows a red light. */
    public static final class Lighthouse {
        @Beacon("harbour")
        String harbour() {
            return "red";
        }
    }

    /** Has a light whose colour cannot be told. */
    public static final class BrokenLighthouse {
        @Beacon("fog")
        String fog() {
            throw new IllegalStateException("no lamp");
        }
    }

    /** Runs a job until it is told to end. */
    public static final class Night {
        final CountDownLatch began = new CountDownLatch(1);
        final CountDownLatch over = new CountDownLatch(1);

        @Job("watch")
        void watch() throws InterruptedException {
            began.countDown();
            over.await();
            BeaconSubsystem.DIARY.add("watch ended");
        }
    }

    @BeforeEach
    void create() throws SQLException {
        database = TestDatabase.fromEnv();
        cluster = Cluster.on(database, Map.of("worker.drain_timeout", "20s"));
        execute("CREATE TABLE beacons (name text, colour text, node text)");
        execute("CREATE TABLE put_out (node text, xact text)");
        BeaconSubsystem.DIARY.clear();
    }

    @AfterEach
    void drop() {
        cluster.close();
        database.close();
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private String read(String sql) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(1) : "nothing";
        }
    }

    private List<Light> lights() {
        return cluster.client().api(Beacons.class).list();
    }

    @Test
    void handlersPartApiJobAndCommandWork() {
        Node node = cluster.node(new Lighthouse());

        assertThat(lights()).containsExactly(new Light("harbour", "red", node.id()));
        assertThat(cluster.jobs()
                        .await(
                                cluster.jobs()
                                        .enqueue(JobRequest.of(
                                                JobType.of("colour_of_harbour", Void.class, String.class), null)),
                                SOON))
                .satisfies(job -> assertThat(job.result()).contains("\"red on " + node.id() + "\""));
        Cli.Result listed = Cli.on(database, "beacons").done();
        assertThat(listed.out()).contains("NAME", "COLOUR", "harbour", "red", node.id());
        assertThat(Cli.on(database, "beacons", "-o", "json")
                        .done()
                        .json()
                        .get(0)
                        .get("colour")
                        .asString())
                .isEqualTo("red");
        assertThat(Cli.run("beacons", "--help").done().out()).contains("List the lights of all nodes.", "--url");
        assertThat(Cli.run("--help").done().out()).contains("beacons");
    }

    @Test
    void aProblemOfThePartIsTheNodesProblem() {
        Node node = cluster.node(new BrokenLighthouse());

        assertThat(node.health().ok()).isFalse();
        assertThat(node.health().detail()).isEqualTo("beacons: fog has no colour: no lamp");
    }

    @Test
    void aDeadNodesLightsAreReleasedInTheTransactionThatDeclaresItDead() throws SQLException {
        Node dead = cluster.node(new Lighthouse());
        Node alive = cluster.node(new Lighthouse());
        dead.crash();

        await().atMost(SOON).until(() -> BeaconSubsystem.DIARY.contains(alive.id() + " released " + dead.id()));

        assertThat(lights()).extracting(Light::node).containsExactly(alive.id());
        assertThat(read("SELECT xact FROM put_out WHERE node = '" + dead.id() + "'"))
                .isEqualTo(
                        read("SELECT xmin::text FROM muster_nodes WHERE status = 'dead' AND id = '" + dead.id() + "'"));
    }

    @LongTest(
            twin = BeaconSubsystemIT.class,
            test = "aDeadNodesLightsAreReleasedInTheTransactionThatDeclaresItDead",
            why = "a subsystem that fails then")
    @Test
    void aNodeWhoseLightsCannotBeReleasedIsNotDead() throws SQLException {
        Node dead = cluster.node(new Lighthouse());
        Node alive = cluster.node(new Lighthouse());
        execute("ALTER TABLE put_out RENAME TO elsewhere");
        dead.crash();

        await().atMost(SOON).until(() -> BeaconSubsystem.DIARY.contains(alive.id() + " releases " + dead.id()));
        assertThat(read("SELECT status FROM muster_nodes WHERE id = '" + dead.id() + "'"))
                .isNotEqualTo("dead");
        assertThat(lights()).hasSize(2);
        execute("ALTER TABLE elsewhere RENAME TO put_out");

        await().atMost(SOON).until(() -> lights().size() == 1);
        assertThat(read("SELECT status FROM muster_nodes WHERE id = '" + dead.id() + "'"))
                .isEqualTo("dead");
    }

    @Test
    void thePartIsToldOfADrainBeforeJobsEndAndStopsAfterThem() throws InterruptedException {
        Night night = new Night();
        Node node = cluster.node(new Lighthouse(), night);
        cluster.jobs().enqueue("watch", null);
        night.began.await();

        cluster.client().drainNode(node.id());
        await().atMost(SOON).until(() -> BeaconSubsystem.DIARY.contains(node.id() + " prepareToStop"));
        night.over.countDown();
        await().atMost(SOON).until(() -> BeaconSubsystem.DIARY.contains(node.id() + " stop"));

        // Nodes of other tests keep the same diary.
        assertThat(BeaconSubsystem.DIARY)
                .filteredOn(entry -> entry.startsWith(node.id() + " ") || entry.equals("watch ended"))
                .containsExactly(
                        node.id() + " start", node.id() + " prepareToStop", "watch ended", node.id() + " stop");
        await().atMost(SOON).until(() -> lights().isEmpty());
    }

    @Test
    void aFrozenNodeThatComesBackIsSuspendedAndResumes() {
        Node frozen = cluster.node(new Lighthouse());
        Node alive = cluster.node(new Lighthouse());
        frozen.freeze();
        await().atMost(SOON).until(() -> BeaconSubsystem.DIARY.contains(alive.id() + " released " + frozen.id()));
        frozen.thaw();

        await().atMost(SOON).until(() -> BeaconSubsystem.DIARY.contains(frozen.id() + " resume"));

        assertThat(BeaconSubsystem.DIARY.indexOf(frozen.id() + " suspend"))
                .isBetween(0, BeaconSubsystem.DIARY.indexOf(frozen.id() + " resume"));
    }

    @Test
    void wrongMethodsAndUnknownApisAreNamed() {
        class Wrong {
            @Beacon("wide")
            String wide(int angle) {
                return "white";
            }
        }
        MusterBuilder builder = Muster.builder();

        assertThatThrownBy(() -> builder.register(new Wrong()))
                .isInstanceOf(MusterException.class)
                .hasMessage("@Beacon on Wrong.wide: a beacon is a method without parameters");
        assertThatThrownBy(() -> builder.register("no handlers"))
                .isInstanceOf(MusterException.class)
                .hasMessage(
                        "java.lang.String has no method annotated with @Job, @Cron, @Daemon, @Workflow, @Compensation, @Query,"
                                + " @Mutation or @Beacon");
        assertThatThrownBy(() -> cluster.client().api(String.class))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("no subsystem has the API java.lang.String")
                .hasMessageContaining("dev.muster.beacon.Beacons");
    }
}
