package dev.muster.dashboard;

import com.microsoft.playwright.options.ColorScheme;

/** How large a window is, and which colours its user prefers. */
enum Look {
    DESK_LIGHT(1440, 900, ColorScheme.LIGHT),
    DESK_DARK(1440, 900, ColorScheme.DARK),
    PHONE_LIGHT(390, 844, ColorScheme.LIGHT),
    PHONE_DARK(390, 844, ColorScheme.DARK);

    private final int width;
    private final int height;
    private final ColorScheme scheme;

    Look(int width, int height, ColorScheme scheme) {
        this.width = width;
        this.height = height;
        this.scheme = scheme;
    }

    int width() {
        return width;
    }

    int height() {
        return height;
    }

    ColorScheme scheme() {
        return scheme;
    }
}
