package dev.muster.internal.process;

import dev.muster.job.Backoff;
import dev.muster.job.Job;
import dev.muster.job.JobContext;
import java.io.FileDescriptor;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;

/** Handlers that a child process can build, and that do what only a process of its own survives. */
public class ChildJobs {

    @Job("greet")
    public String greet(JobContext context, Map<String, String> args) {
        System.out.println("this is no result");
        new PrintStream(new FileOutputStream(FileDescriptor.out), true).print("neither is this");
        return "hello " + args.get("name") + " from " + context.id() + " " + context.name() + " " + context.queue()
                + " "
                + context.attempt() + " " + context.maxAttempts() + " " + context.crashes() + " " + context.metadata()
                + " "
                + context.nodeId() + " " + context.fence() + " " + context.isCancelled();
    }

    @Job("nothing")
    public void nothing() {}

    @Job("report")
    public void report(JobContext context) {
        context.progress(7, "said \"hm\"");
        context.log().info("loaded {}", 3);
        context.log().warn("slow");
        context.progress(100);
    }

    @Job("exit")
    public void exit(Map<String, String> args) {
        System.err.println("good bye");
        System.exit(Integer.parseInt(args.get("code")));
    }

    @Job("fill_memory")
    public void fillMemory() {
        List<byte[]> all = new ArrayList<>();
        while (true) {
            all.add(new byte[1 << 20]);
        }
    }

    @Job(value = "fail", maxAttempts = 5, backoff = @Backoff(delay = "7s", jitter = 0), retryOn = IOException.class)
    public void fail(Map<String, String> args) throws IOException {
        if (args.get("with").equals("io")) {
            throw new FileNotFoundException("no such file: x");
        }
        throw new IllegalStateException("not retried");
    }

    /** What a child knows of the options of its node. */
    @Job("options")
    public String options(Map<String, String> args) {
        return System.getProperty("of.the.user") + " " + System.getProperties() + System.getenv();
    }

    @Job("snooze")
    public void snooze(JobContext context) {
        throw context.snooze(Duration.ofMinutes(5));
    }

    @Job("retry_later")
    public void retryLater(JobContext context) {
        throw context.retryIn(Duration.ofSeconds(42), "429 Too Many Requests");
    }

    @Job("lose_connection")
    public void loseConnection() throws SQLException {
        throw new SQLException("the server closed the connection", "08006");
    }

    @Job("large_result")
    public String largeResult() {
        return "é".repeat(2_000_000);
    }

    @Job("largest_result")
    public String largestResult() {
        return "é".repeat((1 << 19) - 1);
    }

    @Job("use_node")
    public String useNode(JobContext context) {
        Connection connection = (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, more) -> true);
        return refusal(context::jobs)
                + refusal(context::connection)
                + refusal(() -> {
                    context.completeIn(connection);
                    return null;
                });
    }

    private static String refusal(Callable<?> call) {
        try {
            return "not refused: " + call.call();
        } catch (Exception e) {
            return e.getMessage();
        }
    }

    /** Leaves a process, a thread and a hook behind, which wait forever. */
    @Job("leave_behind")
    public String leaveBehind() throws IOException {
        new ProcessBuilder("sh", "-c", "(set -m; (sleep 1000 &) &)").start();
        new Thread(ChildJobs::waitForever).start();
        Runtime.getRuntime().addShutdownHook(new Thread(ChildJobs::waitForever));
        return System.getenv("MUSTER_CHILD");
    }

    @Job("wait")
    public void await(JobContext context) {
        context.log().info(System.getenv("MUSTER_CHILD"));
        waitForever();
    }

    static void waitForever() {
        while (true) {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                // Ignored, as bad handlers do.
            }
        }
    }
}
