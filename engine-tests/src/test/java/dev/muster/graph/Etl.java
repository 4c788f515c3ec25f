package dev.muster.graph;

import dev.muster.job.Job;
import dev.muster.job.JobContext;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Jobs that tasks of the tests run as. */
public final class Etl {
    record Source(String table) {}

    record Rows(List<Integer> rows, String from) {}

    record Batch(List<Integer> rows, int factor) {}

    record Step(String say) {}

    record Notice(@Nullable Object rows, String text) {}

    final List<String> effects = new CopyOnWriteArrayList<>();
    final AtomicBoolean loadFails = new AtomicBoolean();
    final AtomicInteger attemptsToFail = new AtomicInteger();
    final Map<String, Integer> starts = new ConcurrentHashMap<>();
    volatile CountDownLatch mayLoad = new CountDownLatch(0);
    final CountDownLatch loading = new CountDownLatch(1);

    @Job("extract")
    Rows extract(Source source) {
        effects.add("extract " + source.table());
        return new Rows(List.of(1, 2, 3), source.table());
    }

    @Job("transform")
    Rows transform(JobContext context, Batch batch) {
        if (attemptsToFail.getAndDecrement() > 0) {
            throw new IllegalStateException("not yet");
        }
        effects.add("transform " + batch.rows());
        return new Rows(batch.rows().stream().map(row -> row * batch.factor()).toList(), "transform");
    }

    @Job(value = "load", maxAttempts = 1)
    int load(JobContext context, Rows rows) throws InterruptedException {
        loading.countDown();
        mayLoad.await();
        if (loadFails.get()) {
            throw new IllegalStateException("disk full");
        }
        effects.add("load " + rows.rows());
        return rows.rows().size();
    }

    @Job("say")
    String say(Step step) {
        effects.add(step.say());
        return step.say();
    }

    @Job("notify")
    void notify(Notice notice) {
        effects.add("notify " + notice.text() + " " + notice.rows());
    }

    @Job(value = "fail", maxAttempts = 1)
    void fail() {
        throw new IllegalStateException("as asked");
    }

    @Job("nothing")
    void nothing() {}
}
