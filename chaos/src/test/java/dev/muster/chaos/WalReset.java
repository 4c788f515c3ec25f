package dev.muster.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * What {@code pg_resetwal -l 00000001…} does to a server that was stopped in order, and pg_upgrade to the new cluster: its
 * write-ahead log starts again, on timeline 1. The program itself is not among the ones that come from Maven.
 */
final class WalReset {
    private static final int PAGE_HEADER = 40;
    private static final int RECORD_HEADER = 24;
    private static final int RECORD_CRC = 20;
    private static final int CHECKPOINT_OFFSET = 32;
    private static final int CHECKPOINT_COPY = 40;

    private final Path control;
    private final Path log;

    WalReset(Path data) {
        this.control = data.resolve("global/pg_control");
        this.log = data.resolve("pg_wal");
    }

    void toFirstTimeline() {
        try {
            ByteBuffer controls = read(control);
            int timeline = controls.getInt(CHECKPOINT_COPY + 8);
            List<Path> segments = segments();
            ByteBuffer first = read(segments.get(0));
            int size = first.getInt(32);
            long checkpoint = controls.getLong(CHECKPOINT_OFFSET);
            long number = checkpoint / size;
            ByteBuffer last = read(segment(timeline, number, size));

            long begin = (number + 1) * size;
            patchCheckpoint(controls, CHECKPOINT_COPY, begin + PAGE_HEADER);
            controls.putLong(CHECKPOINT_OFFSET, begin + PAGE_HEADER);
            int end = endOfControls(control);
            controls.putInt(end, crc(controls.array(), 0, end, new CRC32C()));

            ByteBuffer fresh = ByteBuffer.allocate(size).order(ByteOrder.nativeOrder());
            fresh.put(first.array(), 0, PAGE_HEADER);
            fresh.putShort(2, (short) 2).putInt(4, 1).putLong(8, begin).putInt(16, 0);
            int at = Math.toIntExact(checkpoint % size);
            int length = last.getInt(at);
            fresh.put(PAGE_HEADER, last.array(), at, length);
            fresh.putLong(PAGE_HEADER + 8, 0);
            patchCheckpoint(fresh, PAGE_HEADER + RECORD_HEADER + 2, begin + PAGE_HEADER);
            CRC32C sum = new CRC32C();
            crc(fresh.array(), PAGE_HEADER + RECORD_HEADER, length - RECORD_HEADER, sum);
            fresh.putInt(PAGE_HEADER + RECORD_CRC, crc(fresh.array(), PAGE_HEADER, RECORD_CRC, sum));

            for (Path segment : segments) {
                Files.delete(segment);
            }
            Files.write(segment(1, number + 1, size), fresh.array());
            Files.write(control, controls.array());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void patchCheckpoint(ByteBuffer in, int at, long redo) {
        in.putLong(at, redo).putInt(at + 8, 1).putInt(at + 12, 1);
    }

    private List<Path> segments() throws IOException {
        try (var files = Files.list(log)) {
            return files.filter(file -> file.getFileName().toString().matches("[0-9A-F]{24}"))
                    .sorted()
                    .toList();
        }
    }

    private Path segment(int timeline, long number, int size) {
        long perFile = 0x1_0000_0000L / size;
        return log.resolve(String.format("%08X%08X%08X", timeline, number / perFile, number % perFile));
    }

    /** Where the checksum stands: behind everything that it covers. */
    private static int endOfControls(Path control) throws IOException {
        ByteBuffer controls = read(control);
        for (int end = CHECKPOINT_COPY; end < 512; end += 4) {
            if (controls.getInt(end) == crc(controls.array(), 0, end, new CRC32C())) {
                return end;
            }
        }
        throw new IOException("there is no checksum in " + control);
    }

    private static int crc(byte[] bytes, int from, int length, CRC32C sum) {
        sum.update(bytes, from, length);
        return (int) sum.getValue();
    }

    private static ByteBuffer read(Path file) throws IOException {
        return ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.nativeOrder());
    }
}
