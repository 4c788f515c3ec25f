package dev.muster.runtime;

import java.sql.Connection;
import java.sql.SQLException;

/** Where user code gets a connection to Muster's database. */
@FunctionalInterface
public interface ConnectionSource {

    /** A connection in autocommit mode; whoever asked for it closes it. */
    Connection get() throws SQLException;
}
