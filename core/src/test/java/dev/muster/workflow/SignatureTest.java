package dev.muster.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SignatureTest {
    static class Base {
        String id = "";
    }

    static class Order extends Base {
        int amount;
    }

    static class OtherBase {
        long id;
    }

    static class OrderOfOtherBase extends OtherBase {
        int amount;
    }

    static class FlatOrder {
        String id = "";
        int amount;
    }

    private static String of(Class<?> input) {
        return Signature.of("a", "v1", input, Void.class, List.of()).digest();
    }

    @Test
    void inheritedFieldsAreFieldsOfTheInput() {
        assertThat(of(Order.class)).isEqualTo(of(FlatOrder.class)).isNotEqualTo(of(OrderOfOtherBase.class));
    }
}
