package dev.weir.testkit.fake;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;
import org.opensearch.Version;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.node.DiscoveryNodeRole;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.transport.TransportAddress;
import org.opensearch.transport.TransportService;

/**
 * Who a fake node says it is.
 *
 * @param name its name
 * @param id its id, which the node handshake tells
 * @param clusterName its cluster's name
 * @param version its version
 */
public record FakeIdentity(String name, String id, String clusterName, Version version) {
  /** A node of this version in a cluster called {@code fake}. */
  public static FakeIdentity named(String name) {
    return new FakeIdentity(name, "id-of-" + name, "fake", Version.CURRENT);
  }

  /** The same with another id. */
  public FakeIdentity withId(String newId) {
    return new FakeIdentity(name, newId, clusterName, version);
  }

  /** The same in another cluster. */
  public FakeIdentity inCluster(String newClusterName) {
    return new FakeIdentity(name, id, newClusterName, version);
  }

  /** The same of another version. */
  public FakeIdentity ofVersion(Version newVersion) {
    return new FakeIdentity(name, id, clusterName, newVersion);
  }

  /** The payload that answers the connection's handshake. */
  byte[] tcpHandshake() {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.writeVersion(version);
      return BytesReference.toBytes(out.bytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The payload that answers the node handshake on a connection. */
  byte[] nodeHandshake(FakeConnection connection) {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      new TransportService.HandshakeResponse(
              discoveryNode(connection.localAddress()), new ClusterName(clusterName), version)
          .writeTo(out);
      return BytesReference.toBytes(out.bytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The node as others see it. */
  public DiscoveryNode discoveryNode(InetSocketAddress address) {
    return new DiscoveryNode(
        name,
        id,
        new TransportAddress(address),
        Map.of(),
        Set.of(DiscoveryNodeRole.DATA_ROLE),
        version);
  }
}
