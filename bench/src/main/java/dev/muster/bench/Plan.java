package dev.muster.bench;

import java.time.Duration;
import java.util.List;

/**
 * How much is measured.
 *
 * @param warmUp how long each contender warms up in rounds that do not count: one of them at least, unless it is zero
 * @param rounds rounds after the warm-up, where contenders take turns
 * @param jobs jobs of a backlog
 * @param delays jobs whose start is timed, for each latency
 * @param horizonJobs jobs of the pinned database at least, over all windows
 * @param window length of a window at least
 * @param windows windows of each of the two databases; the first is not counted
 * @param backlogs numbers of pending jobs to claim from
 * @param claims claims that are timed at each of them
 * @param processes numbers of node processes
 * @param nodesJobs jobs for the processes to share while they are timed
 * @param sleepers numbers of node processes for jobs that sleep
 * @param sleeping how long the sleepers are watched
 * @param idle how long an idle node is watched, after it has settled for half of that
 * @param memory how long a node is watched under load
 * @param starts starts that are timed
 */
record Plan(
        Duration warmUp,
        int rounds,
        int jobs,
        int delays,
        int horizonJobs,
        Duration window,
        int windows,
        List<Integer> backlogs,
        int claims,
        List<Integer> processes,
        int nodesJobs,
        List<Integer> sleepers,
        Duration sleeping,
        Duration idle,
        Duration memory,
        int starts) {

    /** What published figures are made with. */
    static Plan full() {
        return new Plan(
                Duration.ofSeconds(30),
                5,
                200_000,
                300,
                1_500_000,
                Duration.ofSeconds(10),
                6,
                List.of(1_000, 1_000_000, 10_000_000),
                200,
                List.of(1, 2, 4),
                800_000,
                List.of(1, 3, 10),
                Duration.ofSeconds(15),
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                7);
    }

    /** A look at everything within a few minutes. */
    static Plan quick() {
        return new Plan(
                Duration.ofSeconds(1),
                2,
                20_000,
                60,
                60_000,
                Duration.ofSeconds(2),
                3,
                List.of(1_000, 100_000, 500_000),
                50,
                List.of(1, 2, 4),
                40_000,
                List.of(1, 3, 10),
                Duration.ofSeconds(3),
                Duration.ofSeconds(20),
                Duration.ofSeconds(8),
                2);
    }

    /** The least that shows that every scenario works; its figures mean nothing. */
    static Plan tiny() {
        return new Plan(
                Duration.ZERO,
                1,
                200,
                3,
                300,
                Duration.ofMillis(150),
                2,
                List.of(1_000, 2_000),
                3,
                List.of(2),
                600,
                List.of(1),
                Duration.ofMillis(300),
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                1);
    }

    Plan withJobs(int jobs) {
        return new Plan(
                warmUp,
                rounds,
                jobs,
                delays,
                horizonJobs,
                window,
                windows,
                backlogs,
                claims,
                processes,
                nodesJobs,
                sleepers,
                sleeping,
                idle,
                memory,
                starts);
    }

    Plan withRounds(int rounds) {
        return new Plan(
                warmUp,
                rounds,
                jobs,
                delays,
                horizonJobs,
                window,
                windows,
                backlogs,
                claims,
                processes,
                nodesJobs,
                sleepers,
                sleeping,
                idle,
                memory,
                starts);
    }
}
