package dev.muster.testing.verify;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which classes of which modules run. */
record Selection(Map<TestModule, List<String>> classesByModule) {

    static Selection everything(List<TestModule> modules) {
        Map<TestModule, List<String>> all = new LinkedHashMap<>();
        modules.forEach(module -> all.put(module, module.classes()));
        return new Selection(all);
    }

    /** @param wanted modules, classes, {@code Class#method}, or one of these two in one module: {@code module:Class} */
    static Selection of(List<TestModule> modules, List<String> wanted) {
        if (wanted.isEmpty()) {
            return everything(modules);
        }
        Map<TestModule, List<String>> chosen = new LinkedHashMap<>();
        for (String name : wanted) {
            boolean found = false;
            int colon = name.indexOf(':');
            String type = name.substring(colon + 1).replaceFirst("#.*", "");
            String method = name.substring(colon + 1 + type.length());
            for (TestModule module : modules) {
                if (colon >= 0 && !module.folder().equals(name.substring(0, colon))) {
                    continue;
                }
                List<String> matching = module.folder().equals(name)
                        ? module.classes()
                        : module.classes().stream()
                                .filter(each -> each.equals(type)
                                        || Results.simple(each).equals(type))
                                .map(each -> each + method)
                                .toList();
                if (!matching.isEmpty()) {
                    found = true;
                    chosen.computeIfAbsent(module, key -> new ArrayList<>()).addAll(matching);
                }
            }
            if (!found) {
                throw new Arguments.Refused("there is no module and no test class called '" + name + "'");
            }
        }
        return new Selection(chosen);
    }

    /** The classes without methods. */
    static List<String> types(List<String> selected) {
        return selected.stream()
                .map(name -> name.replaceFirst("#.*", ""))
                .distinct()
                .toList();
    }
}
