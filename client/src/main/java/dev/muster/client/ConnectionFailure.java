package dev.muster.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import java.util.Optional;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/** Why a gateway did not answer, in the words of an operator, and whether it can have received the request. */
final class ConnectionFailure {
    /** How a server that speaks TLS answers what is not TLS: an alert. */
    private static final String TLS_ALERT = "\u0015\u0003";

    private final IOException cause;

    ConnectionFailure(IOException cause) {
        this.cause = cause;
    }

    /** Whether nobody can have received the request. */
    boolean neverSent() {
        return find(ConnectException.class).isPresent()
                || find(HttpConnectTimeoutException.class).isPresent()
                || find(SSLHandshakeException.class).isPresent()
                || find(UnresolvedAddressException.class).isPresent()
                || speaksPlainHttp()
                || speaksHttps();
    }

    String reason() {
        if (find(UnresolvedAddressException.class).isPresent()) {
            return "there is no host with that name";
        }
        if (speaksPlainHttp()) {
            return "the server speaks http, not https";
        }
        if (speaksHttps()) {
            return "the server speaks https, not http";
        }
        Optional<CertificateException> certificate = find(CertificateException.class);
        if (certificate.isPresent()) {
            return "its certificate is not accepted: " + text(certificate.get());
        }
        if (find(HttpTimeoutException.class).isPresent()) {
            return "it does not answer in time";
        }
        if (find(ConnectException.class).isPresent() && text(cause).isEmpty()) {
            return "nobody listens there";
        }
        return text(cause).isEmpty() ? "the connection broke" : text(cause);
    }

    /** The first bytes of its answer were no TLS, so the client has sent nothing but its greeting. */
    private boolean speaksPlainHttp() {
        return find(SSLException.class)
                .filter(e -> text(e).contains("nrecognized SSL message"))
                .isPresent();
    }

    private boolean speaksHttps() {
        return cause.getMessage() != null && cause.getMessage().contains("[" + TLS_ALERT);
    }

    /** Without control characters, which a server that is no gateway may have sent. */
    private static String text(Throwable e) {
        return e.getMessage() == null
                ? ""
                : e.getMessage()
                        .replaceAll("[\\p{Cc}\\p{Cf}\\u2028\\u2029]+", " ")
                        .strip();
    }

    private <T extends Throwable> Optional<T> find(Class<T> type) {
        for (Throwable e = cause; e != null; e = e.getCause()) {
            if (type.isInstance(e)) {
                return Optional.of(type.cast(e));
            }
        }
        return Optional.empty();
    }
}
