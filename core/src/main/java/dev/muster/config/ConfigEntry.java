package dev.muster.config;

/**
 * One setting as it stands, for people to look at.
 *
 * @param key the section and name, "worker.lease"
 * @param value the value as it would be written; "******" for a secret that is set, empty for what is absent
 * @param source where the value came from: "default", "muster.toml", "MUSTER_WORKER_LEASE", "builder"
 * @param description what the setting does, in one line
 * @param secret whether the value is hidden
 */
public record ConfigEntry(String key, String value, String source, String description, boolean secret) {}
