package dev.muster.cli.internal.demo;

import dev.muster.job.JobRequest;
import dev.muster.job.RawJson;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The jobs of the demo: most are quick, some are slow, some fail at first, and some have effects that are counted. In the first
 * half a few take a second, so that a node that is killed then has running jobs.
 */
final class DemoJobs {
    private static final int PERIOD = 20;
    private static final int SLOW_PERIOD = 100;
    private static final int SLOW = 13;
    private static final String SLEEP = "{\"ms\":%d}";

    private DemoJobs() {}

    static List<JobRequest> mix(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> i % SLOW_PERIOD == SLOW && i < count / 2 ? request("sleep", SLEEP, 1_000) : job(i))
                .toList();
    }

    private static JobRequest job(int i) {
        int kind = i % PERIOD;
        if (kind < 4) {
            return request("hello", "{\"name\":\"number %d\"}", i);
        }
        if (kind < 8) {
            return request("my_task", "{\"key\":\"task-%d\"}", i);
        }
        if (kind < 11) {
            return request("process_order", "{\"order_id\":%d}", i + 1);
        }
        if (kind < 16) {
            return request("sleep", SLEEP, 20 + i % 31);
        }
        return kind < 18
                ? request("flaky", "{\"failures\":%d}", 1 + i % 2)
                : request("count", "{\"key\":\"demo-%d\"}", i);
    }

    private static JobRequest request(String name, String args, int value) {
        return JobRequest.of(name, new RawJson(args.formatted(value)));
    }
}
