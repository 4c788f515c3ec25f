package dev.muster.job;

/** Arguments that are JSON text already. Checked when the job is enqueued. */
public record RawJson(String text) {}
