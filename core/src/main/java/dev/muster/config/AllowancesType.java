package dev.muster.config;

import dev.muster.config.TenantsConfig.Allowance;
import dev.muster.config.TenantsConfig.Option;
import dev.muster.internal.config.DurationText;
import dev.muster.internal.config.DurationText.InvalidDuration;
import dev.muster.runtime.InvalidName;
import dev.muster.runtime.NamePattern;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Options of a job that tenants may set, each as {@code option} or {@code option:limit}; as text, separated by commas. */
record AllowancesType() implements ValueType<List<Allowance>> {
    /** The priorities, which are of another package; the lowest comes first. */
    static final List<String> PRIORITIES = List.of("background", "low", "normal", "high", "critical");

    private static final int MOST = 1_000;

    @Override
    public List<Allowance> parse(Object raw) throws BadValue {
        Set<Allowance> allowances = new LinkedHashSet<>();
        for (Object item : NamesType.items(raw)) {
            if (!(item instanceof String text)) {
                throw new BadValue("lists " + item + ", which is not text");
            }
            allowances.add(allowance(text.strip()));
        }
        return List.copyOf(allowances);
    }

    private static Allowance allowance(String text) throws BadValue {
        int colon = text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        Option option = Arrays.stream(Option.values())
                .filter(one -> one.text().equals(name))
                .findFirst()
                .orElse(null);
        if (option == null) {
            throw new BadValue("lists '" + name + "', which is no option; there are " + names());
        }
        if (colon < 0) {
            return new Allowance(option, Optional.empty());
        }
        String limit = text.substring(colon + 1);
        checkLimit(option, limit);
        return new Allowance(option, Optional.of(limit));
    }

    private static void checkLimit(Option option, String limit) throws BadValue {
        String where = "lists '" + option.text() + ":" + limit + "', but ";
        switch (option) {
            case QUEUE -> {
                try {
                    NamePattern.of(limit);
                } catch (InvalidName invalid) {
                    throw new BadValue(where + invalid.getMessage());
                }
            }
            case PRIORITY -> {
                if (!PRIORITIES.contains(limit)) {
                    throw new BadValue(where + "there are only the priorities " + String.join(", ", PRIORITIES));
                }
            }
            case MAX_ATTEMPTS, MAX_CRASHES -> {
                if (!limit.matches("\\d{1,4}") || Integer.parseInt(limit) > MOST) {
                    throw new BadValue(where + "it must be a whole number up to " + MOST);
                }
            }
            case TIMEOUT -> {
                try {
                    DurationText.parse(limit);
                } catch (InvalidDuration invalid) {
                    throw new BadValue(where + invalid.getMessage());
                }
            }
            case PLACEMENT, CONCURRENCY_KEY ->
                throw new BadValue(where + option.text() + " has no limit: write it alone, or leave it out");
        }
    }

    private static String names() {
        return Arrays.stream(Option.values()).map(Option::text).collect(Collectors.joining(", "));
    }

    @Override
    public String show(List<Allowance> value) {
        return TenantsConfig.show(value);
    }

    @Override
    public String allowed() {
        return "a list of " + names()
                + ", some with a limit, such as [\"queue:mail_*\", \"priority:high\", \"timeout:10m\"]";
    }
}
