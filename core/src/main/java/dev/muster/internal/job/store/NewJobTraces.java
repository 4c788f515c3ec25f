package dev.muster.internal.job.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says which trace new jobs belong to. */
public interface NewJobTraces {
    NewJobTraces NONE = jobs -> null;

    /**
     * Jobs are about to be written, on the calling thread.
     *
     * @return null if they get no trace
     */
    @Nullable
    Writing publish(List<NewJob> jobs);

    /** The span around the writing of jobs. */
    interface Writing {

        /** The traceparent for jobs that carry none yet; null if none is to be written. */
        @Nullable
        String trace();

        /**
         * Called once, on the thread that published.
         *
         * @param failure why the jobs were not written; null if they were
         */
        void end(@Nullable Throwable failure);
    }
}
