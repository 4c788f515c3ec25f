package dev.muster.postgres.jobs;

import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.postgres.db.Params;
import dev.muster.postgres.db.SqlFiles;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * A {@link JobQuery} as a WHERE clause that contains only the given filters, so that an index can serve it. Who names no job gets no drivers of
 * workflows: they are a part of their runs.
 */
public final class JobFilter {
    private final List<String> conditions = new ArrayList<>();
    private final List<Binding> bindings = new ArrayList<>();

    /** Binds one value. */
    @FunctionalInterface
    private interface Binding {
        void bind(Params params) throws SQLException;
    }

    /** Whether jobs that drive runs of workflows are selected. */
    private enum Drivers {
        ALWAYS,
        /** If the query has their name or their ids. */
        IF_NAMED,
        NEVER
    }

    JobFilter(JobQuery query) {
        this(query, query.before(), Drivers.IF_NAMED);
    }

    private JobFilter(JobQuery query, Optional<JobId> before, Drivers drivers) {
        if (!query.ids().isEmpty()) {
            List<UUID> ids = query.ids().stream().map(JobId::value).toList();
            add("id = ANY (?::uuid[])", params -> params.uuids(ids));
        }
        if (!query.statuses().isEmpty()) {
            List<String> statuses =
                    query.statuses().stream().map(JobStatus::text).toList();
            add("status = ANY (?::text[])", params -> params.texts(statuses));
        }
        query.name().ifPresent(name -> add("name = ?", params -> params.text(name)));
        query.queue().ifPresent(queue -> add("queue = ?", params -> params.text(queue)));
        if (!query.tags().isEmpty()) {
            add("tags IS NOT NULL AND tags @> ?::text[]", params -> params.texts(query.tags()));
        }
        for (Map.Entry<String, String> entry : query.metadata().entrySet()) {
            add(
                    "metadata IS NOT NULL AND metadata @> jsonb_build_object(?::text, ?::text)",
                    params -> params.text(entry.getKey()).text(entry.getValue()));
        }
        query.key().ifPresent(key -> add("key = ?", params -> params.text(key)));
        query.batch().ifPresent(batch -> add("batch_id = ?", params -> params.uuid(batch.value())));
        before.ifPresent(last -> add("id < ?", params -> params.uuid(last.value())));
        if (drivers == Drivers.NEVER
                || drivers == Drivers.IF_NAMED
                        && query.ids().isEmpty()
                        && query.name().isEmpty()) {
            add(SqlFiles.NO_DRIVER, params -> {});
        }
    }

    /** A filter for changes, which leaves the drivers of workflows alone: their runs would not know. */
    static JobFilter forChanges(JobQuery query) {
        return new JobFilter(query, query.before(), Drivers.NEVER);
    }

    /** As {@link #fromAnywhere}, for statements that leave out drivers themselves. */
    static JobFilter withDrivers(JobQuery query) {
        return new JobFilter(query, Optional.empty(), Drivers.ALWAYS);
    }

    /** A filter without {@link JobQuery#before}, for callers that set the start themselves. */
    static JobFilter fromAnywhere(JobQuery query) {
        return new JobFilter(query, Optional.empty(), Drivers.IF_NAMED);
    }

    private void add(String condition, Binding binding) {
        conditions.add(condition);
        bindings.add(binding);
    }

    /** The condition; {@code true} if there is no filter. */
    String condition() {
        return conditions.isEmpty() ? "true" : String.join(" AND ", conditions);
    }

    /** " WHERE …", or nothing. */
    String where() {
        return conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions);
    }

    /** " AND …", or nothing. */
    String and() {
        return conditions.isEmpty() ? "" : " AND " + String.join(" AND ", conditions);
    }

    void bind(Params params) throws SQLException {
        for (Binding binding : bindings) {
            binding.bind(params);
        }
    }
}
