package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SeedHostsTest {
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1:9301, 127.0.0.1, 9301",
    "127.0.0.1, 127.0.0.1, 9300",
    "[::1]:9302, 0:0:0:0:0:0:0:1, 9302",
    "[::1], 0:0:0:0:0:0:0:1, 9300",
    "::1, 0:0:0:0:0:0:0:1, 9300"
  })
  void takesHostsWithAndWithoutPorts(String seed, String host, int port) {
    List<InetSocketAddress> addresses = new SeedHosts(List.of(seed)).resolve().addresses();

    assertThat(addresses)
        .singleElement()
        .satisfies(address -> {
          assertThat(address.getAddress().getHostAddress()).isEqualTo(host);
          assertThat(address.getPort()).isEqualTo(port);
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ":9300", "host:", "host:0", "host:65536", "host:port", "[]:9300"})
  void rejectMalformedSeeds(String seed) {
    assertThatThrownBy(() -> new SeedHosts(List.of(seed)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("seed malformed: got " + seed)
        .hasMessageContaining("(expected: host:port");
  }

  @Test
  void refusesNoSeedsAtAll() {
    assertThatThrownBy(() -> new SeedHosts(List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("seeds empty: got none (expected: at least one host:port)");
  }

  @Test
  void tellsNamesWithoutAddressFromTheOthers() {
    SeedHosts.Resolved resolved =
        new SeedHosts(List.of("no-such-host.invalid:9300", "127.0.0.1:9301", "127.0.0.1:9301"))
            .resolve();

    assertThat(resolved.addresses()).hasSize(1);
    assertThat(resolved.unresolved()).containsExactly("no-such-host.invalid:9300");
  }
}
