package dev.muster.workflow;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** What a workflow's code may do with a Throwable that comes out of a call. */
enum Handling {
    WRAPS {
        @Override
        <T> T around(Callable<T> call) {
            try {
                return call.call();
            } catch (Throwable e) {
                throw new IllegalStateException("wrapped", e);
            }
        }
    },
    SWALLOWS {
        @Override
        <T> T around(Callable<T> call) {
            try {
                return call.call();
            } catch (Throwable e) {
                return null;
            }
        }
    },
    REPLACES_IN_FINALLY {
        @Override
        @SuppressWarnings("finally")
        <T> T around(Callable<T> call) throws Exception {
            T value = null;
            try {
                value = call.call();
                return value;
            } finally {
                if (value == null) {
                    throw new NullPointerException("what the call was to return is not there");
                }
            }
        }
    },
    /** Reflection makes an exception of the Error, which the proxy's handler does not unwrap. */
    CALLS_BY_REFLECTION {
        @Override
        @SuppressWarnings("unchecked")
        <T> T around(Callable<T> call) {
            InvocationHandler logging = (proxy, method, args) -> method.invoke(call, args);
            Object proxy =
                    Proxy.newProxyInstance(Handling.class.getClassLoader(), new Class<?>[] {Callable.class}, logging);
            try {
                Method method = Callable.class.getMethod("call");
                return (T) method.invoke(proxy);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    },
    WAITS_FOR_A_FUTURE {
        @Override
        <T> T around(Callable<T> call) {
            return CompletableFuture.supplyAsync(() -> {
                        try {
                            return call.call();
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    })
                    .join();
        }
    },
    RETRIES {
        @Override
        <T> T around(Callable<T> call) {
            return new Retries(3).execute(call);
        }
    };

    abstract <T> T around(Callable<T> call) throws Exception;

    /** Calls, and hands on what the code would throw: functions of workflows throw nothing checked. */
    <T> T handled(Callable<T> call) {
        try {
            return around(call);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** As libraries for retries do it: each attempt is a task, whatever it throws is noted, and what the last one threw becomes the cause. */
    private static final class Retries {
        private final int attempts;

        Retries(int attempts) {
            this.attempts = attempts;
        }

        <T> T execute(Callable<T> call) {
            List<Throwable> failures = new ArrayList<>();
            while (failures.size() < attempts) {
                FutureTask<T> attempt = new FutureTask<>(call);
                attempt.run();
                try {
                    return attempt.get();
                } catch (ExecutionException e) {
                    failures.add(e.getCause());
                } catch (Throwable e) {
                    failures.add(e);
                }
            }
            throw new IllegalStateException("failed " + attempts + " times", failures.get(attempts - 1));
        }
    }
}
