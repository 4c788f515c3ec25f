/** The output of commands: tables, JSON, logging, questions, and errors with an exit code. */
@NullMarked
package dev.muster.cli.internal.console;

import org.jspecify.annotations.NullMarked;
