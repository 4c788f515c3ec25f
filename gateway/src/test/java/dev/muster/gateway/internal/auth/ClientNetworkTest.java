package dev.muster.gateway.internal.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientNetworkTest {

    @ParameterizedTest
    @CsvSource({
        "192.0.2.7, 192.0.2.7",
        "2001:db8:0:7::1, 20010db800000007",
        "[2001:db8:0:7:ffff::], 20010db800000007",
        "fe80::1%eth0, fe80000000000000",
        "[fe80::1%eth0], fe80000000000000",
        "::ffff:192.0.2.7, 192.0.2.7",
        "unknown, unknown",
        "x:y, x:y"
    })
    void addressesOfTheNewerKindBelongToTheirNetwork(String address, String network) {
        assertThat(ClientNetwork.of(address)).isEqualTo(network);
    }

    @Test
    void anAddressOfASocketBelongsToTheSameNetworkAsItsText() throws Exception {
        InetAddress address = InetAddress.getByName("2001:db8:0:7::1");

        assertThat(ClientNetwork.of(address)).isEqualTo(ClientNetwork.of(address.getHostAddress()));
    }
}
