/** The options for settings, and the commands that check, show and describe settings and show how they route a job. */
@NullMarked
package dev.muster.cli.internal.config;

import org.jspecify.annotations.NullMarked;
