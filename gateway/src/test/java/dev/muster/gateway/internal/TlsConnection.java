package dev.muster.gateway.internal;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLSocket;

/** One HTTPS connection that is kept. */
final class TlsConnection implements AutoCloseable {
    private final SSLSocket socket;
    private final BufferedReader in;

    TlsConnection(int port, Certificate trusted, String... protocols) throws IOException {
        socket = (SSLSocket) Certificate.trusting(trusted).getSocketFactory().createSocket("127.0.0.1", port);
        socket.setSoTimeout(120_000);
        if (protocols.length > 0) {
            socket.setEnabledProtocols(protocols);
        }
        try {
            socket.startHandshake();
        } catch (IOException e) {
            socket.close();
            throw e;
        }
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    }

    String protocol() {
        return socket.getSession().getProtocol();
    }

    int get(String path, String key) throws IOException {
        String request =
                "GET " + path + " HTTP/1.1\r\nHost: another.example.com\r\nAuthorization: Bearer " + key + "\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        int status = Integer.parseInt(in.readLine().split(" ")[1]);
        int length = 0;
        for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
            if (line.regionMatches(true, 0, "Content-Length:", 0, 15)) {
                length = Integer.parseInt(line.substring(15).strip());
            }
        }
        while (length > 0) {
            length -= (int) in.skip(length);
        }
        return status;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
