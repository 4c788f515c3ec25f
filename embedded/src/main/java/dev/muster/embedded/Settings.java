package dev.muster.embedded;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The contents of postgresql.conf: the settings that each embedded server needs, then the caller's own. */
final class Settings {
    private static final Set<String> OURS = Set.of(
            "port",
            "listen_addresses",
            "unix_socket_directories",
            "data_directory",
            "config_file",
            "logging_collector");

    private final Map<String, String> own = new LinkedHashMap<>();

    void put(String name, String value) {
        if (!name.matches("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?")) {
            throw new IllegalArgumentException("'" + name + "' is not the name of a PostgreSQL setting");
        }
        if (OURS.contains(name.toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException("The setting " + name + " is reserved for the embedded server"
                    + (name.equalsIgnoreCase("port") ? ": use port(int)" : ": it cannot be changed"));
        }
        if (value.chars().anyMatch(c -> c < ' ')) {
            throw new IllegalArgumentException("The value of " + name + " has a line break or control character in it");
        }
        own.put(name.toLowerCase(Locale.ROOT), value);
    }

    String file(boolean durable) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("listen_addresses", "127.0.0.1");
        all.put("unix_socket_directories", "");
        all.put("max_connections", "200");
        all.put("timezone", "UTC");
        all.put("log_timezone", "UTC");
        all.put("log_min_messages", "warning");
        all.put("log_line_prefix", "%m [%p] %d %a ");
        all.put("shared_buffers", durable ? "256MB" : "128MB");
        all.put("fsync", durable ? "on" : "off");
        all.put("full_page_writes", durable ? "on" : "off");
        // Costs nothing without fsync. If it were off, stopImmediate() would lose the last commits, and a crash of the
        // server alone must not do that.
        all.put("synchronous_commit", "on");
        all.put("max_wal_size", durable ? "4GB" : "256MB");
        if (!durable) {
            // Saves the start of three processes.
            all.put("io_method", "sync");
            // In the data folder, so that a server killed in a test leaves nothing outside it.
            all.put("dynamic_shared_memory_type", "mmap");
        }
        all.putAll(own);
        return all.entrySet().stream()
                .map(setting -> setting.getKey() + " = '" + escaped(setting.getValue()) + "'\n")
                .collect(Collectors.joining(
                        "", "# Written by Muster at each start. To keep a change, use ALTER SYSTEM.\n", ""));
    }

    private static String escaped(String value) {
        return value.replace("\\", "\\\\").replace("'", "''");
    }
}
