package dev.muster.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.DayOfWeek;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.slf4j.helpers.NOPLogger;

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

    /** What it says of itself is for people. */
    enum Size {
        SMALL,
        LARGE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT) + " size";
        }
    }

    record Parcel(Size size, Order order) {}

    private static String of(Class<?> input) {
        return text(SignatureTest.class, input);
    }

    private static String text(Class<?> code, Class<?> input) {
        Signature signature = Signature.of(code, "a", "v1", input, Void.class, List.of());
        assertThat(signature.digest()).hasSize(64);
        return signature.text();
    }

    @Test
    void inheritedFieldsAreFieldsOfTheInput() {
        assertThat(of(Order.class)).isEqualTo(of(FlatOrder.class)).isNotEqualTo(of(OrderOfOtherBase.class));
    }

    @Test
    void constantsOfEnumsCountByTheirNames() {
        assertThat(of(Parcel.class))
                .contains("input {order: {amount: int, id: java.lang.String}, size: enum[SMALL, LARGE]}");
    }

    /** A library may change the private fields of its classes in any of its versions, and add constants to its enums. */
    @Test
    void ofClassesThatBelongToSomebodyElseOnlyTheNameCounts() {
        String ofSomebodyElse = text(String.class, Parcel.class);

        assertThat(ofSomebodyElse)
                .contains("input {order: " + Order.class.getName() + ", size: " + Size.class.getName() + "}");
        assertThat(of(DayOfWeek.class)).contains("input java.time.DayOfWeek\n");
        assertThat(of(Noted.class)).contains("{note: org.slf4j.helpers.NOPLogger}");
    }

    record Noted(NOPLogger note) {}

    @Test
    void runsWithTheFormerSignatureAreKnown() {
        Signature former = Signature.former("a", "v1", Parcel.class, Void.class, List.of());

        assertThat(former.text()).contains("size: enum[small size, large size]");
        assertThat(Signature.former("a", "v1", Order.class, Void.class, List.of()))
                .isEqualTo(Signature.of(SignatureTest.class, "a", "v1", Order.class, Void.class, List.of()));
        assertThat(Signature.former("a", "v1", Noted.class, Void.class, List.of())
                        .text())
                .contains("{note: {name: java.lang.String}}");
    }
}
