package dev.muster.testkit;

import dev.muster.Muster;
import dev.muster.job.Jobs;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.Supplier;

/** The jobs of a cluster's current client; registering a handler creates a new client. */
final class ClientJobs {
    private ClientJobs() {}

    static Jobs of(Supplier<Muster> client) {
        return (Jobs) Proxy.newProxyInstance(
                ClientJobs.class.getClassLoader(), new Class<?>[] {Jobs.class}, (proxy, method, args) -> {
                    if (method.getName().equals("equals")) {
                        return proxy == args[0];
                    }
                    try {
                        return method.invoke(client.get().jobs(), args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
