package dev.muster.internal.worker;

import dev.muster.contracts.JobExecutorContract;
import dev.muster.job.JobExecutor;

class PoolExecutorTest extends JobExecutorContract {
    @Override
    protected JobExecutor open() {
        return new PoolExecutor(3);
    }
}
