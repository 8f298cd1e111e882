package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.read.StateReadCounts;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.Metadata;

final class ForeignSeedDetectorTest {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();

  private final ClusterErrors errors = new ClusterErrors();

  @Test
  void forgetAddressesThatAreNoSeedsAnyMore() throws Exception {
    ClusterState followed = ClusterStates.ofNodes(1).build(1, 1);
    ClusterState foreign =
        ClusterState.builder(followed).metadata(Metadata.builder().clusterUUID("another")).build();
    FakeCluster cluster = new FakeCluster(REGISTRIES.writeables());
    cluster.startAll(foreign);
    ClusterView view = new ClusterView(followed, Map.of(), 0, false);
    ForeignSeedDetector detector =
        new ForeignSeedDetector(
            new SeedHosts(List.of("127.0.0.1:9301")),
            new SeedDiscovery(cluster, System::nanoTime),
            new ClusterStateReader(
                new BlockingNodeCaller(Map.of()),
                REGISTRIES.writeables(),
                new StateReadCounts(),
                System::nanoTime),
            new ClusterViewStore(view),
            errors);
    errors.rejectSeed(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 9309),
        StateProbe.of(foreign),
        ClusterStates.CLUSTER_UUID);

    detector.check(view);

    assertThat(errors.snapshot().rejectedSeeds()).containsOnlyKeys("127.0.0.1:9301");
  }
}
