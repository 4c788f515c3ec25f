package dev.muster.config;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A rule that settings have to keep together. */
interface SettingCheck {

    /** All rules between settings. */
    static List<SettingCheck> all() {
        return Stream.of(Relation.ALL, List.of(new IssuerNeedsKeys()), ExecutorChecks.ALL)
                .<SettingCheck>flatMap(List::stream)
                .toList();
    }

    /**
     * Says where the values break the rule.
     *
     * @param readable whether the setting's value could be read; a rule about other settings is not checked
     */
    List<ConfigProblem> problems(Values values, Predicate<Setting<?>> readable);

    /** The rule in one sentence. */
    String sentence();
}
