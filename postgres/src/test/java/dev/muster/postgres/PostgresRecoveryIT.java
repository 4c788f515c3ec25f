package dev.muster.postgres;

import dev.muster.contracts.FreshJobStore;
import dev.muster.contracts.RecoveryContract;

class PostgresRecoveryIT extends RecoveryContract {

    @Override
    protected FreshJobStore open() {
        return new FreshDatabase();
    }
}
