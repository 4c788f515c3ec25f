package dev.muster.bench;

import dev.muster.Muster;
import dev.muster.MusterBuilder;
import dev.muster.bench.contender.Handled;
import dev.muster.bench.contender.Payload;
import dev.muster.config.MusterConfig;
import dev.muster.job.Job;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A node in a process of its own. Arguments are settings, {@code key=value}. Says {@code READY} when it is up and
 * {@code FIRST} when its first job starts; {@code count} on its standard input is answered by the number of jobs it has
 * run. Ends when its standard input does.
 */
final class NodeMain {
    private NodeMain() {}

    public static void main(String[] settings) throws IOException {
        Handled handled = Handled.endless();
        MusterBuilder builder = Muster.builder().config(MusterConfig.defaults()).register(new Work(handled));
        for (String setting : settings) {
            String[] parts = setting.split("=", 2);
            builder.set(parts[0], parts[1]);
        }
        builder.build().start();
        System.out.println(NodeProcess.READY);
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (orders.readLine() != null) {
            System.out.println(NodeProcess.COUNT + handled.count());
        }
        Runtime.getRuntime().halt(0);
    }

    /** Jobs that do nothing, and jobs that sleep. */
    static final class Work {
        private final Handled handled;
        private final AtomicBoolean begun = new AtomicBoolean();

        Work(Handled handled) {
            this.handled = handled;
        }

        @Job("send-confirmation")
        void send(Payload payload) {
            if (!begun.get() && begun.compareAndSet(false, true)) {
                System.out.println(NodeProcess.FIRST);
            }
            handled.one();
        }

        @Job("nap")
        void nap(Integer millis) throws InterruptedException {
            TimeUnit.MILLISECONDS.sleep(millis);
            handled.one();
        }
    }
}
