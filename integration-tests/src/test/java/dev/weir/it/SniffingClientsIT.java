package dev.weir.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.hc.core5.http.HttpHost;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.opensearch.client.Node;
import org.opensearch.client.sniff.OpenSearchNodesSniffer;

/** Clients that sniff nodes stay with the gateway. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SniffingClientsIT {
  private static final Pattern HTTP = Pattern.compile("\"http\":\\{[^}]*}");
  private static final Pattern ADDRESS = Pattern.compile("\"publish_address\":\"([^\"]*)\"");

  private final DataNodeCluster nodes = SharedCluster.get();
  private final TestBed bed = TestBed.inFrontOf(nodes.seeds());

  @AfterAll
  void close() {
    bed.close();
  }

  @Test
  void letTheJavaSnifferFindTheGateway() throws IOException {
    assertThat(sniffed(bed.uri()))
        .singleElement()
        .satisfies(node -> {
          assertThat(node.getHost()).isEqualTo(host(bed.uri()));
          assertThat(node.getVersion()).isEqualTo("3.8.0");
        });
    assertThat(sniffed(nodes.node(0).httpUri())).hasSize(nodes.nodes().size());
  }

  @Test
  void letTheJavaSnifferFindTheConfiguredGateways() throws IOException {
    String policy = "sniffing: {gateway-addresses: [\"10.0.0.1:9200\", \"10.0.0.2:9200\"]}";
    try (TestBed two = TestBed.inFrontOf(nodes.seeds(), policy)) {
      assertThat(sniffed(two.uri()))
          .extracting(node -> node.getHost().toHostString())
          .containsExactlyInAnyOrder("10.0.0.1:9200", "10.0.0.2:9200");
    }
  }

  @Test
  void findsTheNodesWhenThePolicySaysSo() throws IOException {
    try (TestBed open = TestBed.inFrontOf(nodes.seeds(), "sniffing: {advertise: nodes}")) {
      assertThat(sniffed(open.uri()))
          .extracting(Node::getHost)
          .containsExactlyInAnyOrderElementsOf(
              nodes.nodes().stream().map(DataNode::httpUri).map(SniffingClientsIT::host).toList());
    }
  }

  @Test
  void changeOnlyTheAddressesOfNodes() {
    try (RestClient node = new RestClient(nodes.node(0).httpUri())) {
      for (String path : List.of("/_nodes", "/_nodes/_all/http,os", "/_nodes/node-1,node-2")) {
        RestReply here = bed.rest().send("GET", path + "?filter_path=**.http,**.version,**.os");
        RestReply there = node.send("GET", path + "?filter_path=**.http,**.version,**.os");
        assertThat(here.status()).isEqualTo(200);
        assertThat(sorted(here)).isEqualTo(sorted(there));
        assertThat(ADDRESS.matcher(here.body()).results().map(found -> found.group(1)))
            .isNotEmpty()
            .allMatch(address -> address.equals("127.0.0.1:" + bed.uri().getPort()));
      }
    }
  }

  @Test
  void leaveResponsesWithoutAddressesUnchanged() {
    try (RestClient node = new RestClient(nodes.node(0).httpUri())) {
      for (String path : List.of("/_nodes/os", "/_nodes/nobody", "/_nodes/_all/plugins")) {
        assertThat(sorted(bed.rest().send("GET", path))).isEqualTo(sorted(node.send("GET", path)));
      }
    }
    assertThat(bed.admin().send("GET", "/metrics").body())
        .contains("weir_requests_total{action=\"other\",path=\"passthrough\"");
  }

  @SuppressWarnings("deprecation") // the sniffer knows no other client
  private static List<Node> sniffed(URI uri) throws IOException {
    try (org.opensearch.client.RestClient client =
        org.opensearch.client.RestClient.builder(host(uri)).build()) {
      return new OpenSearchNodesSniffer(client).sniff();
    }
  }

  private static HttpHost host(URI uri) {
    return new HttpHost("http", "127.0.0.1", uri.getPort());
  }

  /** Returns a body without addresses, with its nodes in a fixed order. */
  private static String sorted(RestReply reply) {
    return HTTP.matcher(reply.body())
        .replaceAll("")
        .chars()
        .sorted()
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
