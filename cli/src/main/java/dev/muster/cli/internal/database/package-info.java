/** A command's access to the database, and {@code muster migrate}. */
@NullMarked
package dev.muster.cli.internal.database;

import org.jspecify.annotations.NullMarked;
