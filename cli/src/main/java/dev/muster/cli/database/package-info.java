/** The way from a command to its database, and the commands about its tables. */
@NullMarked
package dev.muster.cli.database;

import org.jspecify.annotations.NullMarked;
