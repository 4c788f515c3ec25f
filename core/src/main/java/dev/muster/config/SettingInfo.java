package dev.muster.config;

/**
 * One setting as it is defined, whatever its value.
 *
 * @param key the section and name, "worker.lease"
 * @param variable the environment variable that sets it, "MUSTER_WORKER_LEASE"
 * @param defaultValue the value when no source gives one, as it would be written; empty: none
 * @param allowed what values it takes, in words
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
