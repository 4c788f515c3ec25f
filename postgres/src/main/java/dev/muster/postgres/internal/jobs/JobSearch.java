package dev.muster.postgres.internal.jobs;

import dev.muster.internal.job.store.PageText;
import dev.muster.internal.job.store.TenantKey;
import dev.muster.job.JobId;
import dev.muster.job.JobInfo;
import dev.muster.job.JobPage;
import dev.muster.job.JobQuery;
import dev.muster.job.JobStatus;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.DatabaseErrors;
import dev.muster.postgres.internal.db.DatabaseErrors.TookTooLong;
import dev.muster.postgres.internal.db.Query;
import dev.muster.postgres.internal.db.Readers;
import dev.muster.postgres.internal.db.Rows;
import dev.muster.runtime.MusterException;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Lists jobs, newest first. There is no index by name, queue or status, because an index on history would slow down every
 * completion. So the search walks back along the ids, which ascend with time, in steps that each read a bounded number of rows.
 * It ends when the page is full, when no older jobs are left, or when its time is over. If the query names a tenant, it walks along the jobs of
 * that tenant alone, so that neither the time that it takes nor the position that it has got to tells of others. Indexes are used for ids, tags,
 * metadata, claimed jobs, waiting jobs, and jobs that did not complete while those are few.
 */
public final class JobSearch {
    private static final Duration LIST_PATIENCE = Duration.ofSeconds(10);
    private static final Duration STEP_LIMIT = Duration.ofSeconds(5);

    /** The same for callers with little patience, such as a page that people look at. */
    private static final Duration SHORT_STEP_LIMIT = Duration.ofMillis(250);

    private static final Duration LITTLE_PATIENCE = Duration.ofSeconds(1);
    private static final Duration FAST_STEP = Duration.ofMillis(150);
    private static final int FIRST_STEP = 500;
    private static final int LARGEST_STEP = 50_000;
    private static final int FEW_UNHAPPY = 20_000;
    private static final int FEW_TO_ADMIT = 20_000;

    /** For so long a page is filled whose values take long to read; what it has then is returned. */
    private static final Duration SLOW_PAGE = Duration.ofSeconds(2);

    /** How many rows a search asks the server for first; the size of these says how many it asks for next. */
    private static final int FIRST_ROWS = 16;

    private static final int MOST_ROWS = 1_000;

    private static final JobId NEWEST = new JobId(new UUID(-1, -1));

    private static final Set<JobStatus> LIVE =
            EnumSet.of(JobStatus.WAITING, JobStatus.PENDING, JobStatus.CLAIMED, JobStatus.RUNNING);
    private static final Set<JobStatus> HELD = EnumSet.of(JobStatus.CLAIMED, JobStatus.RUNNING);
    private static final Set<JobStatus> UNHAPPY = EnumSet.of(JobStatus.FAILED, JobStatus.CANCELLED, JobStatus.EXPIRED);

    private final Database database;
    private final Readers readers;

    JobSearch(Database database, Readers readers) {
        this.database = database;
        this.readers = readers;
    }

    /** The ids that matched, and how far the search has got; empty if no older jobs are left. */
    private record Step(List<JobId> found, Optional<Position> reached) {}

    /**
     * Jobs as they were read.
     *
     * @param goOnAfter the last of them, if the page ended there because of the size of its jobs
     */
    private record JobsRead(List<JobInfo> jobs, Optional<JobId> goOnAfter) {}

    /** Every job down to this one, including it, was searched. */
    private record Position(JobId id, Instant createdAt) {}

    /** @throws MusterException if few jobs match and it would take long to find them */
    List<JobInfo> list(JobQuery query) {
        JobPage page = search(query, LIST_PATIENCE, PageText::unlimited);
        page.searchedBackTo().ifPresent(reached -> {
            throw new MusterException("the list was not complete after " + LIST_PATIENCE.toSeconds()
                    + " s: few jobs match, and only those created since " + reached.truncatedTo(ChronoUnit.SECONDS)
                    + " were looked through; ask for fewer, name ids, tags or metadata, which have an index, or search"
                    + " page by page");
        });
        return page.jobs();
    }

    /** A page also ends after about 16 MB of args, results and errors: see {@link PageText}. */
    JobPage search(JobQuery query, Duration patience) {
        return search(query, patience, PageText::ofSearch);
    }

    private JobPage search(JobQuery query, Duration patience, Supplier<PageText> text) {
        Duration limit = patience.compareTo(LITTLE_PATIENCE) < 0 ? SHORT_STEP_LIMIT : STEP_LIMIT;
        return query.key().isPresent()
                ? search(query, holders(query, limit), patience, limit, text)
                : search(query, patience, limit, text);
    }

    /** The jobs that hold the key that the query names: one for each name of a job. */
    List<JobId> holders(JobQuery query, Duration limit) {
        String key = TenantKey.stored(query).orElseThrow();
        Query select = database.query("jobs/key_holders")
                .with(params -> params.text(query.name().orElse(null)).text(key));
        return readers.alongIndexes(
                limit, connection -> select.list(connection, row -> new JobId(row.getObject("job_id", UUID.class))));
    }

    private JobPage search(
            JobQuery query, List<JobId> holders, Duration patience, Duration limit, Supplier<PageText> text) {
        List<JobId> wanted = holders.stream()
                .filter(id -> query.ids().isEmpty() || query.ids().contains(id))
                .toList();
        return wanted.isEmpty()
                ? JobPage.of(List.of(), query.limit())
                : search(query.ids(wanted), patience, limit, text);
    }

    private JobPage search(JobQuery query, Duration patience, Duration limit, Supplier<PageText> text) {
        if (!query.ids().isEmpty()
                || !query.tags().isEmpty()
                || !query.metadata().isEmpty()
                || query.batch().isPresent()) {
            try {
                JobsRead read = byTenantAlone(query)
                        ? readers.alongIndexes(limit, connection -> read(connection, query, text.get()))
                        : readers.asPlanned(limit, connection -> read(connection, query, text.get()));
                return page(read, JobPage.of(read.jobs(), query.limit()).next(), Optional.empty());
            } catch (TookTooLong e) {
                // So many jobs have this tag that sorting them takes long: then walking back finds some soon.
                return walk(query, patience, limit, text);
            }
        }
        try {
            return byStatus(query, limit)
                    .map(found -> pageOf(query, found, text))
                    .orElseGet(() -> walk(query, patience, limit, text));
        } catch (TookTooLong e) {
            return walk(query, patience, limit, text);
        }
    }

    /** Whether the index of its tenant's jobs serves the query best, which has their order. */
    static boolean byTenantAlone(JobQuery query) {
        return query.ids().isEmpty()
                && query.tags().isEmpty()
                && query.batch().isEmpty()
                && query.metadata().keySet().equals(Set.of(TenantKey.METADATA));
    }

    /** Where an index serves the statuses that were asked for. */
    private Optional<List<JobId>> byStatus(JobQuery query, Duration limit) {
        if (query.statuses().isEmpty()) {
            return Optional.empty();
        }
        if (HELD.containsAll(query.statuses())) {
            return select("jobs/search_held", query, limit, params -> {});
        }
        if (query.statuses().equals(Set.of(JobStatus.WAITING))) {
            return waiting(query, limit);
        }
        if (UNHAPPY.containsAll(query.statuses())) {
            return select(
                    "jobs/search_unhappy",
                    query,
                    limit,
                    params -> params.number(FEW_UNHAPPY).number(FEW_UNHAPPY));
        }
        return Optional.empty();
    }

    private Optional<List<JobId>> waiting(JobQuery query, Duration limit) {
        JobFilter filter = new JobFilter(query);
        Query select = database.query("jobs/search_waiting", Map.of("filter", filter.condition()))
                .with(p -> {
                    p.number(FEW_TO_ADMIT).number(FEW_TO_ADMIT);
                    filter.bind(p);
                    p.number(query.limit());
                    filter.bind(p);
                    p.number(query.limit());
                });
        return readers.alongIndexes(limit, connection -> found(select, connection));
    }

    private static Optional<List<JobId>> found(Query select, Connection connection) throws SQLException {
        return select.one(
                connection, row -> Optional.ofNullable(row.getArray("found")).map(JobSearch::ids));
    }

    /** @param beginning binds what comes before the filter */
    private Optional<List<JobId>> select(String statementName, JobQuery query, Duration limit, Query.Binder beginning) {
        JobFilter filter = new JobFilter(query);
        Query select = database.query(statementName, Map.of("filter", filter.condition()))
                .with(p -> {
                    beginning.bind(p);
                    filter.bind(p);
                    p.number(query.limit());
                });
        return readers.alongIndexes(limit, connection -> found(select, connection));
    }

    private JobPage walk(JobQuery query, Duration patience, Duration limit, Supplier<PageText> text) {
        long started = System.nanoTime();
        List<JobId> found = new ArrayList<>();
        JobId before = query.before().orElse(NEWEST);
        Optional<Position> reached = Optional.empty();
        int rows = Math.max(FIRST_STEP, query.limit());
        while (true) {
            long stepStarted = System.nanoTime();
            Step step;
            try {
                step = step(query, before, rows, query.limit() - found.size(), limit);
            } catch (TookTooLong e) {
                return incomplete(query, found, reached.orElseThrow(() -> e), text);
            }
            found.addAll(step.found());
            if (found.size() >= query.limit() || step.reached().isEmpty()) {
                return pageOf(query, found, text);
            }
            reached = step.reached();
            before = reached.get().id();
            long now = System.nanoTime();
            if (now - started > patience.toNanos()) {
                return incomplete(query, found, reached.get(), text);
            }
            boolean fast = now - stepStarted < FAST_STEP.toNanos();
            rows = fast ? Math.min(LARGEST_STEP, rows * 2) : Math.max(FIRST_STEP, rows / 2);
        }
    }

    private JobPage incomplete(JobQuery query, List<JobId> found, Position reached, Supplier<PageText> text) {
        return page(rows(query, found, text), Optional.of(reached.id()), Optional.of(reached.createdAt()));
    }

    /** Where to continue is known from the ids: a job may have been removed, or have changed its status, since it was found. */
    private JobPage pageOf(JobQuery query, List<JobId> found, Supplier<PageText> text) {
        boolean full = found.size() >= query.limit();
        return page(
                rows(query, found, text),
                full ? Optional.of(found.get(found.size() - 1)) : Optional.empty(),
                Optional.empty());
    }

    /** If the size of its jobs ended the page, the search continues after the last of them, however far it has looked. */
    private static JobPage page(JobsRead read, Optional<JobId> next, Optional<Instant> searchedBackTo) {
        return read.goOnAfter().isPresent()
                ? new JobPage(read.jobs(), read.goOnAfter(), Optional.empty())
                : new JobPage(read.jobs(), next, searchedBackTo);
    }

    private Step step(JobQuery query, JobId before, int rows, int wantedRows, Duration limit) {
        JobFilter filter = JobFilter.fromAnywhere(query);
        Set<JobStatus> wanted = query.statuses();
        boolean live = wanted.isEmpty() || wanted.stream().anyMatch(LIVE::contains);
        boolean ended = wanted.isEmpty() || !LIVE.containsAll(wanted);
        Query search = database.query(
                        "jobs/search",
                        Map.of(
                                "filter", filter.condition(),
                                "search", filter.search(),
                                "order", filter.searchOrder(),
                                "live", live ? "" : " AND false",
                                "ended", ended ? "" : " AND false"))
                .with(p -> {
                    for (int table = 0; table < 2; table++) {
                        filter.bind(p);
                        filter.bindSearch(p, before);
                        p.number(rows);
                    }
                    p.number(rows - 1).number(rows - 1).number(wantedRows);
                });
        return readers.alongIndexes(limit, connection -> search.one(connection, JobSearch::step));
    }

    private static Step step(ResultSet row) throws SQLException {
        List<JobId> found = ids(row.getArray("found"));
        UUID reached = row.getObject("reached", UUID.class);
        return reached == null
                ? new Step(found, Optional.empty())
                : new Step(found, Optional.of(new Position(new JobId(reached), Rows.instant(row, "reached_at"))));
    }

    private static List<JobId> ids(Array found) {
        try {
            return Stream.of((UUID[]) found.getArray()).map(JobId::new).toList();
        } catch (SQLException e) {
            throw DatabaseErrors.translate(e);
        }
    }

    private JobsRead rows(JobQuery query, List<JobId> found, Supplier<PageText> text) {
        if (found.isEmpty()) {
            return new JobsRead(List.of(), Optional.empty());
        }
        JobQuery wanted = query.ids(found);
        try {
            return readers.alongIndexes(STEP_LIMIT, connection -> read(connection, wanted, text.get()));
        } catch (TookTooLong e) {
            if (!text.get().isLimited()) {
                throw e;
            }
            return readers.alongIndexes(
                    STEP_LIMIT, connection -> listed(wanted).inPortions(connection, 1, JobSearch::slow));
        }
    }

    private JobsRead read(Connection connection, JobQuery query, PageText text) throws SQLException {
        return listed(query).inPortions(connection, text.isLimited() ? FIRST_ROWS : 0, rows -> jobs(rows, text));
    }

    private Query listed(JobQuery query) {
        JobFilter filter = new JobFilter(query);
        return database.query("jobs/list", Map.of("where", filter.where(), "order", filter.order(" DESC")))
                .with(p -> {
                    filter.bind(p);
                    p.number(query.limit());
                    filter.bind(p);
                    p.number(query.limit()).number(query.limit());
                });
    }

    /** Row by row, because several together took too long. The page ends when its time is over. */
    private static JobsRead slow(ResultSet rows) throws SQLException {
        long started = System.nanoTime();
        PageText text = PageText.ofSearch();
        List<JobInfo> jobs = new ArrayList<>();
        while (rows.next()) {
            JobInfo job = PostgresJobReader.read(rows, Optional.empty(), List.of(), Optional.empty());
            if (!text.add(job)) {
                return endedAfter(jobs);
            }
            jobs.add(job);
            if (System.nanoTime() - started > SLOW_PAGE.toNanos()) {
                return endedAfter(jobs);
            }
        }
        return new JobsRead(jobs, Optional.empty());
    }

    private static JobsRead endedAfter(List<JobInfo> jobs) {
        return new JobsRead(jobs, Optional.of(jobs.get(jobs.size() - 1).id()));
    }

    /** The driver holds as many rows at a time as the page is likely to have room for, not all of them. */
    private static JobsRead jobs(ResultSet rows, PageText text) throws SQLException {
        List<JobInfo> jobs = new ArrayList<>();
        while (rows.next()) {
            JobInfo job = PostgresJobReader.read(rows, Optional.empty(), List.of(), Optional.empty());
            if (!text.add(job)) {
                return endedAfter(jobs);
            }
            jobs.add(job);
            if (text.isLimited()) {
                rows.setFetchSize(Math.min(MOST_ROWS, text.roomForJobs()));
            }
        }
        return new JobsRead(jobs, Optional.empty());
    }
}
