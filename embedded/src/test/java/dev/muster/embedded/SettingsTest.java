package dev.muster.embedded;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SettingsTest {
    private final Settings settings = new Settings();

    @Test
    void refusesWhatTheServerDependsOn() {
        assertThatThrownBy(() -> settings.put("Port", "5432")).hasMessageContaining("use port(int)");
        assertThatThrownBy(() -> settings.put("listen_addresses", "*")).hasMessageContaining("cannot be changed");
    }

    @Test
    void refusesWhatWouldBecomeAnotherSetting() {
        assertThatThrownBy(() -> settings.put("work_mem", "1MB\nport = 1")).hasMessageContaining("work_mem");
        assertThatThrownBy(() -> settings.put("a = 1 #", "1")).hasMessageContaining("'a = 1 #'");
    }
}
