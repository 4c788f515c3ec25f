package dev.muster.cli.internal.workflows;

import dev.muster.cli.internal.console.Ages;
import dev.muster.cli.internal.console.Table;
import dev.muster.job.JobId;
import dev.muster.workflow.RunInfo;
import dev.muster.workflow.StepInfo;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Runs of workflows as text. */
final class RunText {
    private static final int NAME_WIDTH = 24;
    private static final int NODE_WIDTH = 16;
    private static final int ERROR_WIDTH = 60;
    private static final int VALUE_WIDTH = 1_000;

    private RunText() {}

    static String table(List<RunInfo> runs) {
        if (runs.isEmpty()) {
            return "no runs";
        }
        Ages ages = new Ages(Instant.now());
        Table table = new Table("ID", "WORKFLOW", "VERSION", "STATUS", "WAKES", "NODE", "CHANGED");
        for (RunInfo run : runs) {
            table.row(
                    run.id(),
                    Table.cut(run.workflow(), NAME_WIDTH),
                    run.version(),
                    run.status().text(),
                    run.status().isTerminal() ? "-" : ages.of(run.wakeAt()),
                    run.node().map(RunText::shortNode).orElse("-"),
                    ages.of(run.changedAt()));
        }
        return table.without("WAKES", "NODE").toString();
    }

    /** Keeps the end of a long node id, which differs between nodes on the same host. */
    private static String shortNode(String node) {
        return node.length() <= NODE_WIDTH ? node : "…" + node.substring(node.length() - NODE_WIDTH + 1);
    }

    static String details(RunInfo run, Optional<String> waitingReason, List<StepInfo> steps) {
        Ages ages = new Ages(Instant.now());
        StringBuilder text = new StringBuilder();
        line(text, "id", run.id().toString());
        line(text, "workflow", run.workflow() + " " + run.version());
        line(text, "status", run.status().text());
        waitingReason.ifPresent(why -> line(text, "waits", why));
        run.reason().ifPresent(reason -> line(text, "reason", reason));
        line(text, "node", run.node().orElse("-"));
        line(text, "key", run.key().orElse("-"));
        line(text, "parent", run.parent().map(JobId::toString).orElse("-"));
        run.continuedAs().ifPresent(next -> line(text, "continued", "as run " + next));
        line(text, "input", run.input());
        line(text, "result", run.result().orElse("-"));
        line(text, "error", run.error().map(RunText::firstOf).orElse("-"));
        line(text, "created", run.createdAt() + "  " + ages.of(run.createdAt()));
        line(text, "changed", run.changedAt() + "  " + ages.of(run.changedAt()));
        line(text, "finished", run.finishedAt().map(t -> t + "  " + ages.of(t)).orElse("-"));
        return text
                + timeline(steps, ages)
                + run.error().map(RunText::stackTrace).orElse("");
    }

    /** Comes last: people look at the steps first. */
    private static String stackTrace(String error) {
        return error.lines().count() < 2
                ? ""
                : error.lines()
                        .map(line -> Table.cut(Table.oneLine(line.replace("\t", "    ")), VALUE_WIDTH))
                        .collect(Collectors.joining("\n", "\n\n", ""));
    }

    private static String firstOf(String error) {
        return error.lines().findFirst().orElse("-");
    }

    private static String timeline(List<StepInfo> steps, Ages ages) {
        if (steps.isEmpty()) {
            return "";
        }
        Table table = new Table("STEP", "NAME", "KIND", "STATUS", "TRIES", "NODE", "WHEN", "DUE", "ERROR");
        for (StepInfo step : steps) {
            table.row(
                    step.path(),
                    step.name().isEmpty() ? "-" : Table.cut(step.name(), NAME_WIDTH),
                    step.kind(),
                    step.status(),
                    step.attempt(),
                    step.node().map(RunText::shortNode).orElse("-"),
                    ages.of(step.storedAt()),
                    step.isOpen() ? ages.of(step.dueAt()) : "-",
                    step.error().map(RunText::firstLine).orElse("-"));
        }
        return "\n" + table.without("DUE", "ERROR");
    }

    private static String firstLine(String error) {
        return Table.cut(Table.oneLine(firstOf(error)), ERROR_WIDTH);
    }

    private static void line(StringBuilder text, String name, String value) {
        text.append("%-12s".formatted(name))
                .append(Table.cut(Table.oneLine(value), VALUE_WIDTH))
                .append('\n');
    }
}
