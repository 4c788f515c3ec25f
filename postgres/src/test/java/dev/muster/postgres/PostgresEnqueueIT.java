package dev.muster.postgres;

import dev.muster.contracts.EnqueueContract;
import dev.muster.contracts.FreshJobStore;

class PostgresEnqueueIT extends EnqueueContract {

    @Override
    protected FreshJobStore open() {
        return new FreshDatabase();
    }
}
