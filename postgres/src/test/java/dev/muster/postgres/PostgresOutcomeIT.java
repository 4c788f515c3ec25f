package dev.muster.postgres;

import dev.muster.contracts.FreshJobStore;
import dev.muster.contracts.OutcomeContract;

class PostgresOutcomeIT extends OutcomeContract {

    @Override
    protected FreshJobStore open() {
        return new FreshDatabase();
    }
}
