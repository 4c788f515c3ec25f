package dev.muster.internal.attempt;

/**
 * Args that are ready for the handler. A handler's body that {@linkplain dev.muster.job.JobHandler.Body#bindsArgs binds
 * its args itself} gets this.
 *
 * @param json the args
 * @param sealed whether they, or a part of them, are stored in an envelope; then no error may quote them
 */
public record OpenArgs(String json, boolean sealed) {}
