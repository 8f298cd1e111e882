package dev.weir.gateway.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.config.policy.HostPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class ReachableAddressTest {
  @Test
  void nameThisMachineForAnyAddress() throws UsageException {
    assertThat(ReachableAddress.of(new HostPort("0.0.0.0", 9200), false, "--endpoint"))
        .isEqualTo(URI.create("http://localhost:9200"));
    assertThat(ReachableAddress.of(new HostPort("::", 9200), true, "--endpoint"))
        .isEqualTo(URI.create("https://localhost:9200"));
    assertThat(ReachableAddress.of(new HostPort("::1", 9200), true, "--endpoint"))
        .isEqualTo(URI.create("https://[::1]:9200"));
    assertThat(ReachableAddress.of(new HostPort("search.example", 80), false, "--endpoint"))
        .isEqualTo(URI.create("http://search.example:80"));
  }

  @Test
  void askForTheAddressWhereThePortIsAnyFreeOne() {
    assertThatThrownBy(() -> ReachableAddress.of(new HostPort("localhost", 0), false, "--admin"))
        .isInstanceOf(UsageException.class)
        .hasMessage("the configuration says any free port: give --admin URL");
  }

  @Test
  void nameAnOpenPort() throws UnknownHostException {
    assertThat(ReachableAddress.of(new InetSocketAddress(9250)))
        .isEqualTo(new HostPort("localhost", 9250));
    InetAddress ten = InetAddress.getByAddress(new byte[] {10, 0, 1, 2});
    assertThat(ReachableAddress.of(new InetSocketAddress(ten, 9250)))
        .isEqualTo(new HostPort("10.0.1.2", 9250));
  }
}
