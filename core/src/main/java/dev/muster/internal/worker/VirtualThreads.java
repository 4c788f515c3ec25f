package dev.muster.internal.worker;

import dev.muster.runtime.MusterException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Makes virtual threads, which Java has from 21 on; called by name, because Muster is compiled for Java 17. */
final class VirtualThreads implements JobThreads.ThreadMaker {
    private final String prefix;
    private final MethodHandle ofVirtual;
    private final MethodHandle named;
    private final MethodHandle unstarted;

    /** @throws MusterException if this Java has no virtual threads */
    VirtualThreads(String prefix) {
        this.prefix = prefix;
        try {
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            Class<?> builder = Class.forName("java.lang.Thread$Builder$OfVirtual");
            this.ofVirtual = lookup.findStatic(Thread.class, "ofVirtual", MethodType.methodType(builder));
            this.named = lookup.findVirtual(builder, "name", MethodType.methodType(builder, String.class));
            this.unstarted =
                    lookup.findVirtual(builder, "unstarted", MethodType.methodType(Thread.class, Runnable.class));
        } catch (ReflectiveOperationException e) {
            throw new MusterException(
                    "executors of kind virtual need Java 21 or newer, and this is Java "
                            + Runtime.version().feature(),
                    e);
        }
    }

    @Override
    public Thread make(int number, Runnable code) {
        try {
            return (Thread) unstarted.invoke(named.invoke(ofVirtual.invoke(), prefix + number), code);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new MusterException("a virtual thread could not be made: " + e.getMessage(), e);
        }
    }
}
