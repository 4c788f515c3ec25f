package dev.muster.internal.runtime;

import java.sql.Connection;
import java.sql.SQLException;

/** Gives user code connections to Muster's database. */
@FunctionalInterface
public interface ConnectionSource {

    /** Returns a connection in autocommit mode; the caller closes it. */
    Connection get() throws SQLException;
}
