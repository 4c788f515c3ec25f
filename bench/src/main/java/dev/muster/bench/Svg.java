package dev.muster.bench;

import java.util.Locale;

/** The text of one SVG picture, readable on a light and on a dark page. */
final class Svg {
    private static final String STYLE = """
            text { font: 13px system-ui, sans-serif; fill: #24292f }
            .title { font-weight: 600; font-size: 15px }
            .quiet { fill: #57606a }
            .end { text-anchor: end }
            .middle { text-anchor: middle }
            .muster { fill: #0969da }
            .other { fill: #8c959f }
            .spread, .axis { stroke: #57606a; stroke-width: 1.5; fill: none }
            .grid { stroke: #d0d7de; fill: none }
            .line { fill: none; stroke-width: 2.5 }
            .line.muster, .dot.muster { stroke: #0969da }
            .line.other, .dot.other { stroke: #8c959f }
            .dashed { stroke-dasharray: 6 4 }
            @media (prefers-color-scheme: dark) {
              text { fill: #e6edf3 }
              .quiet { fill: #9198a1 }
              .muster { fill: #4493f8 }
              .other { fill: #6e7681 }
              .spread, .axis { stroke: #9198a1 }
              .grid { stroke: #3d444d }
              .line { fill: none }
              .line.muster { stroke: #4493f8 }
              .line.other { stroke: #9198a1 }
            }
            """;

    private final StringBuilder body = new StringBuilder();
    private final int width;
    private final int height;
    private final String title;

    Svg(int width, int height, String title) {
        this.width = width;
        this.height = height;
        this.title = title;
        text(0, 18, "title", title);
    }

    Svg text(double x, double y, String classes, String text) {
        return add("<text x='%.1f' y='%.1f' class='%s'>%s</text>", x, y, classes, escaped(text));
    }

    Svg bar(double x, double y, double width, double height, String classes) {
        return add(
                "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' rx='2' class='%s'/>", x, y, width, height, classes);
    }

    Svg line(double x1, double y1, double x2, double y2, String classes) {
        return add("<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' class='%s'/>", x1, y1, x2, y2, classes);
    }

    /** @param points pairs of x and y */
    Svg polyline(double[] points, String classes) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < points.length; i += 2) {
            text.append(String.format(Locale.ROOT, "%.1f,%.1f ", points[i], points[i + 1]));
        }
        return add("<polyline points='%s' class='%s'/>", text.toString().strip(), classes);
    }

    private Svg add(String format, Object... values) {
        body.append("  ").append(String.format(Locale.ROOT, format, values)).append('\n');
        return this;
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    @Override
    public String toString() {
        return "<svg xmlns='http://www.w3.org/2000/svg' width='" + width + "' height='" + height + "' viewBox='-12 -6 "
                + (width + 24) + " " + (height + 12) + "' role='img' aria-label='"
                + escaped(title).replace("'", "&apos;") + "'>\n  <style>\n" + STYLE.indent(4) + "  </style>\n" + body
                + "</svg>\n";
    }
}
