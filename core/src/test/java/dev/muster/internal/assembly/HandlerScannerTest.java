package dev.muster.internal.assembly;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.daemon.Daemon;
import dev.muster.daemon.DaemonContext;
import dev.muster.function.Mutation;
import dev.muster.function.MutationContext;
import dev.muster.function.Query;
import dev.muster.function.QueryContext;
import dev.muster.internal.node.Handlers;
import dev.muster.internal.worker.JobMethods;
import dev.muster.job.Job;
import dev.muster.job.JobHandler;
import dev.muster.runtime.MusterException;
import dev.muster.schedule.Cron;
import dev.muster.schedule.CronContext;
import dev.muster.workflow.Workflow;
import dev.muster.workflow.WorkflowContext;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class HandlerScannerTest {

    static class Base {
        @Job("inherited")
        String inherited(String text) {
            return "inherited " + text;
        }
    }

    static class Bean extends Base {
        final String name;

        Bean(String name) {
            this.name = name;
        }

        @Job("greet")
        String greet(String whom) {
            return name + " greets " + whom;
        }

        @Job("fail")
        void fail() throws Exception {
            throw new InterruptedException("checked");
        }

        @Cron("0 * * * *")
        void hourly(CronContext ctx) {}

        @Daemon
        void feed(DaemonContext ctx) {}

        @Workflow(name = "checkout", version = "v1")
        String checkout(WorkflowContext ctx, String cart) {
            return cart;
        }

        @Query
        String order(QueryContext ctx, String id) {
            return id;
        }

        @Mutation
        String place(MutationContext ctx, String id) {
            return id;
        }

        void plain() {}
    }

    /** What a container puts in front of a bean. */
    static final class Wrapper extends Bean {
        Wrapper() {
            super("the wrapper");
        }

        public String wrapped(String whom) {
            return "wrapped " + whom;
        }
    }

    private static JobHandler job(Handlers handlers, String name) {
        return handlers.of(JobMethods.JOBS).stream()
                .filter(handler -> handler.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static Object run(Handlers handlers, String name, Object args) throws Exception {
        return job(handlers, name).body().run(null, args);
    }

    @Test
    void findsHandlersOfEveryKindWithoutTheObject() {
        List<Method> methods = HandlerScanner.handlerMethods(Bean.class);
        assertThat(methods)
                .extracting(Method::getName)
                .containsExactlyInAnyOrder(
                        "greet", "fail", "hourly", "feed", "checkout", "order", "place", "inherited");

        Handlers found = HandlerScanner.scan(
                Bean.class,
                () -> {
                    throw new AssertionError("the object was asked for while nothing was called");
                },
                method -> {
                    throw new AssertionError("the method was asked for while nothing was called");
                });
        assertThat(found.of(JobMethods.JOBS))
                .extracting(JobHandler::name)
                .containsExactlyInAnyOrder("greet", "fail", "inherited");
        assertThat(job(found, "greet").body().declaredIn()).contains(Bean.class);
    }

    @Test
    void asksForTheObjectWithEachCallAndForTheMethodOnce() throws Exception {
        AtomicInteger objects = new AtomicInteger();
        List<String> methods = new ArrayList<>();
        Handlers found =
                HandlerScanner.scan(Bean.class, () -> new Bean("bean " + objects.incrementAndGet()), method -> {
                    methods.add(method.getName());
                    return method;
                });
        assertThat(run(found, "greet", "Ada")).isEqualTo("bean 1 greets Ada");
        assertThat(run(found, "greet", "Bob")).isEqualTo("bean 2 greets Bob");
        assertThat(run(found, "inherited", "text")).isEqualTo("inherited text");
        assertThat(methods).containsExactly("greet", "inherited");
    }

    @Test
    void callsTheMethodThatTheContainerNames() throws Exception {
        Method wrapped = Wrapper.class.getMethod("wrapped", String.class);
        Handlers found = HandlerScanner.scan(
                Bean.class, Wrapper::new, method -> method.getName().equals("greet") ? wrapped : method);
        assertThat(run(found, "greet", "Ada")).isEqualTo("wrapped Ada");
    }

    @Test
    void exceptionsOfTheHandlerComeOutAsTheyAre() {
        Handlers found = HandlerScanner.scan(Bean.class, () -> new Bean("bean"), UnaryOperator.identity());
        assertThatThrownBy(() -> run(found, "fail", null))
                .isInstanceOf(InterruptedException.class)
                .hasMessage("checked");
    }

    @Test
    void aMethodThatTheContainerRefusesFailsTheCall() {
        Handlers found = HandlerScanner.scan(Bean.class, () -> new Bean("bean"), method -> {
            throw new MusterException(method.getName() + " is private");
        });
        assertThatThrownBy(() -> run(found, "greet", "Ada")).hasMessage("greet is private");
    }

    interface Face {
        @Job("default")
        default String byDefault() {
            return "by default";
        }

        @Job("declared")
        String declared(String text);
    }

    abstract static class Generic<T> {
        @Job("overridden")
        String overridden(T args) {
            return "above";
        }

        @Job("overridden_without_annotation")
        String plainly() {
            return "above";
        }
    }

    static class Below extends Generic<String> implements Face {
        @Override
        @Job("overridden")
        String overridden(String args) {
            return "below " + args;
        }

        @Override
        String plainly() {
            return "below";
        }

        @Override
        public String declared(String text) {
            return "declared above, written below: " + text;
        }
    }

    @Test
    void anInheritedMethodIsOneHandlerHoweverOftenItIsOverriddenOrDeclared() throws Exception {
        Handlers found = HandlerScanner.scan(new Below());
        assertThat(found.of(JobMethods.JOBS))
                .extracting(JobHandler::name)
                .containsExactlyInAnyOrder("overridden", "overridden_without_annotation", "default", "declared");
        assertThat(run(found, "overridden", "text")).isEqualTo("below text");
        assertThat(run(found, "overridden_without_annotation", null)).isEqualTo("below");
        assertThat(run(found, "default", null)).isEqualTo("by default");
        assertThat(run(found, "declared", "text")).isEqualTo("declared above, written below: text");
        assertThat(HandlerScanner.handlerMethods(Below.class)).hasSize(4);
    }
}
