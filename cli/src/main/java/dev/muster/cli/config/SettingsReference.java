package dev.muster.cli.config;

import dev.muster.config.MusterConfig;
import dev.muster.config.SettingInfo;

/** All settings as a page of Markdown. */
final class SettingsReference {
    private static final String HEAD = """
            # Settings

            <!-- Made by ./muster config docs > docs/settings.md; change the settings, not this page. -->

            Defaults, then `muster.toml`, then the environment, then what the code says: the last one wins, setting by setting. See
            [running.md](running.md#settings). In `muster.toml` text and durations stand in quotes:

            ```toml
            [worker]
            concurrency = 32
            lease = "45s"
            ```

            Durations are a number and a unit: `250ms`, `30s`, `15m`, `24h`, `7d`.
            """;

    private SettingsReference() {}

    static String markdown() {
        StringBuilder page = new StringBuilder(HEAD);
        String section = "";
        for (SettingInfo setting : MusterConfig.settings()) {
            if (!setting.section().equals(section)) {
                section = setting.section();
                page.append("\n## ").append(section).append("\n\n");
                page.append("| key | environment | default | allowed | meaning |\n");
                page.append("| --- | --- | --- | --- | --- |\n");
            }
            page.append("| `").append(setting.key()).append("` | `").append(setting.variable());
            page.append("` | ").append(fallback(setting));
            page.append(" | ").append(cell(setting.allowed()));
            page.append(" | ").append(cell(setting.description()));
            page.append(setting.secret() ? "; never shown |\n" : " |\n");
        }
        page.append("\n## Settings that must fit each other\n\n");
        MusterConfig.rules().forEach(rule -> page.append("- ").append(rule).append("\n"));
        return page.toString();
    }

    private static String fallback(SettingInfo setting) {
        return setting.defaultValue().isEmpty() ? "none" : "`" + setting.defaultValue() + "`";
    }

    /** Escapes bars, which would begin the next cell. */
    private static String cell(String text) {
        return text.replace("|", "\\|");
    }
}
