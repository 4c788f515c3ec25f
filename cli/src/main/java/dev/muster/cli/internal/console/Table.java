package dev.muster.cli.internal.console;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Text in aligned columns under headings. */
public final class Table {
    private static final String GAP = "  ";

    private final List<String> headings;
    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... headings) {
        this.headings = List.of(headings);
    }

    public Table row(Object... cells) {
        List<String> row = new ArrayList<>();
        for (Object cell : cells) {
            row.add(oneLine(String.valueOf(cell)));
        }
        if (row.size() != headings.size()) {
            throw new IllegalArgumentException(row.size() + " cells for " + headings.size() + " columns");
        }
        rows.add(row);
        return this;
    }

    /** Leaves out those of these columns that are empty in all rows. */
    public Table without(String... emptyOnes) {
        List<Integer> kept = IntStream.range(0, headings.size())
                .filter(i -> !List.of(emptyOnes).contains(headings.get(i))
                        || rows.stream().anyMatch(row -> !row.get(i).equals("-")))
                .boxed()
                .toList();
        Table table = new Table(kept.stream().map(headings::get).toArray(String[]::new));
        rows.forEach(row -> table.row(kept.stream().map(row::get).toArray()));
        return table;
    }

    /** Replaces line breaks, control characters and those that cannot be seen, so that a job's data cannot control the terminal. */
    public static String oneLine(String text) {
        return text.replaceAll("[\\p{Cc}\\p{Cf}\\u2028\\u2029]+", " ");
    }

    /** The text cut to a width, with an ellipsis where something is missing. */
    public static String cut(String text, int width) {
        return text.length() <= width ? text : text.substring(0, width - 1) + "…";
    }

    @Override
    public String toString() {
        int[] widths = new int[headings.size()];
        measure(headings, widths);
        rows.forEach(row -> measure(row, widths));
        StringBuilder text = new StringBuilder();
        append(headings, widths, text);
        rows.forEach(row -> append(row, widths, text));
        return text.toString();
    }

    private static void measure(List<String> row, int[] widths) {
        for (int i = 0; i < widths.length; i++) {
            widths[i] = Math.max(widths[i], row.get(i).length());
        }
    }

    private static void append(List<String> row, int[] widths, StringBuilder text) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            line.append(row.get(i))
                    .append(" ".repeat(widths[i] - row.get(i).length()))
                    .append(GAP);
        }
        text.append(line.toString().stripTrailing()).append('\n');
    }
}
