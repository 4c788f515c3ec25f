package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.runtime.ObserverRefusal;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ObserverAdminTest {
    private static final Set<String> CHANGES = Set.of("migrateUp");

    private final List<String> called = new ArrayList<>();
    private final Admin observer = new ObserverAdmin((Admin) Proxy.newProxyInstance(
            Admin.class.getClassLoader(), new Class<?>[] {Admin.class}, (proxy, method, args) -> {
                called.add(method.getName());
                return null;
            }));

    @Test
    void everyMethodIsPassedOnUnlessItChangesSomething() throws Exception {
        for (Method method : Admin.class.getMethods()) {
            called.clear();
            Object[] nothing = Arrays.stream(method.getParameterTypes())
                    .map(ObserverAdminTest::nothing)
                    .toArray();
            if (CHANGES.contains(method.getName())) {
                assertThatThrownBy(() -> method.invoke(observer, nothing))
                        .isInstanceOf(InvocationTargetException.class)
                        .hasCauseInstanceOf(ObserverRefusal.class);
                assertThat(called).isEmpty();
            } else {
                method.invoke(observer, nothing);
                assertThat(called).containsExactly(method.getName());
            }
        }
    }

    private static @Nullable Object nothing(Class<?> type) {
        if (type == boolean.class) {
            return false;
        }
        return type == int.class ? 0 : null;
    }
}
