package dev.muster.postgres.jobs;

import dev.muster.contracts.EnqueueContract;
import dev.muster.contracts.FreshJobStore;
import dev.muster.postgres.FreshDatabase;

class PostgresEnqueueIT extends EnqueueContract {

    @Override
    protected FreshJobStore open() {
        return new FreshDatabase();
    }
}
