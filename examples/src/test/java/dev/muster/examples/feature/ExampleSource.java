package dev.muster.examples.feature;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The source of an example: what its Javadoc says, and whether it contains certain lines. */
record ExampleSource(String name, List<String> lines) {
    static final Path FEATURES = Path.of("src/main/java/dev/muster/examples/feature");
    private static final Pattern JAVADOC =
            Pattern.compile("(?s)/\\*\\*(.*?)\\*/\\s*(?:final |public |@\\w+\\s*)*class ");
    private static final Pattern OUTPUT = Pattern.compile("(?s)<pre>\n(.*?)\n</pre>\\s*$");
    private static final Pattern FIRST_SENTENCE = Pattern.compile("(?s)^(.*?[.:])(\\s|$)");

    static ExampleSource of(Example example) {
        return named(Examples.nameOf(example));
    }

    /** The class of this name in the examples or their tests, or else in those of the Spring shop. */
    static ExampleSource named(String name) {
        try (Stream<Path> files = Files.walk(Path.of("src"));
                Stream<Path> ofSpring = Files.walk(Path.of("spring-shop/src"))) {
            Path file = Stream.concat(files, ofSpring)
                    .filter(it -> it.endsWith(name + ".java"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("there is no example " + name));
            return new ExampleSource(name, Files.readAllLines(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The text of the class's Javadoc, without the asterisks. */
    private String javadoc() {
        Matcher comment = JAVADOC.matcher(String.join("\n", lines));
        if (!comment.find()) {
            throw new AssertionError(name + " has no Javadoc");
        }
        return comment.group(1).replaceAll("(?m)^ *\\* ?", "").strip();
    }

    /** What it prints, by the end of its Javadoc. */
    List<String> output() {
        Matcher output = OUTPUT.matcher(javadoc());
        if (!output.find()) {
            throw new AssertionError("the Javadoc of " + name + " does not end with what it prints, in <pre>");
        }
        return output.group(1).lines().toList();
    }

    /** What it shows, in a sentence for the table of examples. */
    String summary() {
        Matcher sentence = FIRST_SENTENCE.matcher(javadoc().replaceAll("\\{@code\\s+([^}]*)}", "`$1`"));
        if (!sentence.find()) {
            throw new AssertionError("the Javadoc of " + name + " has no sentence");
        }
        return sentence.group(1).replaceAll("\\s+", " ").replaceAll(":$", ".");
    }

    /** Whether these lines follow each other in it, with the same indentation relative to each other. */
    boolean contains(List<String> wanted) {
        for (int start = 0; start + wanted.size() <= lines.size(); start++) {
            if (matchesAt(start, wanted)) {
                return true;
            }
        }
        return false;
    }

    private boolean matchesAt(int start, List<String> wanted) {
        int first = lines.get(start).indexOf(wanted.get(0));
        if (first < 0) {
            return false;
        }
        String indentation = lines.get(start).substring(0, first);
        for (int i = 0; i < wanted.size(); i++) {
            if (!lines.get(start + i).equals(indentation + wanted.get(i))) {
                return false;
            }
        }
        return true;
    }
}
