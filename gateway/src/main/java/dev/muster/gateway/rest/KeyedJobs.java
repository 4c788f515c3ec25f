package dev.muster.gateway.rest;

import dev.muster.gateway.route.Call;
import dev.muster.gateway.route.Refusal;
import dev.muster.job.EnqueueOutcomeUnknown;
import dev.muster.job.Enqueued;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobRequest;
import dev.muster.job.KeyConflict;
import dev.muster.node.NodeContext;
import dev.muster.node.UserTransactions;
import dev.muster.node.UserTransactions.LostCommit;
import dev.muster.node.UserTransactions.Transaction;
import dev.muster.runtime.DatabaseUnavailable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Enqueues the jobs of a tenant, all or none. A caller without a tenant may have taken a key that begins like those of this tenant: then
 * nothing is enqueued, and the tenant learns nothing of the job that holds the key.
 *
 * <p>Who holds the keys is known once the jobs are written, so they are written in a transaction. It is committed if every job that was
 * there before is known to be the tenant's; otherwise it is rolled back, those jobs are looked at, and it begins again. So a request never
 * waits for a second connection while it has one.
 */
final class KeyedJobs {
    private static final Duration LONGEST_STATEMENT = Duration.ofSeconds(30);

    private final Call call;
    private final List<JobRequest> requests;
    private final Set<JobId> own = new HashSet<>();

    private KeyedJobs(Call call, List<JobRequest> requests) {
        this.call = call;
        this.requests = requests;
    }

    static List<Enqueued> submit(Call call, List<JobRequest> requests) {
        return new KeyedJobs(call, requests).submit();
    }

    private List<Enqueued> submit() {
        while (true) {
            List<Runnable> wakeUps = new ArrayList<>();
            Optional<List<Enqueued>> enqueued = tryOnce(wakeUps);
            if (enqueued.isPresent()) {
                wakeUps.forEach(Runnable::run);
                return enqueued.get();
            }
        }
    }

    /** Empty if jobs hold keys that were not looked at before; now they were. */
    private Optional<List<Enqueued>> tryOnce(List<Runnable> wakeUps) {
        NodeContext node = call.muster().context();
        Set<JobId> unknown;
        try {
            Transaction transaction = node.port(UserTransactions.class)
                    .begin(Connection.TRANSACTION_READ_COMMITTED, false, LONGEST_STATEMENT);
            List<Enqueued> enqueued;
            try {
                enqueued = node.jobsIn(transaction.connection(), wakeUps::add).submitAll(requests);
            } catch (RuntimeException | Error e) {
                transaction.rollback();
                throw e;
            }
            unknown = unknown(enqueued);
            if (unknown.isEmpty()) {
                commit(transaction, enqueued);
                return Optional.of(enqueued);
            }
            transaction.rollback();
        } catch (KeyConflict e) {
            requireOwn(Set.of(e.existing()));
            throw e;
        } catch (SQLException e) {
            throw new DatabaseUnavailable("the jobs could not be enqueued: " + e.getMessage(), e);
        }
        requireOwn(unknown);
        own.addAll(unknown);
        return Optional.empty();
    }

    /** The jobs that were there before this request. A key that the request has twice is held by a job of its own. */
    private Set<JobId> unknown(List<Enqueued> enqueued) {
        Set<JobId> created =
                enqueued.stream().filter(Enqueued::created).map(Enqueued::id).collect(Collectors.toSet());
        return enqueued.stream()
                .map(Enqueued::id)
                .filter(id -> !created.contains(id) && !own.contains(id))
                .collect(Collectors.toSet());
    }

    private static void commit(Transaction transaction, List<Enqueued> enqueued) throws SQLException {
        try {
            transaction.commit();
        } catch (LostCommit e) {
            throw new EnqueueOutcomeUnknown(enqueued.stream().map(Enqueued::id).toList(), e);
        }
    }

    private void requireOwn(Set<JobId> holders) {
        JobQuery query = Tenancy.of(call).confine(JobQuery.all().ids(holders).limit(holders.size()));
        if (call.muster().jobs().list(query).size() < holders.size()) {
            throw Refusal.of(
                    409,
                    "key_conflict",
                    "a key is held by a job that is not your tenant's, or is given twice with other arguments");
        }
    }
}
