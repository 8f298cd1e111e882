package dev.weir.gateway.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.model.BufferedResponse;
import dev.weir.model.HttpExchange;
import dev.weir.rest.GatewayAddressProvider;
import dev.weir.testkit.fixtures.TestPolicies;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AdvertisedGatewaysTest {
  @ParameterizedTest
  @CsvSource({
    "10.1.2.3:9200, 10.1.2.3, 10.1.2.3, 9200",
    "search.example.org:9201, search.example.org, 192.0.2.1, 9201",
    "my_gateway:9200, my_gateway, 192.0.2.1, 9200",
    "search.example.org, search.example.org, 192.0.2.1, 80",
    "[::1]:9200, 0:0:0:0:0:0:0:1, 0:0:0:0:0:0:0:1, 9200",
    "a b, 192.0.2.1, 192.0.2.1, 9200",
    "host:0, 192.0.2.1, 192.0.2.1, 9200",
    "host:99999, 192.0.2.1, 192.0.2.1, 9200",
    "'', 192.0.2.1, 192.0.2.1, 9200"
  })
  void advertiseTheAddressThatTheClientUsed(String header, String host, String address, int port)
      throws IOException {
    List<InetSocketAddress> told =
        found("").addressesFor(new Asked(List.of(Map.entry("Host", header))));

    assertThat(told).hasSize(1);
    assertThat(told.getFirst().getHostString()).isEqualTo(host);
    assertThat(told.getFirst().getAddress().getHostAddress()).isEqualTo(address);
    assertThat(told.getFirst().getPort()).isEqualTo(port);
  }

  @Test
  void advertiseTheLocalAddressWithoutAHostHeader() throws IOException {
    assertThat(found("").addressesFor(new Asked(List.of()))).containsExactly(Asked.HERE);
  }

  @Test
  void advertiseTheConfiguredAddresses() throws IOException {
    GatewayAddressProvider gateways =
        found("sniffing: {gateway-addresses: [\"10.0.0.1:9200\", \"10.0.0.2:92\"]}");

    assertThat(gateways.addressesFor(new Asked(List.of(Map.entry("host", "other:1")))))
        .containsExactly(
            new InetSocketAddress("10.0.0.1", 9200), new InetSocketAddress("10.0.0.2", 92));
  }

  @Test
  void advertiseTheNodesByDefault() throws IOException {
    assertThat(AdvertisedGateways.create(policy("sniffing: {advertise: nodes}").http())).isNull();
  }

  @Test
  void rejectANameThatDoesNotResolve() {
    assertThatThrownBy(() -> found("sniffing: {gateway-addresses: [\"nowhere.invalid:9200\"]}"))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("http.sniffing.gateway-addresses: got nowhere.invalid:9200");
  }

  private static GatewayAddressProvider found(String http) throws IOException {
    return Objects.requireNonNull(AdvertisedGateways.create(policy(http).http()));
  }

  private static GatewayPolicy policy(String http) {
    String yaml = "clusters: {main: {seeds: [\"127.0.0.1:1\"]}}\nhttp: {" + http + "}\n";
    return TestPolicies.parse(yaml);
  }

  /** A request of which only the headers and the addresses matter. */
  private record Asked(List<Map.Entry<String, String>> headers) implements HttpExchange {
    static final InetSocketAddress HERE = new InetSocketAddress("192.0.2.1", 9200);

    @Override
    public String method() {
      return "GET";
    }

    @Override
    public String uri() {
      return "/_nodes/http";
    }

    @Override
    public String protocolVersion() {
      return "HTTP/1.1";
    }

    @Override
    public ByteBuffer body() {
      return ByteBuffer.allocate(0);
    }

    @Override
    public long arrivedNanos() {
      return 0;
    }

    @Override
    public SocketAddress remoteAddress() {
      return new InetSocketAddress("192.0.2.9", 50000);
    }

    @Override
    public SocketAddress localAddress() {
      return HERE;
    }

    @Override
    public Executor eventLoop() {
      return Runnable::run;
    }

    @Override
    public void onDisconnect(Runnable action) {}

    @Override
    public void assignTaskId(long id) {}

    @Override
    public void respond(BufferedResponse reply) {}

    @Override
    public void passThrough(String reason) {}

    @Override
    public void drop() {}

    @Override
    public void retainBody() {}
  }
}
