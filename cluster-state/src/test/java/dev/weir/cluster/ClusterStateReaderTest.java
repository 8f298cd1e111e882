package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.read.StateReadCounts;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.ClusterState;
import org.opensearch.common.settings.Settings;

final class ClusterStateReaderTest {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();

  private final ClusterState state = ClusterStates.ofNodes(1).index("logs", 1, 0).build(1, 7);
  private final FakeSeedClient node =
      new FakeCluster(REGISTRIES.writeables()).startAll(state).getFirst();
  private final AtomicLong clock = new AtomicLong();
  private final ClusterStateReader reader =
      new ClusterStateReader(
          new BlockingNodeCaller(Map.of()),
          REGISTRIES.writeables(),
          new StateReadCounts(),
          clock::get);

  @Test
  void askForTheTermAgainOnceANodeIsNoLongerOverloaded() throws Exception {
    node.isOverloaded = true;
    assertThat(reader.probe(node, false).position()).isEqualTo(new StatePosition(1, 7));
    assertThat(node.asked).containsExactly("term", "nodes");

    node.isOverloaded = false;
    assertThat(reader.probe(node, false).position()).isEqualTo(new StatePosition(1, 7));
    assertThat(node.asked).containsExactly("term", "nodes", "term");
  }

  @Test
  void askForTheTermOnceWhereInternalActionsAreRefused() throws Exception {
    node.refusesInternal = true;
    reader.probe(node, false);
    reader.probe(node, false);
    assertThat(node.asked).containsExactly("term", "nodes", "nodes");
  }

  @Test
  void giveLargeStatesMoreTime() throws Exception {
    node.onWholeRead = () -> clock.addAndGet(TimeUnit.SECONDS.toNanos(8));
    reader.readState(node, Settings.EMPTY);
    assertThat(reader.stateTimeout()).hasSeconds(32);

    node.onWholeRead = () -> {};
    reader.readState(node, Settings.EMPTY);
    assertThat(reader.stateTimeout()).hasSeconds(5);
  }
}
