package dev.muster.config;

/**
 * One setting with its current value, for display.
 *
 * @param key the section and name, "worker.lease"
 * @param value the value as it would be written; "******" for a secret that is set, empty if there is no value
 * @param source where the value came from: "default", "muster.toml", "MUSTER_WORKER_LEASE", "builder"
 * @param description what the setting does, in one line
 * @param secret whether the value is hidden
 */
public record ConfigEntry(String key, String value, String source, String description, boolean secret) {}
