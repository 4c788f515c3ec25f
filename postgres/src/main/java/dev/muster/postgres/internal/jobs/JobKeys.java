package dev.muster.postgres.internal.jobs;

import dev.muster.internal.job.payload.ArgsFingerprint;
import dev.muster.internal.job.store.NewJob;
import dev.muster.job.JobId;
import dev.muster.job.KeyConflict;
import dev.muster.job.UnreadablePayload;
import dev.muster.postgres.internal.db.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Idempotency keys: each key has one job, and repeated requests must have the same arguments. */
public final class JobKeys {
    private final Database database;

    JobKeys(Database database) {
        this.database = database;
    }

    /**
     * Takes the keys of these jobs; returns for each job with a key which job holds the key.
     *
     * @throws KeyConflict if a key is held by a job with other arguments
     */
    Map<JobId, JobId> take(Connection connection, List<NewJob> jobs) throws SQLException {
        Map<List<String>, NewJob> firstWith = new HashMap<>();
        List<NewJob> keyed = new ArrayList<>();
        for (NewJob job : jobs) {
            if (job.key() != null && firstWith.putIfAbsent(List.of(job.name(), job.key()), job) == null) {
                keyed.add(job);
            }
        }
        if (keyed.isEmpty()) {
            return Map.of();
        }
        keyed.sort(Comparator.comparing(NewJob::name).thenComparing(JobKeys::keyOf));
        Map<List<String>, JobId> owners = new HashMap<>();
        database.preparedQuery("jobs/keys")
                .with(p -> p.column("text", keyed, NewJob::name)
                        .column("text", keyed, NewJob::key)
                        .uuids(keyed.stream().map(j -> j.id().value()).toList())
                        .column("text", keyed, NewJob::args)
                        .column("text", keyed, of(ArgsFingerprint::keyId))
                        .column("text", keyed, of(ArgsFingerprint::hash)))
                .each(connection, row -> {
                    JobId owner = new JobId(row.getObject("job_id", UUID.class));
                    List<String> key = List.of(row.getString("name"), row.getString("key"));
                    if (!row.getBoolean("same_args")) {
                        compare(firstWith.get(key), owner, row.getString("args_kid"), row.getString("args_hash"));
                    }
                    owners.put(key, owner);
                });
        Map<JobId, JobId> holders = new HashMap<>();
        for (NewJob job : jobs) {
            if (job.key() != null) {
                List<String> key = List.of(job.name(), job.key());
                JobId owner = owners.get(key);
                if (!sameArgs(job, firstWith.get(key))) {
                    throw new KeyConflict(job.name(), shownKeyOf(job), owner);
                }
                holders.put(job.id(), owner);
            }
        }
        return holders;
    }

    private static String keyOf(NewJob job) {
        return String.valueOf(job.key());
    }

    private static String shownKeyOf(NewJob job) {
        return String.valueOf(job.shownKey());
    }

    private static Function<NewJob, @Nullable Object> of(Function<ArgsFingerprint, String> part) {
        return job -> job.fingerprint() == null ? null : part.apply(job.fingerprint());
    }

    /** The hashes differ because the args differ, or only because they were made with different encryption keys. */
    private static void compare(NewJob job, JobId owner, @Nullable String heldKeyId, String heldHash) {
        ArgsFingerprint own = job.fingerprint();
        try {
            if (own == null && heldKeyId != null) {
                throw new UnreadablePayload(heldKeyId, "this process encrypts nothing");
            }
            if (own == null || !own.matches(heldKeyId, heldHash)) {
                throw new KeyConflict(job.name(), shownKeyOf(job), owner);
            }
        } catch (UnreadablePayload e) {
            throw new KeyConflict(job.name(), shownKeyOf(job), owner, e);
        }
    }

    private static boolean sameArgs(NewJob one, NewJob other) {
        ArgsFingerprint a = one.fingerprint();
        ArgsFingerprint b = other.fingerprint();
        return a == null || b == null ? one.args().equals(other.args()) : a.matches(b.keyId(), b.hash());
    }
}
