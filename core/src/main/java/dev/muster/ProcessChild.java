package dev.muster;

import dev.muster.internal.assembly.HandlerScanner;
import dev.muster.internal.process.ChildMain;
import dev.muster.internal.process.HandlerSource;
import dev.muster.internal.worker.JobMethods;
import dev.muster.job.JobHandler;
import dev.muster.runtime.MusterException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import javax.sql.DataSource;

/** The main class of the JVMs that executors of kind {@code process} start. */
final class ProcessChild implements HandlerSource {
    public static void main(String[] args) {
        ChildMain.run(new ProcessChild());
    }

    @Override
    public List<String> apps() {
        return ServiceLoader.load(MusterApp.class).stream()
                .map(provider -> provider.type().getName())
                .toList();
    }

    @Override
    public Registered ofApp(String className) {
        MusterApp app = ServiceLoader.load(MusterApp.class).stream()
                .filter(provider -> provider.type().getName().equals(className))
                .findFirst()
                .orElseThrow(() -> new MusterException("the service loader does not find " + className))
                .get();
        MusterBuilder builder = Muster.builder();
        app.register(builder, noDatabase());
        return new Registered(builder.spec().handlers.of(JobMethods.JOBS), Optional.ofNullable(builder.spec().json));
    }

    @Override
    public List<JobHandler> ofObject(Object object) {
        return HandlerScanner.scan(object, JobMethods.JOBS).of(JobMethods.JOBS);
    }

    /** The password of the node's database does not leave the node. */
    private static DataSource noDatabase() {
        return (DataSource) Proxy.newProxyInstance(
                DataSource.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (self, method, args) -> switch (method.getName()) {
                    case "equals" -> args != null && self == args[0];
                    case "hashCode" -> System.identityHashCode(self);
                    case "toString" -> "no connections: this is a child process";
                    default ->
                        throw new MusterException(
                                "the node's connections do not exist in an executor of kind process: open"
                                        + " your own, or route the job to an executor of another kind");
                });
    }
}
