package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.read.StateDecoder;
import dev.weir.cluster.read.StateReadCounts;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.Version;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.support.IndicesOptions;
import org.opensearch.cluster.AbstractNamedDiffable;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.AliasMetadata;
import org.opensearch.cluster.metadata.DataStream;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.xcontent.XContentBuilder;

class PartialStateReaderTest {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();
  private static final IndexNameResolver NAMES =
      new IndexNameResolver(new ThreadContext(Settings.EMPTY));

  /** A state with everything that name resolution and routing read. */
  static ClusterState rich() {
    ClusterStates states =
        ClusterStates.ofNodes(3)
            .index(
                "logs-1",
                3,
                1,
                index ->
                    index
                        .putAlias(AliasMetadata.builder("logs").writeIndex(false))
                        .putAlias(
                            AliasMetadata.builder("errors")
                                .filter("{\"term\":{\"level\":\"error\"}}")
                                .routing("r1")))
            .index(
                "logs-2",
                3,
                1,
                index -> index.putAlias(AliasMetadata.builder("logs").writeIndex(true)))
            .index("closed", 1, 1, index -> index.state(IndexMetadata.State.CLOSE))
            .index("secret", 2, 0, ClusterStates.with(IndexMetadata.SETTING_INDEX_HIDDEN, true))
            .index(DataStream.getDefaultBackingIndexName("metrics", 1), 2, 1)
            .index(DataStream.getDefaultBackingIndexName("metrics", 2), 2, 1);
    Metadata.Builder metadata = states.metadata();
    metadata.put(
        new DataStream(
            "metrics",
            new DataStream.TimestampField("@timestamp"),
            List.of(
                metadata.get(DataStream.getDefaultBackingIndexName("metrics", 1)).getIndex(),
                metadata.get(DataStream.getDefaultBackingIndexName("metrics", 2)).getIndex()),
            2));
    metadata
        .persistentSettings(Settings.builder().put("action.auto_create_index", "false").build())
        .transientSettings(Settings.builder().put("search.max_buckets", 5).build());
    return states.build(3, 17);
  }

  /** The same state with a part that no registry here knows. */
  static ClusterState withUnknown(ClusterState state, String name) {
    return ClusterState.builder(state)
        .metadata(Metadata.builder(state.metadata()).putCustom(name, new PluginPart(name)))
        .build();
  }

  /** Different names sort to different positions on the wire. */
  @ParameterizedTest
  @ValueSource(strings = {"a", "plugin", "model-graveyard", "z", "0", "some-other-name", "knn"})
  void answersAsTheWholeStateDoes(String unknown) throws Exception {
    ClusterState whole = rich();
    ClusterStateReader.ReadResult read = read(withUnknown(whole, unknown));

    assertThat(read.unknownParts()).containsExactly(unknown);
    ClusterState partial = read.state();
    assertThat(partial.version()).isEqualTo(17);
    assertThat(partial.term()).isEqualTo(3);
    assertThat(partial.stateUUID()).isEqualTo(whole.stateUUID());
    assertThat(partial.metadata().indices()).isEqualTo(whole.metadata().indices());
    assertThat(partial.metadata().dataStreams()).isEqualTo(whole.metadata().dataStreams());
    assertThat(partial.metadata().settings()).isEqualTo(whole.metadata().settings());
    assertThat(partial.metadata().clusterUUID()).isEqualTo(ClusterStates.CLUSTER_UUID);
    assertThat(partial.routingTable().indicesRouting())
        .isEqualTo(whole.routingTable().indicesRouting());
    assertThat(partial.nodes().getNodes()).isEqualTo(whole.nodes().getNodes());
    assertSameAnswers(partial, whole);
  }

  @Test
  void readsAStateWithoutUnknownPartsWhole() throws Exception {
    ClusterState whole = rich();
    ClusterStateReader.ReadResult read = read(whole);

    assertThat(read.unknownParts()).isEmpty();
    assertSameAnswers(read.state(), whole);
  }

  private static ClusterStateReader.ReadResult read(ClusterState state) throws Exception {
    FakeSeedClient node = new FakeSeedClient(ClusterStates.node(0), state, REGISTRIES.writeables());
    StateReadCounts counts = new StateReadCounts();
    return new PartialStateReader(
            new BlockingNodeCaller(Map.of()),
            REGISTRIES.writeables(),
            new StateDecoder(counts),
            counts)
        .read(node, Settings.EMPTY, Duration.ofSeconds(10));
  }

  private static void assertSameAnswers(ClusterState one, ClusterState other) {
    ClusterView left = new ClusterView(one, Map.of(), 0, true);
    ClusterView right = new ClusterView(other, Map.of(), 0, false);
    assertThat(left.settings()).isEqualTo(right.settings());
    for (String[] names :
        new String[][] {
          {"*"}, {"logs"}, {"errors"}, {"metrics"}, {"log*", "-logs-1"}, {"secret"}, {"met*"}, {}
        }) {
      SearchRequest request =
          new SearchRequest(names).indicesOptions(IndicesOptions.lenientExpandHidden());
      assertThat(NAMES.resolveSearch(left, request, request, 0))
          .usingRecursiveComparison()
          .ignoringCollectionOrder()
          .isEqualTo(NAMES.resolveSearch(right, request, request, 0));
      for (String name : names) {
        assertThat(NAMES.resolver().filteringAliases(left.state(), "logs-1", Set.of(name)))
            .isEqualTo(NAMES.resolver().filteringAliases(right.state(), "logs-1", Set.of(name)));
      }
    }
  }

  /** A metadata part of a plugin. */
  private static final class PluginPart extends AbstractNamedDiffable<Metadata.Custom>
      implements Metadata.Custom {
    private final String name;

    PluginPart(String name) {
      this.name = name;
    }

    @Override
    public EnumSet<Metadata.XContentContext> context() {
      return Metadata.ALL_CONTEXTS;
    }

    @Override
    public String getWriteableName() {
      return name;
    }

    @Override
    public Version getMinimalSupportedVersion() {
      return Version.CURRENT.minimumCompatibilityVersion();
    }

    @Override
    public void writeTo(StreamOutput out) throws IOException {
      out.writeString("whatever");
      out.writeVLong(123456789);
    }

    @Override
    public XContentBuilder toXContent(XContentBuilder builder, Params params) {
      return builder;
    }
  }
}
