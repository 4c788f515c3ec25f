package dev.muster.config;

/**
 * The definition of one setting.
 *
 * @param key the section and name, "worker.lease"
 * @param variable the environment variable that sets it, "MUSTER_WORKER_LEASE"
 * @param defaultValue the value if no source gives one, as it would be written; empty if there is none
 * @param allowed the allowed values, in words
 * @param description what it does, in one line
 * @param secret whether its value is never shown
 */
public record SettingInfo(
        String key, String variable, String defaultValue, String allowed, String description, boolean secret) {

    static <T> SettingInfo of(Setting<T> setting) {
        return new SettingInfo(
                setting.key(),
                setting.variable(),
                setting.type().show(setting.fallback()),
                setting.type().allowed(),
                setting.description(),
                setting.secret());
    }

    /** The first part of the key, "worker". */
    public String section() {
        return key.substring(0, key.indexOf('.'));
    }
}
