package dev.muster.examples.feature;

import java.io.PrintStream;
import javax.sql.DataSource;

/** A program that shows one feature. Its class Javadoc ends with what it prints. */
interface Example {

    /**
     * Runs the example to its end.
     *
     * @param database an empty database; Muster creates its tables there
     */
    void run(DataSource database, PrintStream out) throws Exception;
}
