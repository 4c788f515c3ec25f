package dev.muster.client;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** The addresses of the gateways. The one that answered last is asked first. */
final class Servers {
    private final List<String> bases;
    private final AtomicInteger first = new AtomicInteger();

    Servers(List<URI> addresses) {
        if (addresses.isEmpty()) {
            throw new IllegalArgumentException("a client needs the address of a gateway; call server(URI)");
        }
        this.bases = addresses.stream().map(Servers::base).toList();
    }

    private static String base(URI address) {
        boolean http = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
        if (!http
                || address.getHost() == null
                || address.getPort() > 65_535
                || address.getQuery() != null
                || address.getFragment() != null) {
            throw new IllegalArgumentException(
                    "'" + address + "' is no address of a gateway; one looks like https://muster.example.org");
        }
        String text = address.toString().replaceAll("/+$", "");
        if (text.endsWith("/_api")) {
            throw new IllegalArgumentException(
                    "'" + address + "' is a path of a gateway; give its address alone, without /_api");
        }
        return text;
    }

    /** All of them, in the order in which they are asked. */
    List<String> inOrder() {
        List<String> order = new ArrayList<>(bases.size());
        int start = first.get();
        for (int i = 0; i < bases.size(); i++) {
            order.add(bases.get((start + i) % bases.size()));
        }
        return order;
    }

    void answered(String base) {
        first.set(bases.indexOf(base));
    }

    @Override
    public String toString() {
        return bases.stream().collect(Collectors.joining(", "));
    }
}
