package dev.muster.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/** A URL from which public keys are read: nobody on the way may exchange them, so it is https, or stays on this machine. */
record KeysUrlType() implements ValueType<String> {

    @Override
    public String parse(Object raw) throws BadValue {
        String text = ValueType.text().parse(raw);
        URI uri;
        try {
            uri = new URI(text);
        } catch (URISyntaxException e) {
            throw new BadValue("is no URL");
        }
        String host = uri.getHost();
        String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
        if (host == null || !(scheme.equals("https") || scheme.equals("http"))) {
            throw new BadValue("is no URL that begins with https:// and a host");
        }
        if (uri.getRawUserInfo() != null || uri.getRawFragment() != null) {
            throw new BadValue("has a user, a password or a '#', which are not supported");
        }
        if (scheme.equals("http") && !GatewayConfig.isLoopback(host)) {
            throw new BadValue("is not https, so that others could exchange the keys on their way");
        }
        return text;
    }

    @Override
    public String show(String value) {
        return value;
    }

    @Override
    public String allowed() {
        return "an https URL, or an http URL of a loopback address";
    }
}
