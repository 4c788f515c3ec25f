package dev.muster.job;

/** Arguments that are JSON text already. They are checked when the job is enqueued. */
public record RawJson(String text) {}
