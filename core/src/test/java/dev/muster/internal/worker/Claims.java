package dev.muster.internal.worker;

import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.ClaimedJob;
import dev.muster.job.BackoffPolicy;
import dev.muster.job.JobHandler;
import dev.muster.job.JobId;
import dev.muster.job.Lane;
import dev.muster.job.Priority;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/** Claims to test with; the number is the time they were claimed at. */
final class Claims {
    private static final Lane LANE = new Lane("default", "");
    private static final Duration LONG = Duration.ofHours(1);

    private Claims() {}

    static OpenClaim ordinary(int number) {
        return claim(number, false);
    }

    /** One that may run only while no other of its kind does. */
    static OpenClaim alone(int number) {
        return claim(number, true);
    }

    /** One that takes up one of a limited number of places. */
    static OpenClaim keepingPlace(int number) {
        ClaimedJob job = ordinary(number).job().keepingPlace();
        return new OpenClaim(job, ordinary(number).handler(), TestExecutors.idle(), number, LONG, LONG);
    }

    /** One of a job that belongs to this group. */
    static OpenClaim inGroup(int number, String group) {
        ClaimedJob job = ordinary(number).job();
        ClaimedJob grouped = new ClaimedJob(
                job.claim(),
                job.timeline(),
                job.name(),
                job.lane(),
                job.attempt(),
                job.maxAttempts(),
                job.maxCrashes(),
                job.crashes(),
                job.suspect(),
                job.timeout(),
                job.args(),
                job.metadata(),
                job.waitedMicros(),
                job.keepsPlace(),
                group,
                job.trace());
        return new OpenClaim(grouped, ordinary(number).handler(), TestExecutors.idle(), number, LONG, LONG);
    }

    /** Claims 0 to 2 are ordinary, 3 to 5 run alone. */
    static List<OpenClaim> threeOrdinaryAndThreeAlone() {
        return IntStream.range(0, 6)
                .mapToObj(number -> number < 3 ? ordinary(number) : alone(number))
                .toList();
    }

    private static OpenClaim claim(int number, boolean alone) {
        ClaimRef ref = new ClaimRef(JobId.of(new UUID(0x7000, 0x8000000000000000L + number)), number);
        ClaimedJob job = new ClaimedJob(ref, 1, "job", LANE, 1, null, null, alone ? 1 : 0, alone, null, "null", null);
        JobHandler handler = new JobHandler(
                "job", LANE, Priority.NORMAL, BackoffPolicy.DEFAULT, null, null, (context, args) -> null);
        return new OpenClaim(job, handler, TestExecutors.idle(), number, LONG, LONG);
    }
}
