package dev.muster.postgres.jobs;

import dev.muster.contracts.FreshJobStore;
import dev.muster.contracts.JobLifeContract;
import dev.muster.postgres.FreshDatabase;

class PostgresJobLifeIT extends JobLifeContract {

    @Override
    protected FreshJobStore open() {
        return new FreshDatabase();
    }
}
