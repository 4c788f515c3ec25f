/** Lines of jobs in PostgreSQL; {@link dev.muster.line} describes states and rules, {@code R__functions_lines.sql} admits jobs. */
@NullMarked
package dev.muster.postgres.lines;

import org.jspecify.annotations.NullMarked;
