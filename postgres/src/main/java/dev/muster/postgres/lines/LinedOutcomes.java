package dev.muster.postgres.lines;

import dev.muster.job.Lane;
import dev.muster.job.store.ClaimRef;
import dev.muster.job.store.LineStore.Lined;
import dev.muster.job.store.LineStore.TooEarly;
import dev.muster.job.store.Outcome;
import dev.muster.postgres.claims.FeatureOutcomes;
import dev.muster.postgres.claims.Outcomes;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.StatementPart;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts claimed jobs in line that came in without the line that their handler declares, and puts those back that the rate of their line does
 * not let begin yet.
 */
public final class LinedOutcomes implements FeatureOutcomes {
    private final Database database;

    public LinedOutcomes(Database database) {
        this.database = database;
    }

    @Override
    public boolean takes(Outcome.OfFeature outcome) {
        return outcome instanceof Lined || outcome instanceof TooEarly;
    }

    @Override
    public List<StatementPart> parts(List<Outcome.OfFeature> outcomes, Answer answer) {
        List<Lined> lined = new ArrayList<>();
        List<TooEarly> early = new ArrayList<>();
        for (Outcome.OfFeature outcome : outcomes) {
            if (outcome instanceof TooEarly tooEarly) {
                early.add(tooEarly);
            } else {
                lined.add((Lined) outcome);
            }
        }
        List<StatementPart> parts = new ArrayList<>(2);
        if (!lined.isEmpty()) {
            parts.add(new StatementPart(
                    database.sql("lines/put_in_line"),
                    params -> params.claims(lined.stream().map(Lined::claim).toList())
                            .column("text", lined, Lined::line),
                    statement -> readLined(statement, answer)));
        }
        if (!early.isEmpty()) {
            parts.add(new StatementPart(
                    database.sql("lines/too_early"),
                    params -> params.claims(early.stream().map(TooEarly::claim).toList())
                            .column("int8", early, outcome -> outcome.delay().toMillis()),
                    statement -> readEarly(statement, answer)));
        }
        return parts;
    }

    private static void readLined(PreparedStatement statement, Answer answer) throws SQLException {
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
