package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RestAddressFilterTest {
  private static InetSocketAddress at(String host, int port) {
    return new InetSocketAddress(InetAddress.ofLiteral(host), port);
  }

  private static boolean isTrusted(RestAddressFilter filter, String transport, String rest) {
    return filter.isTrusted(at(transport, 9300), at(rest, 9200));
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.1.5, 10.0.1.5, true",
    "10.0.1.5, 10.0.1.77, true",
    "10.0.1.5, 10.0.2.5, false",
    "10.0.1.5, 127.0.0.1, false",
    "10.0.1.5, 127.8.8.8, false",
    "10.0.1.5, 0.0.0.0, false",
    "10.0.1.5, 169.254.169.254, false",
    "10.0.1.5, 224.0.0.1, false",
    "169.254.1.1, 169.254.1.1, true",
    "169.254.169.1, 169.254.169.254, false",
    "127.0.0.1, 127.0.0.1, true",
    "127.0.0.1, ::1, true",
    "127.0.0.1, 10.0.1.5, false",
    "fd00:1::5, fd00:1::77, true",
    "fd00:1::5, fd00:2::5, false",
    "fd00:1::5, ::1, false",
    "fd00:1::5, fe80::1, false",
    "fd00:1::5, 10.0.1.5, false"
  })
  void trustOnlyTheNetworkOfTheTransportAddress(String transport, String rest, boolean trusted) {
    assertThat(isTrusted(RestAddressFilter.OWN_NETWORK, transport, rest)).isEqualTo(trusted);
  }

  @Test
  void trustConfiguredNetworks() {
    RestAddressFilter filter = RestAddressFilter.allowing(List.of("10.2.0.0/15", "fd00::/8"));
    assertThat(isTrusted(filter, "10.0.1.5", "10.3.255.1")).isTrue();
    assertThat(isTrusted(filter, "10.0.1.5", "10.4.0.1")).isFalse();
    assertThat(isTrusted(filter, "10.0.1.5", "fd12:3::1")).isTrue();
    assertThat(isTrusted(filter, "10.0.1.5", "127.0.0.1")).isFalse();
  }

  @Test
  void rejectWhatIsNoNetwork() {
    for (String text : List.of("10.0.0.0/", "10.0.0.0/33", "host/8", "/8", "10.0.0.0/-1")) {
      assertThatThrownBy(() -> RestAddressFilter.allowing(List.of(text)))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
