package dev.muster.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** Makes meters by their {@link MeterName} in one registry, until it is closed. Thread-safe. */
final class Meters {
    /** The bounds of the buckets, the same as on the page of the gateway. */
    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(10),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofMillis(2_500),
        Duration.ofSeconds(10),
        Duration.ofMinutes(1),
        Duration.ofMinutes(10)
    };

    private final Tags common;
    private MeterRegistry registry;

    /** @param common tags that all meters get */
    Meters(MeterRegistry registry, Iterable<Tag> common) {
        this.registry = registry;
        this.common = Tags.of(common);
    }

    /** Removes all meters. What is made from now on counts for nobody. */
    synchronized void close() {
        List.copyOf(registry.getMeters()).forEach(registry::remove);
        registry = new CompositeMeterRegistry();
    }

    /** @param values the values of the meter's tags, in their order */
    synchronized Counter counter(MeterName name, String... values) {
        return Counter.builder(name.text())
                .description(name.description())
                .tags(tags(name, values))
                .register(registry);
    }

    /** A counter for each constant. */
    <E extends Enum<E>> Map<E, Counter> counters(Class<E> type, Function<E, Counter> counter) {
        Map<E, Counter> counters = new EnumMap<>(type);
        for (E constant : type.getEnumConstants()) {
            counters.put(constant, counter.apply(constant));
        }
        return counters;
    }

    synchronized Timer timer(MeterName name, String... values) {
        return Timer.builder(name.text())
                .description(name.description())
                .tags(tags(name, values))
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }

    synchronized void gauge(MeterName name, Supplier<Number> value, String... values) {
        Gauge.builder(name.text(), value)
                .description(name.description())
                .tags(tags(name, values))
                .strongReference(true)
                .register(registry);
    }

    /** Gauges whose tags change. */
    synchronized MultiGauge gauges(MeterName name) {
        MultiGauge.Builder builder =
                MultiGauge.builder(name.text()).description(name.description()).tags(common);
        return (name == MeterName.QUEUE_OLDEST_DUE ? builder.baseUnit("seconds") : builder).register(registry);
    }

    static MultiGauge.Row<?> row(MeterName name, double value, String... values) {
        return MultiGauge.Row.of(own(name, values), value);
    }

    private Tags tags(MeterName name, String... values) {
        return common.and(own(name, values));
    }

    private static Tags own(MeterName name, String... values) {
        List<String> names = name.tags();
        Tags tags = Tags.empty();
        for (int i = 0; i < names.size(); i++) {
            tags = tags.and(names.get(i), values[i]);
        }
        return tags;
    }

    /** The name of a constant as a tag has it. */
    static String text(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
