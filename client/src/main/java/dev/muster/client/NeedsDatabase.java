package dev.muster.client;

import dev.muster.runtime.MusterException;

/** What was asked for needs a connection to the database, which a client over HTTP does not have. */
public final class NeedsDatabase extends MusterException {
    private static final long serialVersionUID = 1L;

    /** @param what what needs the database, such as {@code a transaction of yours} */
    NeedsDatabase(String what) {
        super(what
                + " needs the database, and this client reaches the cluster over HTTP; use a Muster in the process, or --url"
                + " instead of --server on the command line");
    }
}
