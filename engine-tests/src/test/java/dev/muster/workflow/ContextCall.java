package dev.muster.workflow;

import java.time.Duration;
import java.util.List;

/** The calls of a workflow's context that do something, or return what the code continues with. */
enum ContextCall {
    STEP {
        @Override
        void on(WorkflowContext wf, List<String> effects) {
            ship(wf, effects);
        }
    },
    STEP_IN {
        @Override
        void on(WorkflowContext wf, List<String> effects) {
            wf.step("ship").runIn(connection -> {
                effects.add("ship");
                return null;
            });
        }
    },
    PARALLEL {
        @Override
        void on(WorkflowContext wf, List<String> effects) {
            wf.parallel(List.of(
                    branch -> {
                        ship(branch, effects);
                        return null;
                    },
                    branch -> null));
        }
    },
    CHILD {
        @Override
        void on(WorkflowContext wf, List<String> effects) {
            wf.child(WorkflowType.of("packing", Object.class, String.class), null);
        }
    },
    SLEEP {
        @Override
        void on(WorkflowContext wf, List<String> effects) {
            wf.sleep(Duration.ZERO);
        }
    },
    NOW {
        @Override
        void on(WorkflowContext wf, List<String> effects) {
            wf.now();
        }
    },
    /** A test sends the event "checked". */
    AWAIT_EVENT {
        @Override
        void on(WorkflowContext wf, List<String> effects) {
            wf.awaitEvent("checked", String.class);
        }
    },
    RANDOM {
        @Override
        void on(WorkflowContext wf, List<String> effects) {
            wf.random().nextInt();
        }
    },
    UUID {
        @Override
        void on(WorkflowContext wf, List<String> effects) {
            wf.uuid();
        }
    },
    CONTINUE_AS_NEW {
        @Override
        void on(WorkflowContext wf, List<String> effects) {
            effects.add("asked for " + wf.continueAsNew(null).getClass().getSimpleName());
        }
    };

    abstract void on(WorkflowContext wf, List<String> effects);

    private static void ship(WorkflowContext wf, List<String> effects) {
        wf.step("ship", () -> effects.add("ship"));
    }
}
