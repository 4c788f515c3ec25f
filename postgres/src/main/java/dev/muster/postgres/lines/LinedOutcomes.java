package dev.muster.postgres.lines;

import dev.muster.job.store.LineStore.Lined;
import dev.muster.job.store.Outcome;
import dev.muster.postgres.claims.FeatureOutcomes;
import dev.muster.postgres.claims.Outcomes;
import dev.muster.postgres.db.Database;
import dev.muster.postgres.db.StatementPart;
import java.sql.ResultSet;
import java.util.List;

/** Puts claimed jobs in line that came in without the line that their handler declares. */
public final class LinedOutcomes implements FeatureOutcomes {
    private final Database database;

    public LinedOutcomes(Database database) {
        this.database = database;
    }

    @Override
    public boolean takes(Outcome.OfFeature outcome) {
        return outcome instanceof Lined;
    }

    @Override
    public List<StatementPart> parts(List<Outcome.OfFeature> outcomes, Answer answer) {
        return List.of(new StatementPart(
                database.sql("lines/put_in_line"),
                params -> params.claims(outcomes.stream().map(Outcome::claim).toList())
                        .column("text", outcomes, outcome -> ((Lined) outcome).line()),
                statement -> {
                    ResultSet rows = StatementPart.rows(statement);
                    while (rows.next()) {
                        answer.written(Outcomes.claim(rows));
                    }
                }));
    }
}
