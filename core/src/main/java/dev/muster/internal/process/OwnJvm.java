package dev.muster.internal.process;

import dev.muster.internal.attempt.AttemptRules;
import dev.muster.internal.attempt.OpenArgs;
import dev.muster.internal.process.ChildLauncher.Launch;
import dev.muster.internal.process.HandlerFinder.Origin;
import dev.muster.job.ClaimLost;
import dev.muster.job.JobContext;
import dev.muster.job.JobHandler;
import dev.muster.job.RawJson;
import dev.muster.job.Snooze;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.MusterException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs each attempt at a job in a JVM of its own. {@link ChildMain} is at the other end. */
final class OwnJvm implements JobHandler.Body {
    /** A character of the result has at most three bytes, or two if it has to be escaped. */
    private static final int MAX_OUTPUT = 3 * AttemptRules.MAX_RESULT + 256 * 1024;

    /** A node that cannot start must say so: whoever watches it sees a process that lives. */
    private static final Duration LIMIT_OF_CHECK = Duration.ofMinutes(2);

    private static final int MOST_NAMES = 5;
    private static final Logger log = LoggerFactory.getLogger(OwnJvm.class);

    private final ChildLauncher launcher;
    private final List<String> command;
    private final Origin origin;
    private final String codec;

    private OwnJvm(ChildLauncher launcher, List<String> command, Origin origin, String codec) {
        this.launcher = launcher;
        this.command = command;
        this.origin = origin;
        this.codec = codec;
    }

    /** @throws MusterException with a sentence for each handler that a child cannot build */
    static List<JobHandler> of(
            ChildLauncher launcher, Collection<JobHandler> handlers, OptionalLong memoryBytes, JsonCodec json) {
        List<String> command = JavaCommand.of(handlers, memoryBytes);
        String codec = json.getClass().getName();
        List<JobMessage> answers = check(launcher, command, handlers, codec);
        List<JobHandler> wrapped = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (JobHandler handler : handlers) {
            JobMessage answer = answers.get(wrapped.size() + problems.size());
            String problem = answer.textOrNull("problem");
            if (problem != null) {
                problems.add("job '" + handler.name()
                        + "' cannot run in an executor of kind process, because a child process"
                        + " cannot build its handler: " + problem);
            } else {
                Origin origin = new Origin(answer.textOrNull("app"), answer.textOrNull("type"));
                wrapped.add(wrap(handler, new OwnJvm(launcher, command, origin, codec)));
            }
        }
        if (!problems.isEmpty()) {
            throw new MusterException(
                    String.join("\n", problems)
                            + "\nA handler is registered by a MusterApp that the service loader finds, or it is a method of a public"
                            + " class with a public constructor without parameters; or give the executor a command, or another kind");
        }
        return wrapped;
    }

    private static JobHandler wrap(JobHandler handler, OwnJvm body) {
        return new JobHandler(
                handler.name(),
                handler.lane(),
                handler.priority(),
                new ProcessRetries(handler.retry()),
                handler.timeout(),
                handler.argsType(),
                body,
                handler.concurrencyLimit(),
                handler.tenants());
    }

    /** Lets a child build all handlers, and returns an answer for each. */
    private static List<JobMessage> check(
            ChildLauncher launcher, List<String> command, Collection<JobHandler> handlers, String codec) {
        List<JobMessage> questions = handlers.stream()
                .map(handler -> new JobMessage()
                        .with("job", handler.name())
                        .with(
                                "type",
                                handler.body().declaredIn().map(Class::getName).orElse(null)))
                .toList();
        String mark = UUID.randomUUID().toString();
        JobMessage order = new JobMessage().with("check", questions).with("codec", codec);
        ChildEnd end;
        try {
            end = launcher.run(
                    launch(command, order, mark, ""),
                    LIMIT_OF_CHECK,
                    () -> log.info(
                            "the start of the node waits for a JVM that builds the handlers of {}, at most {} s",
                            names(handlers),
                            LIMIT_OF_CHECK.toSeconds()));
        } catch (IOException e) {
            throw new MusterException("no JVM could be started for an executor of kind process: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MusterException("interrupted while a JVM was started for an executor of kind process", e);
        }
        if (!end.inTime()) {
            String sentence =
                    "a JVM that was started for an executor of kind process was killed, because it had not built the"
                            + " handlers of " + names(handlers) + " within " + LIMIT_OF_CHECK.toSeconds()
                            + " s (does MusterApp.register, a constructor or a static initialiser wait for something?)";
            throw new MusterException(end.failed(sentence).getMessage());
        }
        List<JobMessage> answers =
                answer(end, mark).map(answer -> answer.list("handlers")).orElse(List.of());
        if (answers.size() != handlers.size()) {
            throw new MusterException("a JVM that was started for an executor of kind process did not answer: "
                    + end.failure("it").getMessage());
        }
        return answers;
    }

    private static String names(Collection<JobHandler> handlers) {
        String some = handlers.stream().limit(MOST_NAMES).map(JobHandler::name).collect(Collectors.joining(", "));
        return handlers.size() > MOST_NAMES ? some + " and " + (handlers.size() - MOST_NAMES) + " more" : some;
    }

    private static Launch launch(List<String> command, JobMessage order, String mark, String args) {
        byte[] bytes = args.getBytes(StandardCharsets.UTF_8);
        byte[] line =
                (order.with("answer", mark).with("args_bytes", bytes.length) + "\n").getBytes(StandardCharsets.UTF_8);
        byte[] input = new byte[line.length + bytes.length];
        System.arraycopy(line, 0, input, 0, line.length);
        System.arraycopy(bytes, 0, input, line.length, bytes.length);
        return new Launch(command, input, true, MAX_OUTPUT, JavaCommand.VARIABLES);
    }

    /** The answer follows its mark; other lines were not printed by handlers but by the JVM itself, for example. */
    private static Optional<JobMessage> answer(ChildEnd end, String mark) {
        int start = end.output().lastIndexOf("\n" + mark + " ");
        int stop = end.output().indexOf('\n', start + 1);
        return start < 0 || stop < 0
                ? Optional.empty()
                : Optional.of(JobMessage.parse(end.output().substring(start + mark.length() + 2, stop)));
    }

    @Override
    public boolean bindsArgs() {
        return true;
    }

    @Override
    public @Nullable Object run(JobContext context, @Nullable Object args) throws InterruptedException {
        String mark = UUID.randomUUID().toString();
        OpenArgs open = args instanceof OpenArgs given ? given : new OpenArgs("null", false);
        JobMessage order = new JobMessage()
                .withJob(context)
                .with("app", origin.app())
                .with("type", origin.type())
                .with("codec", codec)
                .with("sealed", open.sealed());
        ChildEnd end;
        try {
            end = launcher.run(launch(command, order, mark, open.json()), context);
        } catch (IOException e) {
            throw new ProcessFailure("its process could not be started: " + e.getMessage());
        }
        return value(context, answer(end, mark).orElseThrow(() -> end.failure("its process")));
    }

    private static @Nullable Object value(JobContext context, JobMessage answer) {
        switch (answer.text("end")) {
            case "completed":
                String result = answer.textOrNull("result");
                return result == null ? null : new RawJson(result);
            case "claim_lost":
                throw new ClaimLost(context.id());
            case "snoozed":
                throw new Snooze(Duration.ofMillis(answer.number("delay_ms")));
            case "retried":
                throw failure(answer, true, Duration.ofMillis(answer.number("delay_ms")));
            default:
                throw failure(answer, false, null);
        }
    }

    private static ProcessFailure failure(JobMessage answer, boolean retried, @Nullable Duration delay) {
        // The node excuses an attempt that failed because the database was away.
        SQLException lost = answer.flag("connection_lost")
                ? new SQLException("the child process lost its connection to the database", "08006")
                : null;
        return new ProcessFailure(answer.text("error"), retried, delay, lost);
    }
}
