package dev.weir.protocol;

import dev.weir.model.NodeEndpoint;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.node.DiscoveryNodeRole;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.transport.TransportService;

/**
 * The two handshakes that open a channel: the version handshake ({@code TransportHandshaker}) and
 * the node handshake ({@code TransportService.handshake}).
 */
final class Handshake {
  private static final String VERSION_ACTION = "internal:tcp/handshake";

  private Handshake() {}

  static NodeCall<Version> versionCall(Duration timeout) {
    return new NodeCall<>(
        VERSION_ACTION,
        Handshake::writeVersion,
        StreamInput::readVersion,
        ChannelKind.CONTROL,
        Map.of(),
        timeout);
  }

  private static void writeVersion(StreamOutput out) throws java.io.IOException {
    TaskId.EMPTY_TASK_ID.writeTo(out);
    try (BytesStreamOutput own = new BytesStreamOutput(4)) {
      own.writeVersion(Version.CURRENT);
      out.writeBytesReference(own.bytes());
    }
  }

  static NodeCall<TransportService.HandshakeResponse> nodeCall(Duration timeout) {
    return new NodeCall<>(
        TransportService.HANDSHAKE_ACTION_NAME,
        TaskId.EMPTY_TASK_ID,
        TransportService.HandshakeResponse::new,
        ChannelKind.CONTROL,
        Map.of(),
        timeout);
  }

  /** Returns why a node's version is incompatible; null for a compatible one. */
  static @Nullable String findProblem(Version remote) {
    return Version.CURRENT.isCompatible(remote)
        ? null
        : "node of an unsupported version: got "
            + remote
            + " (expected: "
            + Version.CURRENT.minimumCompatibilityVersion()
            + " or newer, compatible with "
            + Version.CURRENT
            + ")";
  }

  /** Returns why the peer is not the expected node; null if it is. */
  static @Nullable String findProblem(
      TransportService.HandshakeResponse response, Peer expected, @Nullable String clusterName) {
    DiscoveryNode node = response.getDiscoveryNode();
    if (node == null) {
      return "handshake without a node: got none (expected: the node's id)";
    }
    String id = expected.endpoint().id();
    if (!id.isEmpty() && !id.equals(node.getId())) {
      return "handshake with another node: got ["
          + node.getId()
          + "] "
          + node.getName()
          + " (expected: ["
          + id
          + "])";
    }
    String cluster = response.getClusterName().value();
    if (clusterName != null && !clusterName.equals(cluster)) {
      return "handshake with another cluster: got ["
          + cluster
          + "] (expected: ["
          + clusterName
          + "])";
    }
    return null;
  }

  /**
   * Returns the endpoint of the node that responded.
   *
   * @param reachedAt the address of the connection, which may differ from the node's publish
   *     address
   */
  static NodeEndpoint toEndpoint(DiscoveryNode node, InetSocketAddress reachedAt) {
    return new NodeEndpoint(
        node.getId(),
        node.getEphemeralId(),
        node.getName(),
        reachedAt,
        null,
        node.getRoles().stream()
            .map(DiscoveryNodeRole::roleName)
            .collect(Collectors.toUnmodifiableSet()),
        Map.copyOf(node.getAttributes()),
        node.getVersion().toString());
  }
}
