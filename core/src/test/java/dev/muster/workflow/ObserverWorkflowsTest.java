package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.runtime.ObserverRefusal;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ObserverWorkflowsTest {
    private static final Set<String> READS =
            Set.of("find", "steps", "step", "list", "countLive", "await", "result", "definitions");

    private final List<String> called = new ArrayList<>();
    private final Workflows observer = new ObserverWorkflows((Workflows) Proxy.newProxyInstance(
            Workflows.class.getClassLoader(), new Class<?>[] {Workflows.class}, (proxy, method, args) -> {
                called.add(method.getName());
                return method.getReturnType() == int.class ? 0 : null;
            }));

    @Test
    void everyMethodThatDoesNotOnlyReadIsRefused() throws Exception {
        for (Method method : Workflows.class.getMethods()) {
            called.clear();
            Object[] nothing = new Object[method.getParameterCount()];
            if (READS.contains(method.getName())) {
                method.invoke(observer, nothing);
                assertThat(called).containsExactly(method.getName());
            } else if (!method.isDefault()) {
                assertThatThrownBy(() -> method.invoke(observer, nothing))
                        .as(method.getName())
                        .isInstanceOf(InvocationTargetException.class)
                        .hasCauseInstanceOf(ObserverRefusal.class);
                assertThat(called).isEmpty();
            }
        }
    }

    @Test
    void theShortWaysToStartARunAreRefusedToo() {
        assertThatThrownBy(() -> observer.start("checkout", null)).isInstanceOf(ObserverRefusal.class);
        assertThatThrownBy(() -> observer.start(WorkflowType.of("checkout", String.class), "x"))
                .isInstanceOf(ObserverRefusal.class);
    }
}
