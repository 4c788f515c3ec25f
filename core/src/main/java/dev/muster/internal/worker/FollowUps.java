package dev.muster.internal.worker;

import dev.muster.job.Lane;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What a worker does once the outcome of a claim is written.
 *
 * @param reports tells listeners what became of it
 * @param dependents frees jobs that waited for a job that has ended
 * @param returned told of lanes in which jobs have become claimable
 * @param returnedLater told of lanes in which jobs become claimable, and when
 * @param admit fills places in these groups that jobs have left
 */
record FollowUps(
        OutcomeReports reports,
        Dependents dependents,
        Consumer<Set<Lane>> returned,
        Consumer<Map<Lane, Duration>> returnedLater,
        Consumer<Set<String>> admit) {}
