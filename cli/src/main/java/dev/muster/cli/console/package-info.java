/** What commands print with: tables, JSON, log lines, and errors that carry an exit code. */
@NullMarked
package dev.muster.cli.console;

import org.jspecify.annotations.NullMarked;
