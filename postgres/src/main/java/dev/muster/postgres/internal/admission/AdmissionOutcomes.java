package dev.muster.postgres.internal.admission;

import dev.muster.internal.job.store.AdmissionStore.PutInGroup;
import dev.muster.internal.job.store.AdmissionStore.TooEarly;
import dev.muster.internal.job.store.ClaimRef;
import dev.muster.internal.job.store.Outcome;
import dev.muster.job.Lane;
import dev.muster.postgres.internal.claims.FeatureOutcomes;
import dev.muster.postgres.internal.claims.Outcomes;
import dev.muster.postgres.internal.db.Database;
import dev.muster.postgres.internal.db.StatementPart;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts claimed jobs into the group that their handler declares, without which they came in, and puts those back that the rate of their group does
 * not let begin yet.
 */
public final class AdmissionOutcomes implements FeatureOutcomes {
    private final Database database;

    public AdmissionOutcomes(Database database) {
        this.database = database;
    }

    @Override
    public boolean takes(Outcome.OfFeature outcome) {
        return outcome instanceof PutInGroup || outcome instanceof TooEarly;
    }

    @Override
    public List<StatementPart> parts(List<Outcome.OfFeature> outcomes, Answer answer) {
        List<PutInGroup> grouped = new ArrayList<>();
        List<TooEarly> early = new ArrayList<>();
        for (Outcome.OfFeature outcome : outcomes) {
            if (outcome instanceof TooEarly tooEarly) {
                early.add(tooEarly);
            } else {
                grouped.add((PutInGroup) outcome);
            }
        }
        List<StatementPart> parts = new ArrayList<>(2);
        if (!grouped.isEmpty()) {
            parts.add(new StatementPart(
                    database.sql("admission/put_in_group"),
                    params -> params.claims(
                                    grouped.stream().map(PutInGroup::claim).toList())
                            .column("text", grouped, PutInGroup::group),
                    statement -> readPutInGroup(statement, answer)));
        }
        if (!early.isEmpty()) {
            parts.add(new StatementPart(
                    database.sql("admission/too_early"),
                    params -> params.claims(early.stream().map(TooEarly::claim).toList())
                            .column("int8", early, outcome -> outcome.delay().toMillis()),
                    statement -> readEarly(statement, answer)));
        }
        return parts;
    }

    private static void readPutInGroup(PreparedStatement statement, Answer answer) throws SQLException {
        ResultSet rows = StatementPart.rows(statement);
        while (rows.next()) {
            ClaimRef claim = Outcomes.claim(rows);
            answer.written(claim);
            if (rows.getBoolean("cancelled")) {
                answer.cancelled(claim);
            }
        }
    }

    private static void readEarly(PreparedStatement statement, Answer answer) throws SQLException {
        ResultSet rows = StatementPart.rows(statement);
        while (rows.next()) {
            ClaimRef claim = Outcomes.claim(rows);
            answer.written(claim);
            if (rows.getString("queue") == null) {
                answer.cancelled(claim);
            } else {
                answer.pendingAgain(
                        new Lane(rows.getString("queue"), rows.getString("capability")),
                        Duration.ofMillis(rows.getLong("delay_ms")));
            }
        }
    }
}
