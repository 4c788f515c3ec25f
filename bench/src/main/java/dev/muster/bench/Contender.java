package dev.muster.bench;

/** One system that is measured. */
interface Contender {

    /** As in the report: lower-case letters, digits and underscores. */
    String name();

    /** What it is to the report. */
    Kind kind();

    /** Creates its tables in an empty database and gets ready to take jobs; runs none yet. */
    Site open(String url) throws Exception;

    /** Part a contender plays. */
    enum Kind {
        /** Plain SQL: what the database can do. */
        FLOOR,
        MUSTER,
        /** Another product. */
        PEER
    }
}
