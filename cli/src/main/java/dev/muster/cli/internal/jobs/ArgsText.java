package dev.muster.cli.internal.jobs;

import dev.muster.cli.internal.console.CommandFailed;
import dev.muster.job.RawJson;
import dev.muster.json.jackson3.Jackson3Codec;
import dev.muster.runtime.JsonCodec;
import dev.muster.runtime.JsonCodec.JsonException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** An option whose value is JSON, {@code @FILE} or {@code -} for standard input. */
public final class ArgsText {
    private static final JsonCodec CODEC = new Jackson3Codec();

    private ArgsText() {}

    public static RawJson read(String text) {
        return read("--args", text);
    }

    public static RawJson read(String option, String text) {
        return new RawJson(require(option, content(option, text)));
    }

    /** @param file the path of a file with JSON, or {@code -} for standard input */
    public static RawJson readFile(String option, String file) {
        return new RawJson(require(option, content(option, file, file)));
    }

    private static String content(String option, String text) {
        return text.equals("-") || text.startsWith("@")
                ? content(option, text, text.startsWith("@") ? text.substring(1) : text)
                : text;
    }

    private static String content(String option, String text, String file) {
        try {
            return file.equals("-")
                    ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8)
                    : Files.readString(Path.of(file));
        } catch (NoSuchFileException e) {
            throw CommandFailed.badInput(option + " " + text + ": there is no such file", e);
        } catch (IOException | InvalidPathException e) {
            throw CommandFailed.badInput(option + " " + text + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static String require(String option, String text) {
        try {
            CODEC.check(text, Object.class);
            return text;
        } catch (JsonException e) {
            throw CommandFailed.badInput(option + " is not valid JSON: " + e.getMessage(), e);
        }
    }
}
