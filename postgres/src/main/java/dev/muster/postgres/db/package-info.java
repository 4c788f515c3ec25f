/**
 * Connections, transactions, the control connection, and the texts of statements: what every other package of this module uses. The
 * rules are in {@link dev.muster.postgres}.
 */
@NullMarked
package dev.muster.postgres.db;

import org.jspecify.annotations.NullMarked;
