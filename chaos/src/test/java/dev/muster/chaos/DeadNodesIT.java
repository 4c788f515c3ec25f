package dev.muster.chaos;

import static org.awaitility.Awaitility.await;

import dev.muster.examples.Greetings.MyTask;
import dev.muster.job.JobId;
import dev.muster.job.JobRequest;
import dev.muster.testing.LongTest;
import dev.muster.testing.Measured;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How soon others run the jobs of a node that died, with the settings that a user gets. */
@LongTest(
        twin = LostNodesIT.class,
        test = {"theJobsOfADeadNodeRunElsewhere", "theJobsOfTheOnlyNodeThatMayLeadRunElsewhere"},
        why = "the thresholds that a user gets, in real time, and how soon others run the jobs")
class DeadNodesIT extends ChaosIT {
    private static final Logger log = LoggerFactory.getLogger(DeadNodesIT.class);
    private static final Duration DEAD_THRESHOLD = Duration.ofSeconds(15);
    private static final Duration PATIENTLY = Duration.ofSeconds(90);
    private static final Map<String, String> WORKER = Map.of("node.mode", "worker");

    private NodeProcess start(String id, Map<String, String> settings) {
        return launchWithDefaults(id, settings).awaitReady();
    }

    /** The nodes together know the database to have been there for the dead threshold. */
    private void awaitUpForTheDeadThreshold() {
        await().atMost(PATIENTLY)
                .until(() -> database.number("SELECT count(*) FROM muster_nodes WHERE in_touch_since <"
                                + " clock_timestamp() - interval '" + DEAD_THRESHOLD.toSeconds() + " s'")
                        > 0);
    }

    /** A job that is held on this node, and that every other node lets through. */
    private JobId heldOn(String node) {
        JobId[] held = new JobId[1];
        await("a job held on " + node).atMost(PATIENTLY).until(() -> {
            JobId id = jobs().enqueue(Probe.held(JobRequest.of("my_task", new MyTask("held on " + node)), node));
            await().atMost(PATIENTLY).until(() -> entries(id) > 0);
            held[0] = id;
            return witness.steps(id.value(), node).contains("entered");
        });
        return held[0];
    }

    /** How long it takes until the job is entered a second time. */
    private Duration untilEnteredElsewhere(String what, JobId id, Runnable fault) {
        fault.run();
        return measured(what, () -> entries(id) > 1);
    }

    private static Duration measured(String what, Supplier<Boolean> condition) {
        long start = System.nanoTime();
        await(what)
                .atMost(Duration.ofSeconds(90))
                .pollInterval(Duration.ofMillis(50))
                .until(condition::get);
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        log.info("{}: {} ms", what, took.toMillis());
        return took;
    }

    /** All in one cluster: an idle node, a judge whose heartbeats are slow, the only node that may lead. */
    @Test
    void theJobsOfADeadNodeRunElsewhereWhoeverItWasAndWhoeverJudges() {
        NodeProcess leader = start("leader", Map.of());
        NodeProcess idle = launchWithDefaults("idle", Map.of("node.mode", "worker", "node.capabilities", "fragile"));
        NodeProcess busy = launchWithDefaults("busy", WORKER);
        launchWithDefaults("last", WORKER).awaitReady();
        idle.awaitReady();
        busy.awaitReady();
        awaitUpForTheDeadThreshold();

        anIdleNodeDiesOfTheFirstJobItClaims(idle);
        aNodeDiesWhileTheHeartbeatsOfItsJudgeAreSlow(busy);
        theOnlyNodeThatMayLeadDies(leader);
    }

    /** Its row says that it will be silent for long; it dies before its next heartbeat. */
    private void anIdleNodeDiesOfTheFirstJobItClaims(NodeProcess idle) {
        await("a long interval")
                .atMost(PATIENTLY)
                .until(() -> database.number("SELECT count(*) FROM muster_nodes WHERE id = 'idle' AND"
                                + " heartbeat_interval >= interval '20 s'")
                        == 1);
        JobId id = jobs().enqueue(JobRequest.of("crash", null).capability("fragile"));
        idle.exitCode(PATIENTLY);

        Duration took =
                measured("an idle node's job is free", () -> job(id).node().isEmpty());

        Measured.within(DEAD_THRESHOLD.plusSeconds(5), took, "an idle node's job is free");
        jobs().cancel(id);
    }

    private void aNodeDiesWhileTheHeartbeatsOfItsJudgeAreSlow(NodeProcess busy) {
        JobId id = heldOn("busy");
        database.execute("CREATE SEQUENCE beats");
        database.execute("CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.id = 'leader'"
                + " AND nextval('beats') % 2 = 0 THEN PERFORM pg_sleep(2.2); END IF; RETURN NEW; END $$");
        database.execute("CREATE TRIGGER slow BEFORE UPDATE ON muster_nodes FOR EACH ROW EXECUTE FUNCTION slow()");

        Duration took = untilEnteredElsewhere("a job judged with slow heartbeats", id, busy::kill9);

        Measured.within(Duration.ofSeconds(30), took, "a job judged with slow heartbeats");
        database.execute("DROP TRIGGER slow ON muster_nodes");
    }

    private void theOnlyNodeThatMayLeadDies(NodeProcess leader) {
        JobId id = heldOn("leader");

        Duration took = untilEnteredElsewhere("a job of the only leader", id, leader::kill9);

        Measured.within(Duration.ofSeconds(20), took, "a job of the only leader");
    }

    /** A leader that stands still holds its lock and its sessions. */
    @Test
    void theJobsOfAFrozenLeaderRunElsewhere() {
        NodeProcess leader = start("leader", Map.of());
        start("other", Map.of());
        awaitUpForTheDeadThreshold();
        JobId id = heldOn("leader");

        Duration took = untilEnteredElsewhere("a job of a frozen leader", id, leader::stop);

        Measured.within(DEAD_THRESHOLD.plusSeconds(5), took, "a job of a frozen leader");
        leader.kill9();
    }

    /** As in a rolling deployment: all nodes are younger than any threshold, but the cluster is not. */
    @Test
    void aNodeThatDiesJustAfterEveryoneWasReplacedIsFoundInTime() {
        List<NodeProcess> old = List.of(start("old-1", Map.of()), start("old-2", Map.of()));
        awaitUpForTheDeadThreshold();
        List<NodeProcess> fresh = new ArrayList<>();
        for (NodeProcess leaving : old) {
            fresh.add(start("new-" + fresh.size(), Map.of()));
            leaving.terminate();
            leaving.exitCode(PATIENTLY);
        }
        JobId id = heldOn("new-0");

        Duration took = untilEnteredElsewhere("a job after everyone was replaced", id, fresh.get(0)::kill9);

        Measured.within(DEAD_THRESHOLD.plusSeconds(5), took, "a job after everyone was replaced");
    }
}
