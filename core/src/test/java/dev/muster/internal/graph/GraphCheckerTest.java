package dev.muster.internal.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.graph.GraphRequest;
import dev.muster.graph.InvalidGraph;
import dev.muster.graph.TaskRequest;
import dev.muster.graph.Trigger;
import dev.muster.internal.graph.GraphChecker.CheckedTask;
import dev.muster.job.Placement;
import dev.muster.job.Priority;
import dev.muster.testing.Allocated;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Graphs are read and refused as a whole, and the refusal says where it is. */
class GraphCheckerTest {

    private static List<CheckedTask> check(String json) {
        return GraphChecker.check(new PlainJson(), GraphRequest.fromJson(json.replace('\'', '"')));
    }

    private static void refused(String json, String... words) {
        assertThatThrownBy(() -> check(json))
                .isInstanceOf(InvalidGraph.class)
                .message()
                .contains(words);
    }

    @Test
    void readsEveryField() {
        GraphRequest request = GraphRequest.fromJson("""
                {"name": "etl", "key": "k", "tasks": [
                  {"id": "a", "name": "extract"},
                  {"id": "b", "name": "load", "inputs": {"rows": {"from": "a", "path": "/rows"}},
                   "depends_on": ["a", {"id": "c", "required": false}, {"id": "d"}], "trigger": "none_failed", "priority": "high",
                   "queue": "slow", "capability": "gpu", "placement": {"require": ["zone=eu"], "forbid": "spot", "nodes": ["n1", "n2"]},
                   "max_attempts": 3, "timeout": "30s"},
                  {"id": "c", "name": "extract", "priority": 0}, {"id": "d", "name": "extract"}]}
                """);

        assertThat(request.name()).isEqualTo("etl");
        assertThat(request.key()).isEqualTo("k");
        TaskRequest task = request.tasks().get(1);
        assertThat(task.dependsOn())
                .containsExactly(
                        new TaskRequest.Dependency("a", true),
                        new TaskRequest.Dependency("c", false),
                        new TaskRequest.Dependency("d", true));
        assertThat(task.trigger()).isEqualTo(Trigger.NONE_FAILED);
        assertThat(task.priority()).isEqualTo(Priority.HIGH);
        assertThat(task.queue()).isEqualTo("slow");
        assertThat(task.capability()).isEqualTo("gpu");
        assertThat(task.placement())
                .isEqualTo(Placement.ANYWHERE.require("zone=eu").forbid("spot").onNodes("n1", "n2"));
        assertThat(task.maxAttempts()).isEqualTo(3);
        assertThat(task.timeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(request.tasks().get(2).priority()).isEqualTo(Priority.BACKGROUND);
        CheckedTask checked = GraphChecker.check(new PlainJson(), request).get(1);
        assertThat(checked.parents()).isEqualTo(Map.of(0, true, 2, false, 3, true));
        assertThat(checked.takesFrom()).containsExactly(0);
    }

    @Test
    void takesAListAndACall() {
        assertThat(check("[{'id': 'a', 'name': 'x'}]")).hasSize(1);
        assertThat(check("{'tasks': [{'id': 'a', 'name': 'x'}]}")).hasSize(1);
        assertThat(check("{'jsonrpc': '2.0', 'method': 'tasks.execute', 'id': '1', 'params':"
                        + " {'tasks': [{'id': 'task-1', 'name': 'my_task', 'inputs': {'key': 'value'}}]}}"))
                .hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'jsonrpc': '2.0', 'method': 'tasks.delete', 'params': [{'id': 'a', 'name': 'x'}]} | method: must be \"tasks.execute\", which submits a graph, not \"tasks.delete\"",
                "[{'id': 'extract', 'name': 'x'}, {'id': 'b', 'name': 'x', 'depends_on': ['exract']}] | tasks[1].depends_on[0]: 'exract' is no task; did you mean 'extract'?",
                "[{'id': 'a', 'name': 'x'}, {'id': 'a', 'name': 'x'}] | tasks[1].id: 'a' is the id of tasks[0] already",
                "[{'id': 'a', 'name': 'x', 'depends_on': ['a']}] | tasks[0].depends_on[0]: 'a' depends on itself",
                "[{'id': 'a', 'name': 'x'}, {'id': 'b', 'name': 'x', 'depends_on': ['a', {'id': 'a'}]}] | tasks[1].depends_on[1]: 'a' is named twice",
                "[{'id': 'a', 'name': 'x', 'depends_on': ['c']}, {'id': 'b', 'name': 'x', 'depends_on': ['a']}, {'id': 'c', 'name': 'x', 'depends_on': ['b']}] | a -> c -> b -> a",
                "[{'id': 'a', 'name': 'x', 'triger': 'all_done'}] | tasks[0].triger: is no field here; did you mean 'trigger'?",
                "[{'id': 'a', 'name': 'x', 'trigger': 'all_dun'}] | tasks[0].trigger: 'all_dun' is no trigger; did you mean 'all_done'? Allowed are all_success, any_success, all_done, any_failed, none_failed, all_skipped",
                "[{'id': 'a', 'name': 'x', 'trigger': 'whenever'}] | tasks[0].trigger: 'whenever' is no trigger. Allowed are all_success",
                "[{'id': 'a', 'name': 'x', 'trigger': 'any_failed'}] | tasks[0].trigger: any_failed needs a required parent",
                "[{'id': 'a', 'name': 'x', 'depends_on': 'b'}] | tasks[0].depends_on: must be a list of ids, not a text",
                "[{'id': 'a', 'name': 'x', 'depends_on': [7]}] | tasks[0].depends_on[0]: must be the id of a task, or an object",
                "[{'id': 'a', 'name': 'x', 'depends_on': [{'id': 'b', 'required': 'no'}]}] | tasks[0].depends_on[0].required: must be true or false, not a text",
                "[{'id': 7, 'name': 'x'}] | tasks[0].id: must be a text, not a number",
                "[{'id': 'a'}] | tasks[0].name: is missing",
                "[{'name': 'x'}] | tasks[0].id: is missing",
                "[{'id': '', 'name': 'x'}] | tasks[0].id: must be one line of 1 to 200 characters",
                "[7] | tasks[0]: must be an object, not a number",
                "[] | a graph needs at least one task",
                "{'task': []} | task: is no field here; did you mean 'tasks'?",
                "{'tasks': {}} | tasks: must be a list of tasks, not an object",
                "7 | a graph is an object with 'tasks', or a list of tasks, not a number",
                "[ | the graph is not JSON",
                "[{'id': 'a', 'name': 'x', 'priority': 'urgent'}] | tasks[0].priority: priority 'urgent' is unknown",
                "[{'id': 'a', 'name': 'x', 'max_attempts': 1.5}] | tasks[0].max_attempts: must be a whole number, not 1.5",
                "[{'id': 'a', 'name': 'x', 'timeout': 'soon'}] | tasks[0].timeout: ",
                "[{'id': 'a', 'name': 'x', 'placement': {'on': 'n1'}}] | tasks[0].placement.on: is no field here. There are require, forbid, nodes, not_nodes",
                "[{'id': 'a', 'name': 'x', 'placement': {'require': ['a b&']}}] | tasks[0].placement.require: ",
                "[{'id': 'a', 'name': 'x', 'placement': {'require': [7]}}] | tasks[0].placement.require[0]: must be a text",
                "[{'id': 'ab', 'name': 'x'}, {'id': 'b', 'name': 'x', 'inputs': {'l': [{'from': 'ab'}]}}] | tasks[1].inputs.l[0].from: 'ab' is not in depends_on of this task",
                "[{'id': 'load', 'name': 'x'}, {'id': 'b', 'name': 'x', 'depends_on': ['load'], 'inputs': {'from': 'loda'}}] | tasks[1].inputs.from: 'loda' is no task; did you mean 'load'?",
                "[{'id': 'a', 'name': 'x'}, {'id': 'b', 'name': 'x', 'depends_on': ['a'], 'inputs': {'from': 'a', 'path': 'rows'}}] | tasks[1].inputs.path: 'rows' is no JSON pointer",
                "{'name': ' ', 'tasks': [{'id': 'a', 'name': 'x'}]} | name: must be one line",
                "{'key': '', 'tasks': [{'id': 'a', 'name': 'x'}]} | key: must have 1 to 255",
            })
    void refusesWhatIsWrong(String json, String message) {
        refused(json, message);
    }

    @Test
    void refusesWhatIsTooLarge() {
        List<TaskRequest> tasks = new ArrayList<>();
        for (int i = 0; i <= 10_000; i++) {
            tasks.add(TaskRequest.of("t" + i, "x"));
        }
        PlainJson json = new PlainJson();
        assertThat(GraphChecker.check(json, GraphRequest.of(tasks.subList(0, 10_000))))
                .hasSize(10_000);
        assertThatThrownBy(() -> GraphChecker.check(json, GraphRequest.of(tasks)))
                .isInstanceOf(InvalidGraph.class)
                .hasMessageContaining("10001 tasks; at most 10000");

        List<TaskRequest> dense = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            TaskRequest task = TaskRequest.of("t" + i, "x");
            for (int j = 0; j < i; j++) {
                task = task.dependsOn("t" + j);
            }
            dense.add(task);
        }
        assertThatThrownBy(() -> GraphChecker.check(json, GraphRequest.of(dense)))
                .isInstanceOf(InvalidGraph.class)
                .hasMessageContaining("79800 dependencies; at most 50000");

        String half = "x".repeat(600_000);
        assertThatThrownBy(() -> GraphChecker.check(
                        json, GraphRequest.of(TaskRequest.of("a", "x", half), TaskRequest.of("b", "x", half))))
                .isInstanceOf(InvalidGraph.class)
                .hasMessageContaining("at most 1048576");
        assertThatThrownBy(() -> GraphRequest.fromJson("[\"" + "x".repeat(1 << 20) + "\"]"))
                .isInstanceOf(InvalidGraph.class)
                .hasMessageContaining("at most 1048576");
    }

    @Test
    void aLongChainIsNoCycleAndALongCycleIsFound() {
        List<TaskRequest> chain = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            chain.add(TaskRequest.of("t" + i, "x").dependsOn("t" + (i + 1) % 10_000));
        }
        assertThatThrownBy(() -> GraphChecker.check(new PlainJson(), GraphRequest.of(chain)))
                .isInstanceOf(InvalidGraph.class)
                .hasMessageContaining("t0 -> t1 -> t2")
                .hasMessageEndingWith("t9999 -> t0");
        chain.set(9_999, TaskRequest.of("t9999", "x"));
        assertThat(GraphChecker.check(new PlainJson(), GraphRequest.of(chain))).hasSize(10_000);
    }

    @Test
    void theIdOfADependencyIsNoLongerThanThatOfATask() {
        String tasks = IntStream.range(1, 1_000)
                .mapToObj(i -> "{'id': 'a-task-of-the-import-" + i + "', 'name': 'x'}")
                .collect(Collectors.joining(", "));
        String json = "{'tasks': [{'id': 'first', 'name': 'x', 'depends_on': ['" + "b".repeat(100_000) + "']}, " + tasks
                + "]}";

        long bytes = Allocated.by(() -> assertThatThrownBy(() -> check(json))
                .hasMessage("tasks[0].depends_on[0]: must be the id of a task, which has at most 200 characters"));

        assertThat(bytes).isLessThan(64 << 20);
    }

    @Test
    void tasksAreCountedBeforeTheyAreRead() {
        refused("[" + "1,".repeat(10_000) + "1]", "tasks: the graph has 10001 tasks; at most 10000 are allowed");
        refused(
                "[{'id': 'a', 'name': 'x', 'depends_on': [" + "1,".repeat(50_000) + "1]}]",
                "tasks: the graph has 50001 dependencies; at most 50000 are allowed");
    }

    @Test
    void messagesAreNotAsLongAsWhatWasSent() {
        String id = "c".repeat(200);
        String cycle = IntStream.range(0, 1_000)
                .mapToObj(i -> "{'id': '" + i + id.substring(4) + "', 'name': 'x', 'depends_on': ['" + (i + 1) % 1_000
                        + id.substring(4) + "']}")
                .collect(Collectors.joining(", "));
        for (String json : List.of(
                "{'tasks': [], '" + "a".repeat(10_000) + "': 1}",
                "{'tasks': [{'id': 'a', 'name': 'x', 'trigger': '" + "b".repeat(10_000) + "'}]}",
                "{'tasks': [{'id': 'a', 'name': 'x', 'max_attempts': " + "9".repeat(900) + "}]}",
                "{'tasks': [{'id': 'a', 'name': 'x', 'inputs': {'" + "d".repeat(10_000) + "': {'from': '"
                        + "e".repeat(10_000) + "'}}}]}",
                "{'tasks': [" + cycle + "]}")) {
            assertThatThrownBy(() -> check(json))
                    .isInstanceOf(InvalidGraph.class)
                    .message()
                    .hasSizeLessThan(3_000);
        }
    }
}
