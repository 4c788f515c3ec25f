package dev.muster.examples;

import dev.muster.job.Job;
import dev.muster.job.JobContext;
import dev.muster.job.JobType;

/** The smallest jobs there are. */
public final class Greetings {
    public static final JobType<Hello, Greeting> HELLO = JobType.of("hello", Hello.class, Greeting.class);

    public record Hello(String name) {}

    public record Greeting(String greeting, String node) {}

    public record MyTask(String key) {}

    public record MyTaskResult(String key, int attempt) {}

    public record Sleep(long ms) {}

    @Job("hello")
    Greeting hello(JobContext ctx, Hello args) {
        return new Greeting("Hello, " + args.name() + "!", ctx.nodeId());
    }

    @Job("my_task")
    MyTaskResult myTask(JobContext ctx, MyTask args) {
        return new MyTaskResult(args.key(), ctx.attempt());
    }

    /** Stops early when it is told to. */
    @Job("sleep")
    void sleep(Sleep args) throws InterruptedException {
        Thread.sleep(Math.max(0, args.ms()));
    }
}
