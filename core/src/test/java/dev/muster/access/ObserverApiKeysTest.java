package dev.muster.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.runtime.ObserverRefusal;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ObserverApiKeysTest {
    private static final Set<String> READS = Set.of("find", "list", "as");

    private final List<String> called = new ArrayList<>();
    private final ApiKeys observer = new ObserverApiKeys((ApiKeys) Proxy.newProxyInstance(
            ApiKeys.class.getClassLoader(), new Class<?>[] {ApiKeys.class}, (proxy, method, args) -> {
                called.add(method.getName());
                return method.getReturnType() == ApiKeys.class ? proxy : null;
            }));

    @Test
    void everyMethodThatDoesNotOnlyReadIsRefused() throws Exception {
        for (Method method : ApiKeys.class.getMethods()) {
            called.clear();
            Object[] nothing = new Object[method.getParameterCount()];
            if (READS.contains(method.getName())) {
                method.invoke(observer, nothing);
                assertThat(called).containsExactly(method.getName());
            } else {
                assertThatThrownBy(() -> method.invoke(observer, nothing))
                        .as(method.getName())
                        .isInstanceOf(InvocationTargetException.class)
                        .hasCauseInstanceOf(ObserverRefusal.class);
                assertThat(called).isEmpty();
            }
        }
    }

    @Test
    void noCallerMakesAnObserverWrite() {
        Caller admin = Caller.program("admin");
        assertThatThrownBy(() -> observer.as(admin).revoke("x")).isInstanceOf(ObserverRefusal.class);
        assertThatThrownBy(() -> observer.as(admin, "request").rotate("x", Duration.ZERO))
                .isInstanceOf(ObserverRefusal.class);
    }
}
