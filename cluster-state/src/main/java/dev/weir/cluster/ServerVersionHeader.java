package dev.weir.cluster;

import dev.weir.model.NodeEndpoint;
import java.util.Comparator;
import java.util.function.Supplier;
import org.opensearch.Version;

/**
 * Supplies the value of {@code X-OpenSearch-Version} that a node behind the gateway sends: {@code
 * OpenSearch/3.8.0 (opensearch)}. If the nodes have several versions it is the oldest, which is
 * what a client can rely on. Empty before the first view, and if nodes are too old to send the
 * header. Safe on any thread.
 */
public final class ServerVersionHeader implements ClusterViewListener, Supplier<String> {
  private volatile String value = "";

  @Override
  public void onChange(ClusterView before, ClusterView now) {
    value =
        now.nodes().values().stream()
            .map(NodeEndpoint::version)
            .map(Version::fromString)
            .min(Comparator.naturalOrder())
            .filter(oldest -> oldest.onOrAfter(Version.V_3_0_0))
            .map(oldest -> "OpenSearch/" + oldest + " (opensearch)")
            .orElse("");
  }

  @Override
  public String get() {
    return value;
  }
}
