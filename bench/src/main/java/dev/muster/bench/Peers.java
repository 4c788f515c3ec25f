package dev.muster.bench;

import dev.muster.bench.contender.Contender;
import dev.muster.bench.contender.Site;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/** Other products, each with a class path of its own: the jars that the build put into its folder, and the JDK. */
final class Peers implements AutoCloseable {
    private final List<URLClassLoader> loaders = new ArrayList<>();
    private final List<Contender> contenders = new ArrayList<>();

    Peers(List<String> names) throws IOException {
        Path folder = folder();
        if (!Files.isDirectory(folder)) {
            throw new IOException("there are no peers in " + folder + ": build the whole project");
        }
        try (Stream<Path> found = Files.list(folder)) {
            for (Path peer : found.sorted().toList()) {
                load(peer, names);
            }
        }
    }

    /** Beside the jars of this program, or beside its classes while it is being tested. */
    private static Path folder() {
        try {
            Path place = Path.of(Peers.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            Path home = Files.isDirectory(place)
                    ? place.resolveSibling("muster")
                    : place.getParent().getParent();
            return home.resolve("peers");
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private void load(Path peer, List<String> names) throws IOException {
        URL[] jars;
        try (Stream<Path> files = Files.list(peer)) {
            jars = files.filter(f -> f.toString().endsWith(".jar"))
                    .map(Peers::url)
                    .toArray(URL[]::new);
        }
        URLClassLoader loader = new URLClassLoader(peer.getFileName().toString(), jars, new SharedTypes());
        loaders.add(loader);
        for (Contender contender : ServiceLoader.load(Contender.class, loader)) {
            if (names.isEmpty() || names.contains(contender.name())) {
                contenders.add(inside(loader, Contender.class, contender));
            }
        }
    }

    private static URL url(Path jar) {
        try {
            return jar.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }

    List<Contender> contenders() {
        return List.copyOf(contenders);
    }

    @Override
    public void close() throws IOException {
        for (URLClassLoader loader : loaders) {
            loader.close();
        }
    }

    /** Calls with the peer's own class loader as the thread's: that is where libraries look things up. */
    private static <T> T inside(ClassLoader loader, Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            Thread thread = Thread.currentThread();
            ClassLoader before = thread.getContextClassLoader();
            thread.setContextClassLoader(loader);
            try {
                Object answer = method.invoke(target, args);
                if (answer instanceof Site site) {
                    return inside(loader, Site.class, site);
                }
                return answer instanceof Site.Work work ? inside(loader, Site.Work.class, work) : answer;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            } finally {
                thread.setContextClassLoader(before);
            }
        }));
    }

    /** What a peer sees of this program: the types it is measured through. */
    private static final class SharedTypes extends ClassLoader {
        private static final String SHARED = Contender.class.getPackageName() + ".";

        SharedTypes() {
            super(getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (!name.startsWith(SHARED)) {
                throw new ClassNotFoundException(name);
            }
            return Class.forName(name, false, Contender.class.getClassLoader());
        }
    }
}
