package dev.muster.bench.contender;

/** One system that is measured. */
public interface Contender {

    /** As in the report: lower-case letters, digits and underscores. */
    String name();

    /** What it is to the report. */
    Kind kind();

    /** Which product, in which version and set-up, for the report. */
    String about();

    /**
     * The part of a scenario's jobs that it gets, above 0 to 1. What is compared are rates, and a slow system shows
     * its rate with fewer jobs.
     */
    default double share() {
        return 1;
    }

    /** Creates its tables in an empty database and gets ready to take jobs; runs none yet. */
    Site open(String url) throws Exception;

    /** Part a contender plays. */
    enum Kind {
        /** Plain SQL: what the database can do. */
        FLOOR,
        MUSTER,
        /** Another product that runs jobs. */
        PEER,
        /** Another product that runs durable workflows: its jobs are runs of {@link FiveSteps}. */
        WORKFLOW_PEER
    }
}
