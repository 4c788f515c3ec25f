package dev.muster.postgres.internal.batches;

import dev.muster.batch.BatchCounts;
import dev.muster.batch.BatchInfo;
import dev.muster.batch.BatchStatus;
import dev.muster.job.BatchId;
import dev.muster.job.JobId;
import dev.muster.postgres.internal.db.Rows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;

/** Reads batches. */
final class BatchRows {
    private BatchRows() {}

    /** @param counted whether the row has the counts of a batch that is not closed */
    static BatchInfo read(ResultSet row, boolean counted) throws SQLException {
        BatchStatus status = BatchStatus.stored(row.getString("status"));
        double rate = row.getDouble("success_rate");
        Optional<Double> successRate = row.wasNull() ? Optional.empty() : Optional.of(rate);
        return BatchInfo.builder(
                        new BatchId(Rows.id(row)),
                        row.getString("name"),
                        status,
                        row.getString("condition"),
                        Rows.instant(row, "created_at"))
                .successRate(successRate)
                .cancelRequested(row.getBoolean("cancel_requested"))
                .counts(counted || status.isClosed() ? Optional.of(counts(row)) : Optional.empty())
                .completionJob(job(row, "completion_job"))
                .decidingJob(job(row, "deciding_job"))
                .sealedAt(Rows.optionalInstant(row, "sealed_at"))
                .closedAt(Rows.optionalInstant(row, "closed_at"))
                .build();
    }

    private static BatchCounts counts(ResultSet row) throws SQLException {
        return new BatchCounts(
                row.getLong("live"),
                row.getLong("completed"),
                row.getLong("failed"),
                row.getLong("cancelled"),
                row.getLong("expired"));
    }

    private static Optional<JobId> job(ResultSet row, String column) throws SQLException {
        return Optional.ofNullable(row.getObject(column, UUID.class)).map(JobId::of);
    }
}
