package dev.muster.postgres;

import dev.muster.contracts.FreshJobStore;
import dev.muster.contracts.JobChangeContract;

class PostgresJobChangeIT extends JobChangeContract {

    @Override
    protected FreshJobStore open() {
        return new FreshDatabase();
    }
}
