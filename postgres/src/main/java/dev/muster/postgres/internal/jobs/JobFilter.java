package dev.muster.postgres.internal.jobs;

import dev.muster.internal.job.store.TenantKey;
import dev.muster.job.JobId;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.Params;
import dev.muster.postgres.internal.db.SqlFiles;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A {@link JobQuery} as a WHERE clause that contains only the given filters, so that an index can serve it. Who names no job gets no drivers of
 * workflows: they are a part of their runs.
 */
public final class JobFilter {
    private static final String TENANT = "metadata ->> 'tenant'";
    private static final String POSITION = "(" + TENANT + ", id) %s (?::text, ?::uuid)";
    private static final String BEFORE = POSITION.formatted("<") + " AND " + TENANT + " >= ?";

    /**
     * The tenant to whose jobs the query is confined; null if it is not. Statements then walk along the indexes muster_jobs_tenant and
     * muster_job_history_tenant, which have the jobs of tenants alone. They name the tenant in their order, and as a range of one value instead
     * of an equal one: otherwise the planner may take the index of the ids, and read the jobs of all others, if its statistics say that
     * most jobs are of this tenant.
     */
    private final @Nullable String tenant;

    /** Whether the query names its jobs: then their ids lead to them. */
    private final boolean named;

    private final @Nullable JobId before;

    /** All but those that say where along the index of the tenant. */
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
        this.named = !query.ids().isEmpty();
        this.tenant = TenantKey.tenantOf(query).orElse(null);
        this.before = before.orElse(null);
        if (tenant != null && named) {
            add(TENANT + " = ?", params -> params.text(tenant));
        }
        for (Map.Entry<String, String> entry : query.metadata().entrySet()) {
            if (entry.getKey().equals(TenantKey.METADATA)) {
                continue;
            }
            add(
                    "metadata IS NOT NULL AND metadata @> jsonb_build_object(?::text, ?::text)",
                    params -> params.text(entry.getKey()).text(entry.getValue()));
        }
        TenantKey.stored(query).ifPresent(key -> add("key = ?", params -> params.text(key)));
        query.batch().ifPresent(batch -> add("batch_id = ?", params -> params.uuid(batch.value())));
        if (before.isPresent() && !walksTenant()) {
            add("id < ?", params -> params.uuid(before.get().value()));
        }
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

    /** Whether the jobs of one tenant are walked along. */
    boolean walksTenant() {
        return tenant != null && !named;
    }

    /** Makes the statements of this transaction walk along the index of the tenant, whatever the statistics say. */
    void walk(Database database, Connection connection) throws SQLException {
        if (walksTenant()) {
            database.query("transactions/reading").run(connection);
        }
    }

    /** The order of a statement, with a direction such as {@code " DESC"}. */
    String order(String direction) {
        return walksTenant() ? TENANT + direction + ", id" + direction : "id" + direction;
    }

    /** The condition that a job stands after a position in that order; {@link #andRest} follows it. */
    String after() {
        return walksTenant() ? POSITION.formatted(">") + " AND " + TENANT + " <= ?" : "id > ?";
    }

    void bindAfter(Params params, JobId position) throws SQLException {
        if (walksTenant()) {
            params.text(tenant).uuid(position.value()).text(tenant);
        } else {
            params.uuid(position.value());
        }
    }

    /**
     * The condition that a job stands before a position, for a search that looks at jobs whether they match or not, and tells how far it has got:
     * it looks at no job of others.
     */
    String search() {
        return tenant == null ? "id < ?" : BEFORE;
    }

    /** The order of such a search. */
    String searchOrder() {
        return tenant == null ? "id DESC" : TENANT + " DESC, id DESC";
    }

    void bindSearch(Params params, JobId position) throws SQLException {
        if (tenant == null) {
            params.uuid(position.value());
        } else {
            params.text(tenant).uuid(position.value()).text(tenant);
        }
    }

    /** Where the jobs stand along the index of their tenant. An index is entered by one bound at each end: a second one would be read up to. */
    private List<String> bounds() {
        return !walksTenant() ? List.of() : List.of(before == null ? TENANT + " BETWEEN ? AND ?" : BEFORE);
    }

    private void bindBounds(Params params) throws SQLException {
        if (walksTenant() && before == null) {
            params.text(tenant).text(tenant);
        } else if (walksTenant()) {
            bindSearch(params, before);
        }
    }

    private void add(String condition, Binding binding) {
        conditions.add(condition);
        bindings.add(binding);
    }

    private List<String> all() {
        return Stream.concat(conditions.stream(), bounds().stream()).toList();
    }

    /** The condition; {@code true} if there is no filter. */
    String condition() {
        return all().isEmpty() ? "true" : String.join(" AND ", all());
    }

    /** " WHERE …", or nothing. */
    String where() {
        return all().isEmpty() ? "" : " WHERE " + String.join(" AND ", all());
    }

    /** " AND …", or nothing. */
    String and() {
        return all().isEmpty() ? "" : " AND " + String.join(" AND ", all());
    }

    void bind(Params params) throws SQLException {
        bindConditions(params);
        bindBounds(params);
    }

    /** " AND …", or nothing, for a statement that continues {@link #after} a position. */
    String andRest() {
        return walksTenant() && before == null
                ? conditions.isEmpty() ? "" : " AND " + String.join(" AND ", conditions)
                : and();
    }

    void bindRest(Params params) throws SQLException {
        bindConditions(params);
        if (before != null) {
            bindBounds(params);
        }
    }

    private void bindConditions(Params params) throws SQLException {
        for (Binding binding : bindings) {
            binding.bind(params);
        }
    }
}
