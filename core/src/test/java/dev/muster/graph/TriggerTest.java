package dev.muster.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.graph.Trigger.Decision;
import dev.muster.graph.Trigger.Parent;
import dev.muster.testing.Seeds;
import dev.muster.testing.Sizes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Whatever the order in which tasks end, triggers lead to what their table says. */
class TriggerTest {
    private static final List<TaskStatus> OUTCOMES =
            List.of(TaskStatus.COMPLETED, TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.CANCELLED);

    /**
     * A task of a random graph; its parents have lower numbers.
     *
     * @param outcome how it ends if it runs
     */
    private record Task(Trigger trigger, List<Integer> required, List<Integer> optional, TaskStatus outcome) {}

    private static List<Task> graph(Random random) {
        List<Task> tasks = new ArrayList<>();
        int size = 1 + random.nextInt(25);
        for (int i = 0; i < size; i++) {
            Set<Integer> parents = new HashSet<>();
            for (int j = random.nextInt(4); j > 0 && i > 0; j--) {
                parents.add(random.nextInt(i));
            }
            List<Integer> required = new ArrayList<>();
            List<Integer> optional = new ArrayList<>();
            parents.forEach(parent -> (random.nextInt(4) == 0 ? optional : required).add(parent));
            Trigger trigger = Trigger.known().get(random.nextInt(Trigger.known().size()));
            tasks.add(new Task(
                    trigger.needsRequiredParent() && required.isEmpty() ? Trigger.ALL_SUCCESS : trigger,
                    required,
                    optional,
                    OUTCOMES.get(random.nextInt(OUTCOMES.size()))));
        }
        return tasks;
    }

    /** Evaluates the table of the package description, task after task: parents come first. */
    private static TaskStatus[] byTheTable(List<Task> tasks) {
        TaskStatus[] ended = new TaskStatus[tasks.size()];
        for (int i = 0; i < ended.length; i++) {
            Task task = tasks.get(i);
            List<TaskStatus> required =
                    task.required().stream().map(parent -> ended[parent]).toList();
            boolean runs = switch (task.trigger()) {
                case ALL_SUCCESS -> required.stream().allMatch(status -> status == TaskStatus.COMPLETED);
                case ANY_SUCCESS -> required.stream().anyMatch(status -> status == TaskStatus.COMPLETED);
                case ALL_DONE -> true;
                case ANY_FAILED -> required.stream().anyMatch(status -> status == TaskStatus.FAILED);
                case NONE_FAILED -> required.stream().noneMatch(status -> status == TaskStatus.FAILED);
                case ALL_SKIPPED -> required.stream().allMatch(status -> status == TaskStatus.SKIPPED);
                case UNKNOWN -> throw new AssertionError(task);
            };
            ended[i] = runs ? task.outcome() : TaskStatus.SKIPPED;
        }
        return ended;
    }

    /** Lets tasks end in any order, and decides after each end. */
    private static TaskStatus[] step(List<Task> tasks, Random random) {
        TaskStatus[] now = new TaskStatus[tasks.size()];
        Arrays.fill(now, TaskStatus.WAITING);
        List<Integer> running = new ArrayList<>();
        while (true) {
            boolean changed = true;
            while (changed) {
                changed = false;
                for (int i = 0; i < now.length; i++) {
                    Decision decision = now[i] == TaskStatus.WAITING ? decide(tasks.get(i), now) : Decision.WAIT;
                    if (decision != Decision.WAIT) {
                        changed = true;
                        now[i] = decision == Decision.READY ? TaskStatus.PENDING : TaskStatus.SKIPPED;
                        if (decision == Decision.READY) {
                            running.add(i);
                        }
                    }
                }
            }
            if (running.isEmpty()) {
                return now;
            }
            int next = running.remove(random.nextInt(running.size()));
            now[next] = tasks.get(next).outcome();
        }
    }

    private static Decision decide(Task task, TaskStatus[] now) {
        List<Parent> parents = new ArrayList<>();
        task.required().forEach(parent -> parents.add(new Parent(true, now[parent])));
        task.optional().forEach(parent -> parents.add(new Parent(false, now[parent])));
        Decision decision = task.trigger().decide(parents);
        boolean open = parents.stream().anyMatch(parent -> !parent.status().isTerminal());
        boolean any = task.trigger() == Trigger.ANY_SUCCESS || task.trigger() == Trigger.ANY_FAILED;
        assertThat(decision == Decision.READY && open && !any)
                .as("%s is ready before its parents have ended", task)
                .isFalse();
        return decision;
    }

    @Test
    void randomGraphsAgreeWithTheTable() {
        Random random = new Random(Seeds.next(getClass()));
        for (int i = 0; i < Sizes.of(1_000, 10_000); i++) {
            List<Task> tasks = graph(random);

            assertThat(step(tasks, random)).as("%s", tasks).isEqualTo(byTheTable(tasks));
        }
    }
}
