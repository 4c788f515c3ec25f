package dev.muster.postgres.claims;

import dev.muster.contracts.ClaimContract;
import dev.muster.contracts.FreshJobStore;
import dev.muster.postgres.FreshDatabase;

class PostgresClaimIT extends ClaimContract {

    @Override
    protected FreshJobStore open() {
        return new FreshDatabase();
    }
}
