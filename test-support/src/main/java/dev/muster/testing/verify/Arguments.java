package dev.muster.testing.verify;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What {@code ./verify} was asked to do; the script has refused what it does not know. */
final class Arguments {
    Path root;
    boolean longRun;
    /** Modules, classes or {@code Class#method}; everything if empty. */
    final List<String> only = new ArrayList<>();
    /** How often to run {@link #only} under load; 0 for an ordinary run. */
    int stress;

    int load = 2 * Runtime.getRuntime().availableProcessors();
    /** One more than processors, because tests often wait. */
    int jvms = Runtime.getRuntime().availableProcessors() + 1;

    int columns;
    final List<String> missing = new ArrayList<>();
    final List<String> broken = new ArrayList<>();
    final List<String> jvmOptions = new ArrayList<>();

    static Arguments parse(String... args) {
        Arguments parsed = new Arguments();
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--root" ->
                    parsed.root = Path.of(args[++i]).toAbsolutePath().normalize();
                case "--long" -> parsed.longRun = true;
                case "--only" -> parsed.only.addAll(List.of(args[++i].split(",")));
                case "--stress" -> parsed.stress = number(args[i], args[++i]);
                case "--load" -> parsed.load = number(args[i], args[++i]);
                case "--jvms" -> parsed.jvms = Math.max(1, number(args[i], args[++i]));
                case "--columns" -> parsed.columns = number(args[i], args[++i]);
                case "--missing" -> parsed.missing.add(args[++i]);
                case "--broken" -> parsed.broken.add(args[++i]);
                default -> parsed.jvmOptions.add(args[i]);
            }
        }
        return parsed;
    }

    private static int number(String option, String text) {
        if (!text.matches("\\d{1,6}")) {
            throw new Refused(option + " wants a number, not '" + text + "'");
        }
        return Integer.parseInt(text);
    }

    /** The caller's mistake, in a sentence. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;

        Refused(String message) {
            super(message);
        }
    }
}
