package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.muster.job.JobId;
import dev.muster.job.RetryPolicy;
import dev.muster.testkit.Node;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What code must not do between two executions of a run, and what becomes of errors that no retry can change. */
class ReplayGuardsIT extends ExchangedCode {

    /** The result of one step must never be taken for that of another. */
    @Test
    void stepsInAnotherOrderBlockTheRunUntilTheCodeIsBack() {
        JobId run = changed(ExchangedCode::stepsAndSleep, (self, wf) -> {
            self.effect(wf, "two");
            self.effect(wf, "one");
            wf.sleep(Duration.ofHours(1));
            return "done";
        });

        isBlockedBecause(run, "step 0 was 'one', the code asks for 'two'");
        workflow.code = ExchangedCode::stepsAndSleep;
        cluster.clock().advance(Duration.ofMinutes(1));

        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(workflow.effects).containsExactly("one", "two", "three");
    }

    @Test
    void parallelBranchesInThePlaceOfAStepBlockTheRunUntilTheCodeIsBack() {
        JobId run = changed(
                ExchangedCode::stepsAndSleep,
                (self, wf) -> wf.parallel(List.of(branch -> {
                    self.effect(branch, "one");
                    return null;
                })));

        isBlockedBecause(run, "step 0 was 'one', the code asks for parallel branches");
        workflow.code = ExchangedCode::stepsAndSleep;
        cluster.clock().advance(Duration.ofMinutes(1));

        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);
        assertThat(workflow.effects).containsExactly("one", "two", "three");
    }

    @Test
    void aStepInThePlaceOfParallelBranchesBlocksTheRun() {
        JobId run = changed(
                (self, wf) -> wf.parallel(List.of(branch -> {
                    self.effect(branch, "one");
                    branch.sleep(Duration.ofHours(1));
                    return null;
                })),
                (self, wf) -> {
                    self.effect(wf, "one");
                    return null;
                });

        isBlockedBecause(run, "step 0 was parallel branches, the code asks for 'one'");
        assertThat(workflow.effects).containsExactly("one");
    }

    @Test
    void codeThatEndsBeforeAStoredStepBlocksTheRun() {
        JobId run = changed(ExchangedCode::stepsAndSleep, (self, wf) -> {
            self.effect(wf, "one");
            return "early";
        });

        isBlockedBecause(run, "step 1 was 'two', but the code has ended without it");
    }

    @Test
    void codeThatFailsBeforeAStoredStepBlocksTheRunInsteadOfUndoingIt() {
        JobId run = changed(ExchangedCode::stepsAndSleep, (self, wf) -> {
            throw new IllegalStateException("a setting is missing");
        });

        isBlockedBecause(
                run,
                "step 0 was 'one', but the code has failed (java.lang.IllegalStateException: a setting is missing)");
    }

    @Test
    void aResultThatNoLongerFitsItsTypeBlocksTheRun() {
        JobId run = changed(
                (self, wf) -> {
                    wf.step("one", String.class, step -> "text");
                    wf.sleep(Duration.ofHours(1));
                    return null;
                },
                (self, wf) -> wf.step("one", Integer.class, step -> 1));

        isBlockedBecause(run, "step 0 'one': the step does not fit java.lang.Integer");
    }

    @Test
    void theResultOfAChildThatDoesNotFitItsTypeBlocksTheRun() {
        workflow.code = (self, wf) -> wf.child(WorkflowType.of("counting", Object.class, Integer.class), null);
        cluster.node(workflow, new Counting());
        JobId run = workflows().start("changing", null);
        isBlockedBecause(run, "step 0 the child 'counting': the result does not fit java.lang.Integer");

        workflow.code = (self, wf) -> wf.child(WorkflowType.of("counting", Object.class, String.class), null);
        cluster.clock().advance(Duration.ofMinutes(1));

        assertThat(ended(run).result()).contains("\"many\"");
    }

    @Test
    void aCompensationThatIsGoneBlocksTheRunInsteadOfUndoingIt() {
        JobId run = changed(
                (self, wf) -> {
                    wf.step("one").compensateWith("undo", "one").run(step -> null);
                    wf.sleep(Duration.ofHours(1));
                    return "done";
                },
                (self, wf) -> {
                    wf.step("one").compensateWith("gone", "one").run(step -> null);
                    wf.sleep(Duration.ofHours(1));
                    return "done";
                });

        awaitStatus(run, RunStatus.BLOCKED_MISSING_HANDLER);
        assertThat(found(run).reason().orElseThrow())
                .contains("no compensation 'gone', which step 'one' asks for; it has [undo]");
        assertThat(workflow.effects).isEmpty();
    }

    /** Another database that is away is a failure like any other: the step's own transaction works. */
    @Test
    void aStepInATransactionFailsIfAnotherDatabaseIsAway() {
        RunInfo info = runOnce((self, wf) -> wf.step("ask", String.class)
                .retry(RetryPolicy.attempts(1))
                .runIn(connection -> {
                    throw new SQLException("the other database is away", "08006");
                }));

        assertThat(info.status()).isEqualTo(RunStatus.FAILED);
        assertThat(info.error().orElseThrow()).contains("the other database is away");
    }

    @Test
    void anEventMayHaveAPrimitiveType() {
        workflow.code = (self, wf) -> wf.awaitEvent("count", int.class);
        cluster.node(workflow);
        JobId run = workflows().start("changing", null);

        workflows().signal(run, "count", 7);

        assertThat(ended(run).result()).contains("7");
    }

    @Test
    void timesThatNoCalendarHasAreTakenAsTheNearestOne() {
        Duration forEver = ChronoUnit.FOREVER.getDuration();
        RunInfo info = runOnce((self, wf) -> {
            wf.sleepUntil(Instant.MIN);
            wf.sleep(forEver.negated());
            wf.awaitEvent("never", String.class, forEver.negated());
            return wf.step("long", String.class).timeout(forEver).run(step -> "done");
        });

        assertThat(info.status()).as(info.toString()).isEqualTo(RunStatus.COMPLETED);
        assertThat(workflows().await(info.id(), forEver).status()).isEqualTo(RunStatus.COMPLETED);
    }

    @Test
    void anEffectWhoseResultCannotBeStoredIsNotRepeated() {
        RunInfo info = runOnce((self, wf) -> wf.step("charge", String.class, step -> {
            self.effects.add("charge");
            return "x".repeat(2 << 20);
        }));

        assertThat(info.status()).isEqualTo(RunStatus.FAILED);
        assertThat(info.error().orElseThrow()).contains("store it elsewhere and return a reference");
        assertThat(workflow.effects).containsExactly("charge");
    }

    /** It has happened, so it must not be the only one that stays. */
    @Test
    void anEffectWhoseResultCannotBeStoredIsUndone() {
        RunInfo info = runOnce((self, wf) -> wf.step("charge", String.class)
                .compensateWith("undo", "charge")
                .run(step -> {
                    self.effects.add("charge");
                    return "x".repeat(2 << 20);
                }));

        assertThat(info.status()).isEqualTo(RunStatus.COMPENSATED);
        assertThat(workflow.effects).containsExactly("charge", "undo charge");
    }

    @Test
    void anEffectDoesNotBeginIfTheArgsOfItsCompensationCannotBeStored() {
        RunInfo info = runOnce((self, wf) -> wf.step("charge", String.class)
                .compensateWith("undo", "x".repeat(2 << 20))
                .run(step -> {
                    self.effects.add("charge");
                    return "charged";
                }));

        assertThat(info.status()).isEqualTo(RunStatus.FAILED);
        assertThat(workflow.effects).isEmpty();
    }

    @Test
    void aTransactionThatCannotBeCommittedIsAFailureOfItsStep() throws Exception {
        database.execute(
                "CREATE TABLE parts (id int PRIMARY KEY, whole int REFERENCES parts DEFERRABLE INITIALLY DEFERRED)");
        RunInfo info = runOnce((self, wf) -> {
            wf.step("insert")
                    .optional()
                    .retry(RetryPolicy.fixed(2, Duration.ofMillis(1)))
                    .runIn(connection -> {
                        self.effects.add("insert");
                        try (Statement statement = connection.createStatement()) {
                            statement.execute("INSERT INTO parts VALUES (1, 2)");
                        }
                        return null;
                    });
            return "continued";
        });

        assertThat(info.result()).contains("\"continued\"");
        assertThat(workflow.effects).containsExactly("insert", "insert");
    }

    @Test
    void anEventThatDoesNotFitItsTypeIsAFailureThatTheCodeCanCatch() {
        workflow.code = (self, wf) -> {
            try {
                return wf.awaitEvent("count", Integer.class);
            } catch (StepFailed e) {
                return e.error();
            }
        };
        cluster.node(workflow);
        JobId run = workflows().start("changing", null);
        workflows().signal(run, "count", "many");

        assertThat(ended(run).result().orElseThrow()).contains("the event does not fit java.lang.Integer");
    }

    /** It would only fail in the same way each time. */
    @Test
    void anEventThatDoesNotFitItsTypeIsUsedUpAlsoAfterARetry() {
        AtomicBoolean broken = new AtomicBoolean(true);
        workflow.code = (self, wf) -> {
            Integer count = wf.awaitEvent("count", Integer.class);
            String unit = wf.awaitEvent("unit", String.class);
            failingIf(broken.get(), wf, "send");
            return count + " " + unit;
        };
        cluster.node(workflow);
        JobId run = workflows().start("changing", null);
        workflows().signal(run, "count", "many", "e1");
        assertThat(ended(run).error().orElseThrow()).contains("the event does not fit java.lang.Integer");

        assertThat(workflows().retry(run)).isTrue();

        awaitStatus(run, RunStatus.WAITING);
        assertThat(workflows().signal(run, "count", 7, "e1"))
                .as("the run knows this id")
                .isFalse();
        workflows().signal(run, "count", 7, "e2");
        workflows().signal(run, "unit", "books");
        assertThat(ended(run).status()).isEqualTo(RunStatus.FAILED);
        broken.set(false);
        assertThat(workflows().retry(run)).isTrue();
        assertThat(ended(run).result()).contains("\"7 books\"");
    }

    private static void failingIf(boolean broken, WorkflowContext wf, String name) {
        wf.step(name).retry(RetryPolicy.attempts(1)).run(step -> {
            if (broken) {
                throw new IllegalStateException("broken");
            }
            return null;
        });
    }

    @Test
    void compensationsRunInTheReverseOrderInWhichStepsEndedAlsoAfterRetries() {
        RunInfo info = runOnce((self, wf) -> {
            wf.parallel(List.of(
                    branch -> branch.step("slow", String.class)
                            .retry(RetryPolicy.fixed(2, Duration.ofMillis(1)))
                            .compensateWith("undo", "slow")
                            .run(step -> {
                                if (step.attempt() == 1) {
                                    throw new IllegalStateException("first attempt");
                                }
                                await().until(() -> workflows().steps(wf.runId()).stream()
                                        .anyMatch(other -> other.name().equals("quick")));
                                return "x";
                            }),
                    branch -> branch.step("quick", String.class)
                            .compensateWith("undo", "quick")
                            .run(step -> "x")));
            throw new IllegalStateException("undo it");
        });

        assertThat(info.status()).isEqualTo(RunStatus.COMPENSATED);
        assertThat(workflow.effects).containsExactly("undo slow", "undo quick");
    }

    @Test
    void aRetryRepeatsTheFailedBranchAndWhatCameAfterItButNotItsSiblings() {
        workflow.code = (self, wf) -> {
            try {
                wf.parallel(List.of(
                        branch -> {
                            self.effect(branch, "first");
                            branch.step("flaky").retry(RetryPolicy.attempts(1)).run(step -> {
                                if (!self.effects.contains("handled")) {
                                    throw new IllegalStateException("not yet");
                                }
                                self.effects.add("flaky");
                                return null;
                            });
                            return null;
                        },
                        branch -> {
                            self.effect(branch, "sibling");
                            return null;
                        }));
            } catch (StepFailed e) {
                self.effect(wf, "handled");
                throw e;
            }
            self.effect(wf, "after");
            return "done";
        };
        Node node = cluster.node(workflow);
        JobId run = workflows().start("changing", null);
        assertThat(ended(run).status()).isEqualTo(RunStatus.FAILED);
        assertThat(node.health().ok()).isTrue();

        assertThat(workflows().retry(run)).isTrue();

        assertThat(ended(run).result()).contains("\"done\"");
        assertThat(workflow.effects.stream().filter("sibling"::equals)).hasSize(1);
        assertThat(workflow.effects.stream().filter("first"::equals)).hasSize(1);
        assertThat(workflow.effects).endsWith("flaky", "after");
    }

    /** What the code got last has ended the run, whatever it has thrown instead and done before that; an earlier failure it has dealt with. */
    @Test
    void aRetryRepeatsTheLastFailureThatTheCodeHasCaught() {
        AtomicBoolean broken = new AtomicBoolean(true);
        workflow.code = (self, wf) -> {
            try {
                failing(wf, "ask");
            } catch (StepFailed e) {
                self.effect(wf, "guess");
            }
            try {
                wf.parallel(List.of(
                        branch -> branch.step("charge", String.class)
                                .retry(RetryPolicy.attempts(1))
                                .run(step -> {
                                    if (broken.get()) {
                                        throw new IllegalStateException("broken");
                                    }
                                    self.effects.add("charge");
                                    return null;
                                }),
                        branch -> branch.step("reserve", String.class)
                                .retry(RetryPolicy.attempts(1))
                                .run(step -> {
                                    if (broken.get()) {
                                        throw new IllegalStateException("broken");
                                    }
                                    self.effects.add("reserve");
                                    return null;
                                })));
            } catch (StepFailed e) {
                self.effect(wf, "alert");
                throw new IllegalStateException("not charged");
            }
            return "charged";
        };
        cluster.node(workflow);
        JobId run = workflows().start("changing", null);
        assertThat(ended(run).status()).isEqualTo(RunStatus.FAILED);
        broken.set(false);

        assertThat(workflows().retry(run)).isTrue();

        assertThat(ended(run).result()).contains("\"charged\"");
        assertThat(workflow.effects)
                .startsWith("ask", "guess", "alert")
                .containsExactlyInAnyOrder("ask", "guess", "alert", "charge", "reserve");
    }

    private void failing(WorkflowContext wf, String name) {
        wf.step(name).retry(RetryPolicy.attempts(1)).run(step -> {
            workflow.effects.add(name);
            throw new IllegalStateException("broken");
        });
    }

    @Test
    void aStepKeepsItsIdempotencyKeyAfterARetryAndSharesItWithNoOther() {
        Map<String, Set<String>> keys = new ConcurrentHashMap<>();
        AtomicBoolean broken = new AtomicBoolean(true);
        workflow.code = (self, wf) -> {
            try {
                wf.step("charge").retry(RetryPolicy.attempts(1)).run(step -> {
                    keys.computeIfAbsent("charge", name -> new HashSet<>()).add(step.idempotencyKey());
                    if (broken.get()) {
                        throw new IllegalStateException("broken");
                    }
                    return null;
                });
            } catch (StepFailed e) {
                noteKey(wf, "mail_bad_news", keys);
                throw e;
            }
            noteKey(wf, "mail_receipt", keys);
            return null;
        };
        cluster.node(workflow);
        JobId run = workflows().start("changing", null);
        assertThat(ended(run).status()).isEqualTo(RunStatus.FAILED);
        broken.set(false);
        assertThat(workflows().retry(run)).isTrue();
        assertThat(ended(run).status()).isEqualTo(RunStatus.COMPLETED);

        assertThat(keys).containsOnlyKeys("charge", "mail_bad_news", "mail_receipt");
        assertThat(keys.values()).allSatisfy(ofStep -> assertThat(ofStep).hasSize(1));
        assertThat(keys.values().stream().flatMap(Set::stream)).doesNotHaveDuplicates();
    }

    private static void noteKey(WorkflowContext wf, String name, Map<String, Set<String>> keys) {
        wf.step(name).run(step -> {
            keys.computeIfAbsent(name, any -> new HashSet<>()).add(step.idempotencyKey());
            return null;
        });
    }

    /** A standby takes over that has the claim of the run, but not its last step: what the code did with that step's result is done again. */
    @Test
    void aRunContinuesFromWhatTheNewServerHas() {
        AtomicInteger draws = new AtomicInteger();
        CountDownLatch started = new CountDownLatch(1);
        workflow.code = (self, wf) -> {
            Integer number = wf.step("draw", Integer.class).run(step -> draws.incrementAndGet());
            return wf.step("show", String.class).run(step -> {
                started.await();
                if (draws.get() == 1) {
                    database.execute("DELETE FROM muster_workflow_steps WHERE name = 'draw';"
                            + " UPDATE muster_server SET wal_timeline = 5");
                }
                return "number " + number;
            });
        };
        cluster.node(workflow);

        JobId run = workflows().start("changing", null);
        started.countDown();

        // Who asks while the servers change may be refused.
        await().atMost(SOON).ignoreExceptions().untilAsserted(() -> {
            assertThat(found(run).result()).contains("\"number 2\"");
            assertThat(workflows().steps(run))
                    .extracting(StepInfo::name, step -> step.result().orElse(""))
                    .containsExactly(tuple("draw", "2"), tuple("show", "\"number 2\""));
        });
    }
}
