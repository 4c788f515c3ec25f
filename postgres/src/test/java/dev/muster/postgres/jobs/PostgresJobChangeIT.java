package dev.muster.postgres.jobs;

import dev.muster.contracts.FreshJobStore;
import dev.muster.contracts.JobChangeContract;
import dev.muster.postgres.FreshDatabase;

class PostgresJobChangeIT extends JobChangeContract {

    @Override
    protected FreshJobStore open() {
        return new FreshDatabase();
    }
}
