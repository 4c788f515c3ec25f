package dev.muster.postgres;

import dev.muster.contracts.ClaimContract;
import dev.muster.contracts.FreshJobStore;

class PostgresClaimIT extends ClaimContract {

    @Override
    protected FreshJobStore open() {
        return new FreshDatabase();
    }
}
