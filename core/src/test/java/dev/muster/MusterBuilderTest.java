package dev.muster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.graph.Graphs;
import dev.muster.ratelimit.RateLimits;
import dev.muster.runtime.MusterException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MusterBuilderTest {

    /** What a Muster returns for handlers to use; an operator's {@link Admin} is not for them. */
    static Stream<Method> apis() throws NoSuchMethodException {
        return Stream.concat(
                Arrays.stream(ClusterApi.class.getMethods())
                        .filter(method -> method.getReturnType().isInterface()
                                && method.getReturnType().getName().startsWith("dev.muster.")
                                && method.getReturnType() != Admin.class),
                Stream.of(Muster.class.getMethod("rateLimits")));
    }

    @ParameterizedTest
    @MethodSource("apis")
    void aHandlerThatIsCreatedBeforeTheMusterCanHaveEachApi(Method api) throws Exception {
        Object standIn = MusterBuilder.class.getMethod(api.getName()).invoke(Muster.builder());
        assertThat(standIn).isInstanceOf(api.getReturnType()).hasToString("the " + api.getName() + "() of a Muster");
    }

    @Test
    void aCallBeforeTheMusterExistsSaysSo() {
        Graphs graphs = Muster.builder().graphs();
        assertThatThrownBy(() -> graphs.list(Graphs.GraphQuery.all()))
                .isInstanceOf(MusterException.class)
                .hasMessageStartingWith("graphs().list was called before this Muster was built");
        RateLimits limits = Muster.builder().rateLimits();
        assertThat(limits).isEqualTo(limits).isNotEqualTo(Muster.builder().rateLimits());
    }
}
