package dev.muster.config;

import java.util.Optional;

/**
 * One problem with the settings.
 *
 * @param key the setting it is about, "worker.lease"; empty if it is about a whole source
 * @param source where the value came from: "muster.toml", "MUSTER_WORKER_LEASE", "builder", "default"
 * @param message one line for people: the key, the value, its source, what is allowed
 */
public record ConfigProblem(Optional<String> key, String source, String message) {

    @Override
    public String toString() {
        return message;
    }
}
