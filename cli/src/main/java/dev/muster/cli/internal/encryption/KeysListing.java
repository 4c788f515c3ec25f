package dev.muster.cli.internal.encryption;

import dev.muster.cli.internal.config.SettingsOptions;
import dev.muster.cli.internal.console.ExitCode;
import dev.muster.cli.internal.console.OutputOption;
import dev.muster.cli.internal.console.Table;
import dev.muster.cli.internal.database.Session;
import dev.muster.config.EncryptionConfig;
import dev.muster.config.MusterConfig;
import dev.muster.document.internal.JsonObjectWriter;
import dev.muster.job.payload.EncryptionKeyUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows which keys are needed, for the command and for its group, which has no other. */
abstract class KeysListing implements Callable<Integer> {
    @Option(names = "--history", description = "Count ended jobs too; they need their key to be shown or retried.")
    private boolean history;

    @Mixin
    private SettingsOptions settings;

    @Mixin
    private OutputOption output;

    @Override
    public Integer call() {
        MusterConfig config = settings.load();
        EncryptionConfig encryption = config.encryption();
        try (Session session = Session.forTables(config)) {
            List<EncryptionKeyUse> uses = withUnused(session.admin().encryptionKeyUses(history), encryption);
            output.print(() -> document(uses, encryption), () -> table(uses, encryption));
        }
        return ExitCode.DONE;
    }

    /** Adds the keys in the settings that no stored data needs. */
    private List<EncryptionKeyUse> withUnused(List<EncryptionKeyUse> uses, EncryptionConfig encryption) {
        List<EncryptionKeyUse> all = new ArrayList<>();
        for (String id : encryption.keys().keySet()) {
            if (uses.stream().noneMatch(use -> use.key().equals(Optional.of(id)))) {
                all.add(new EncryptionKeyUse(
                        Optional.of(id), 0, 0, 0, 0, 0, history ? Optional.of(0L) : Optional.empty()));
            }
        }
        all.addAll(0, uses);
        return all;
    }

    private static String here(Optional<String> key, EncryptionConfig encryption) {
        if (key.isEmpty()) {
            return "-";
        }
        if (key.equals(encryption.activeKey())) {
            return "active";
        }
        return encryption.keys().containsKey(key.get()) ? "known" : "missing";
    }

    private static List<@Nullable Object> document(List<EncryptionKeyUse> uses, EncryptionConfig encryption) {
        return JsonObjectWriter.list(uses, use -> document(use, encryption));
    }

    private static Map<String, @Nullable Object> document(EncryptionKeyUse use, EncryptionConfig encryption) {
        return new JsonObjectWriter()
                .put("key", use.key())
                .put("encrypted", use.key().isPresent())
                .put("active", use.key().isPresent() && use.key().equals(encryption.activeKey()))
                .put("known", use.key().filter(encryption.keys()::containsKey).isPresent())
                .put("live_jobs", use.liveJobs())
                .put("crons", use.crons())
                .put("live_runs", use.liveRuns())
                .put("live_graphs", use.liveGraphs())
                .put("idempotency_keys", use.idempotencyKeys())
                .putIfPresent("ended_jobs", use.endedJobs())
                .done();
    }

    private static String table(List<EncryptionKeyUse> uses, EncryptionConfig encryption) {
        if (uses.isEmpty()) {
            return "no keys, and nothing is stored";
        }
        Table table = new Table(
                "KEY", "HERE", "LIVE JOBS", "CRONS", "LIVE RUNS", "LIVE GRAPHS", "IDEMPOTENCY KEYS", "ENDED JOBS");
        for (EncryptionKeyUse use : uses) {
            table.row(
                    use.key().orElse("(plain text)"),
                    here(use.key(), encryption),
                    use.liveJobs(),
                    use.crons(),
                    use.liveRuns(),
                    use.liveGraphs(),
                    use.idempotencyKeys(),
                    use.endedJobs().map(String::valueOf).orElse("not counted"));
        }
        return table.toString();
    }
}
