package dev.muster.postgres.claims;

import dev.muster.contracts.FreshJobStore;
import dev.muster.contracts.RecoveryContract;
import dev.muster.postgres.FreshDatabase;

class PostgresRecoveryIT extends RecoveryContract {

    @Override
    protected FreshJobStore open() {
        return new FreshDatabase();
    }
}
