package dev.muster.contracts.internal;

import org.junit.jupiter.api.Nested;

/**
 * What every {@link dev.muster.internal.provider.Store} must do: the contracts of all its ports. A store is tested by one class that extends this one and says how
 * to get a fresh store. A new port gets its contract here.
 */
public abstract class StoreContract {

    /** A store with nothing in it; called for each test. */
    protected abstract FreshStore open();

    @Nested
    class Enqueue extends EnqueueContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class JobChanges extends JobChangeContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class JobSearch extends JobSearchContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class JobLife extends JobLifeContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class Claims extends ClaimContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class Outcomes extends OutcomeContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class Attempts extends AttemptContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class Traces extends TraceContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class Recovery extends RecoveryContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class Queues extends QueueStoreContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class QueueLimits extends QueueLimitContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class NodeMembership extends NodeMembershipContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class NodeVerdicts extends NodeVerdictContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class Leaders extends LeaderStoreContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class Locks extends LockStoreContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class RateLimits extends RateLimitStoreContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class Daemons extends DaemonStoreContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class Crons extends CronStoreContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class Overview extends OverviewStoreContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class LimitUsage extends LimitUsageContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class JobCounts extends JobCountContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class Maintenance extends MaintenanceStoreContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class Aging extends AgingContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class RunSteps extends RunStepContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class RunParking extends RunParkingContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class ChildRuns extends ChildRunContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class RunManagement extends RunManagementContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class Batches extends BatchStoreContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class BatchMembers extends BatchMembersContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class Graphs extends GraphStoreContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class AdmissionSweeps extends AdmissionSweepContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class Admission extends AdmissionStoreContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class AdmissionRate extends AdmissionRateContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class AdmissionRaces extends AdmissionRacesContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class AdmissionOrder extends AdmissionOrderContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class ApiKeys extends ApiKeyStoreContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class ClusterKeys extends ClusterKeyStoreContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class Audit extends AuditStoreContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }

    @Nested
    class Events extends EventStoreContract {
        @Override
        FreshStore open() {
            return StoreContract.this.open();
        }
    }
}
