package dev.muster.postgres.internal.db;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Statements that wait for the control connection at the same time and are worth sending as one. Each of them means the same
 * alone: if the joint statement fails, each is sent by itself.
 */
public interface StatementGroup {

    /** Finds groups among the statements that wait. */
    interface Finder {
        /** Finds no group: every statement is sent by itself. */
        Finder NONE = new Finder() {
            @Override
            public boolean isBegun(Collection<? extends Database.Work<?>> waiting) {
                return false;
            }

            @Override
            public Optional<StatementGroup> among(Collection<? extends Database.Work<?>> waiting) {
                return Optional.empty();
            }
        };

        /** Whether some members of a group are waiting, and not all. */
        boolean isBegun(Collection<? extends Database.Work<?>> waiting);

        /** The group whose members are all waiting, if there is one. */
        Optional<StatementGroup> among(Collection<? extends Database.Work<?>> waiting);
    }

    /** Takes the answer to one member from the answer to all. */
    interface Answers {
        <T> T to(Database.Work<T> member) throws SQLException;
    }

    /** What is done with the answers. */
    interface Reader {
        void read(Answers answers) throws SQLException;
    }

    boolean contains(Database.Work<?> statement);

    /** Sends one statement for all members, and hands over the answers. */
    void ask(Connection connection, Reader reader) throws SQLException;

    /** The members in the order in which to send them one by one after the joint statement failed like this. */
    List<? extends Database.Work<?>> apart(SQLException failure);
}
