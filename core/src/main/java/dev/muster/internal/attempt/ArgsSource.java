package dev.muster.internal.attempt;

import dev.muster.job.JobId;
import java.util.List;
import java.util.Optional;

/** Supplies the args of jobs for which only a reference is stored: the tasks of graphs, whose inputs contain results of other tasks. */
@FunctionalInterface
public interface ArgsSource {

    /**
     * The args of a job that is about to run; empty if its args are not such a reference. Called for each attempt.
     *
     * @param stored the args as they are stored
     * @throws dev.muster.job.UnreadablePayload if a part of them cannot be decrypted
     * @throws BadArgs if they cannot be supplied, which no retry can change
     */
    Optional<OpenArgs> open(JobId job, String stored);

    /** Asks these sources in turn. */
    static ArgsSource of(List<ArgsSource> sources) {
        return (job, stored) -> {
            for (ArgsSource source : sources) {
                Optional<OpenArgs> args = source.open(job, stored);
                if (args.isPresent()) {
                    return args;
                }
            }
            return Optional.empty();
        };
    }
}
