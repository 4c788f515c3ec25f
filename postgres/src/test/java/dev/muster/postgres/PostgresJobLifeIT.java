package dev.muster.postgres;

import dev.muster.contracts.FreshJobStore;
import dev.muster.contracts.JobLifeContract;

class PostgresJobLifeIT extends JobLifeContract {

    @Override
    protected FreshJobStore open() {
        return new FreshDatabase();
    }
}
