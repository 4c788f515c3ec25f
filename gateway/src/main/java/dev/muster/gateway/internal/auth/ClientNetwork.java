package dev.muster.gateway.internal.auth;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;

/**
 * Whom an address belongs to, for limits that hold for each client. Networks give a customer 2^64 addresses of the newer kind: all that begin with
 * the same half count as one.
 */
public final class ClientNetwork {
    private ClientNetwork() {}

    public static String of(InetAddress address) {
        return address instanceof Inet6Address
                ? HexFormat.of().formatHex(address.getAddress(), 0, 8)
                : address.getHostAddress();
    }

    /** @param address as a request has it, such as {@code 192.0.2.7} or {@code [2001:db8::1]}; whatever is no address stands for itself */
    public static String of(String address) {
        if (address.indexOf(':') < 0) {
            return address;
        }
        try {
            // What has a colon is never looked up as a name.
            return of(InetAddress.getByName(address.replaceFirst("%[^\\]]*", "")));
        } catch (UnknownHostException e) {
            return address;
        }
    }
}
