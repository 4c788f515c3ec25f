package dev.muster.bench.contender;

/** A contender at work on one database. */
public interface Site extends AutoCloseable {

    /** Enqueues jobs in one transaction, due at once. Called by several threads. */
    void enqueue(int first, int count) throws Exception;

    /** Starts to run jobs, telling of each. */
    Work start(Handled handled) throws Exception;

    /** How many jobs have not been done, as the database says. */
    long left() throws Exception;

    /** How many jobs did not leave in the database what they should have; asked when none is left. */
    default long wrong() throws Exception {
        return 0;
    }

    @Override
    void close();

    /** Jobs being run. */
    interface Work extends AutoCloseable {

        /** Takes no more jobs until {@link #resume}; those it has taken may continue. */
        void pause() throws Exception;

        void resume() throws Exception;

        @Override
        void close();
    }
}
