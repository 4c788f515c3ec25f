package dev.muster.postgres.internal.db;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.postgresql.util.PGBinaryObject;
import org.postgresql.util.PGobject;

/**
 * A {@code uuid[]} parameter, sent in binary if the connection allows that for the type ({@code binaryTransferEnable}, as on
 * Muster's own pool). The driver always sends its own arrays of UUIDs as text.
 */
public final class UuidArray extends PGobject implements PGBinaryObject {
    private static final long serialVersionUID = 1L;
    private static final int UUID_OID = 2950;
    private static final int EMPTY = 12;
    private static final int HEADER = 20;
    private static final int ELEMENT = 20;

    private final transient List<UUID> values;

    UuidArray(Collection<UUID> values) {
        this.values = List.copyOf(values);
        setType("_uuid");
    }

    @Override
    public int lengthInBytes() {
        return values.isEmpty() ? EMPTY : HEADER + ELEMENT * values.size();
    }

    @Override
    public void toBytes(byte[] bytes, int offset) {
        ByteBuffer out = ByteBuffer.wrap(bytes, offset, lengthInBytes());
        out.putInt(values.isEmpty() ? 0 : 1).putInt(0).putInt(UUID_OID);
        if (values.isEmpty()) {
            return;
        }
        out.putInt(values.size()).putInt(1);
        for (UUID value : values) {
            out.putInt(16).putLong(value.getMostSignificantBits()).putLong(value.getLeastSignificantBits());
        }
    }

    @Override
    public void setByteValue(byte[] value, int offset) {
        throw new UnsupportedOperationException("parameters are only sent");
    }

    @Override
    public String getValue() {
        return values.stream().map(UUID::toString).collect(Collectors.joining(",", "{", "}"));
    }
}
