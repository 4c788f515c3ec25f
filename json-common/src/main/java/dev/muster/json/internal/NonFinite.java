package dev.muster.json.internal;

import org.jspecify.annotations.Nullable;

/** Finds numbers that JSON cannot represent. */
public final class NonFinite {
    private NonFinite() {}

    /** The first NaN or infinity in a number or an array of numbers. */
    public static @Nullable Double in(@Nullable Object value) {
        if (value instanceof Double || value instanceof Float) {
            double number = ((Number) value).doubleValue();
            return Double.isFinite(number) ? null : number;
        }
        if (value instanceof double[] doubles) {
            for (double each : doubles) {
                if (!Double.isFinite(each)) {
                    return each;
                }
            }
        }
        if (value instanceof float[] floats) {
            for (float each : floats) {
                if (!Float.isFinite(each)) {
                    return (double) each;
                }
            }
        }
        return null;
    }
}
