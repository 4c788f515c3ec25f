package dev.muster.postgres.internal.db;

import java.nio.ByteBuffer;
import org.postgresql.util.PGBinaryObject;
import org.postgresql.util.PGobject;

/** A {@code tid[]} parameter, each element packed as block and offset; sent in binary if the connection allows it. */
public final class TidArray extends PGobject implements PGBinaryObject {
    private static final long serialVersionUID = 1L;
    private static final int TID_OID = 27;
    private static final int HEADER = 20;
    private static final int ELEMENT = 10;

    private final transient long[] values;

    public TidArray(long[] values) {
        this.values = values;
        setType("_tid");
    }

    /** Reads the result of {@code tidsend}. */
    public static long read(byte[] sent) {
        ByteBuffer in = ByteBuffer.wrap(sent);
        return Integer.toUnsignedLong(in.getInt()) << Short.SIZE | Short.toUnsignedLong(in.getShort());
    }

    private static long block(long value) {
        return value >>> Short.SIZE;
    }

    private static int offset(long value) {
        return (int) value & 0xffff;
    }

    @Override
    public int lengthInBytes() {
        return HEADER + ELEMENT * values.length;
    }

    @Override
    public void toBytes(byte[] bytes, int start) {
        ByteBuffer out = ByteBuffer.wrap(bytes, start, lengthInBytes());
        out.putInt(1).putInt(0).putInt(TID_OID).putInt(values.length).putInt(1);
        for (long value : values) {
            out.putInt(6).putInt((int) block(value)).putShort((short) offset(value));
        }
    }

    @Override
    public void setByteValue(byte[] value, int start) {
        throw new UnsupportedOperationException("parameters are only sent");
    }

    @Override
    public String getValue() {
        StringBuilder text = new StringBuilder("{");
        for (long value : values) {
            text.append(text.length() > 1 ? "," : "")
                    .append("\"(")
                    .append(block(value))
                    .append(',')
                    .append(offset(value))
                    .append(")\"");
        }
        return text.append('}').toString();
    }
}
