package dev.muster.postgres.claims;

import dev.muster.contracts.FreshJobStore;
import dev.muster.contracts.OutcomeContract;
import dev.muster.postgres.FreshDatabase;

class PostgresOutcomeIT extends OutcomeContract {

    @Override
    protected FreshJobStore open() {
        return new FreshDatabase();
    }
}
