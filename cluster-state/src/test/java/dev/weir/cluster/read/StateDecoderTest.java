package dev.weir.cluster.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.cluster.RandomStateChanges;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.junit.TestSeed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.action.admin.cluster.state.ClusterStateResponse;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.RoutingTable;
import org.opensearch.cluster.routing.ShardRouting;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableAwareStreamInput;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.xcontent.MediaTypeRegistry;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;

final class StateDecoderTest {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();
  private static final int STEPS = 400;

  private final Random random = TestSeed.random(StateDecoderTest.class);
  private final StateReadCounts counts = new StateReadCounts();
  private final StateDecoder decoder = new StateDecoder(counts);

  @Test
  void equalAFullDecodeAfterRandomChanges() throws IOException {
    RandomStateChanges changes = new RandomStateChanges(random);
    ClusterState state = RandomStateChanges.start(4, 12);
    ClusterState before = decoder.read(open(write(state, Version.CURRENT), Version.CURRENT));
    Version versionBefore = Version.CURRENT;
    for (int step = 0; step < STEPS; step++) {
      ClusterState next = state;
      for (int more = random.nextInt(4); more >= 0; more--) {
        next = changes.next(next);
      }
      Version version = random.nextInt(20) == 0 ? Version.V_3_0_0 : Version.CURRENT;
      byte[] bytes = write(next, version);
      ClusterState decoded = decoder.read(open(bytes, version));

      assertEqual(decoded, readFully(bytes, version));
      if (version.equals(versionBefore)) {
        assertShared(before, decoded, state, next);
      }
      versionBefore = version;
      before = decoded;
      state = next;
    }
    assertThat(counts.reusedParts()).isGreaterThan(counts.decodedParts());
  }

  @Test
  void returnTheSameObjectsForTheSameBytes() throws IOException {
    byte[] bytes = write(RandomStateChanges.start(3, 5), Version.CURRENT);
    ClusterState one = decoder.read(open(bytes, Version.CURRENT));
    ClusterState other = decoder.read(open(bytes.clone(), Version.CURRENT));

    assertThat(other.metadata()).isSameAs(one.metadata());
    assertThat(other.nodes()).isSameAs(one.nodes());
    assertThat(other.blocks()).isSameAs(one.blocks());
    one.routingTable()
        .forEach(table -> assertThat(other.routingTable().index(table.getIndex())).isSameAs(table));
    assertThat(counts.decodedParts()).isEqualTo(10);
    assertThat(counts.reusedParts()).isEqualTo(10);
  }

  /** Nodes whose hash tables have another history write indices in another order. */
  @Test
  void reusePartsInAnotherOrder() throws IOException {
    ClusterState state = RandomStateChanges.start(3, 40);
    decoder.read(open(write(state, Version.CURRENT), Version.CURRENT));
    RandomStateChanges changes = new RandomStateChanges(random);
    ClusterState grown = state;
    for (int i = 0; i < 300; i++) {
      grown = changes.next(grown);
    }
    ClusterState known = decoder.read(open(write(grown, Version.CURRENT), Version.CURRENT));
    long decodedBefore = counts.decodedParts();
    byte[] shuffled = write(shuffle(grown), Version.CURRENT);
    ClusterState decoded = decoder.read(open(shuffled, Version.CURRENT));

    assertThat(counts.decodedParts()).isEqualTo(decodedBefore);
    assertEqual(decoded, known);
  }

  @Test
  void keepThePreviousStateAfterBrokenBytes() throws IOException {
    ClusterState state = RandomStateChanges.start(3, 20);
    byte[] bytes = write(state, Version.CURRENT);
    int unreadable = 0;
    for (int i = 0; i < 200; i++) {
      StateDecoder reader = new StateDecoder(counts);
      reader.read(open(bytes, Version.CURRENT));
      byte[] broken = bytes.clone();
      int at = random.nextInt(broken.length);
      broken[at] ^= (byte) (1 + random.nextInt(255));
      byte[] cut = random.nextBoolean() ? broken : Arrays.copyOf(bytes, at);
      if (!isReadable(reader, cut)) {
        unreadable++;
        ClusterState decoded = reader.read(open(bytes, Version.CURRENT));
        assertEqual(decoded, readFully(bytes, Version.CURRENT));
      }
    }
    assertThat(unreadable).isGreaterThan(50);
  }

  /** Some changes are readable all the same: then they are the state that later ones build on. */
  private static boolean isReadable(StateDecoder reader, byte[] bytes) {
    try {
      reader.read(open(bytes, Version.CURRENT));
      return true;
    } catch (IOException | RuntimeException | AssertionError broken) {
      return false;
    }
  }

  @Test
  void rejectAResponseWithoutState() throws IOException {
    BytesStreamOutput out = new BytesStreamOutput();
    new ClusterStateResponse(ClusterState.EMPTY_STATE.getClusterName(), null, true).writeTo(out);
    byte[] bytes = BytesReference.toBytes(out.bytes());

    assertThatThrownBy(() -> decoder.read(open(bytes, Version.CURRENT)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("got no cluster state");
  }

  private ClusterState shuffle(ClusterState state) {
    List<IndexRoutingTable> tables = new ArrayList<>();
    state.routingTable().forEach(tables::add);
    Collections.shuffle(tables, random);
    Map<String, IndexRoutingTable> ordered = new LinkedHashMap<>();
    tables.forEach(table -> ordered.put(table.getIndex().getName(), table));
    return ClusterState.builder(state)
        .routingTable(new RoutingTable(state.routingTable().version(), ordered))
        .build();
  }

  private static byte[] write(ClusterState state, Version version) throws IOException {
    BytesStreamOutput out = new BytesStreamOutput();
    out.setVersion(version);
    new ClusterStateResponse(state.getClusterName(), state, false).writeTo(out);
    return BytesReference.toBytes(out.bytes());
  }

  private static ResponseInput open(byte[] bytes, Version version) {
    return new ResponseInput(new BytesArray(bytes), version, REGISTRIES.writeables());
  }

  private static ClusterState readFully(byte[] bytes, Version version) throws IOException {
    try (StreamInput in =
        new NamedWriteableAwareStreamInput(StreamInput.wrap(bytes), REGISTRIES.writeables())) {
      in.setVersion(version);
      return new ClusterStateResponse(in).getState();
    }
  }

  private static void assertEqual(ClusterState one, ClusterState other) throws IOException {
    assertThat(toMap(one)).isEqualTo(toMap(other));
    assertThat(one.metadata().indices()).isEqualTo(other.metadata().indices());
    assertThat(one.metadata().getIndicesLookup().keySet())
        .isEqualTo(other.metadata().getIndicesLookup().keySet());
    assertThat(
            one.metadata().getIndicesLookup().values().stream()
                .flatMap(name -> name.getIndices().stream())
                .toList())
        .isSubsetOf(one.metadata().indices().values());
    assertThat(one.metadata().getConcreteVisibleIndices())
        .containsExactlyInAnyOrder(other.metadata().getConcreteVisibleIndices());
    assertThat(Metadata.isGlobalStateEquals(one.metadata(), other.metadata())).isTrue();
    assertThat(one.nodes()).isEqualTo(other.nodes());
    for (IndexRoutingTable table : one.routingTable()) {
      IndexRoutingTable same = other.routingTable().index(table.getIndex());
      table
          .shards()
          .forEach((number, shard) -> {
            assertThat(shard.shards().stream().map(ShardRouting::toString))
                .isEqualTo(
                    same.shard(number).shards().stream().map(ShardRouting::toString).toList());
          });
    }
    assertThat(one.routingTable().indicesRouting().keySet())
        .isEqualTo(other.routingTable().indicesRouting().keySet());
  }

  private static void assertShared(
      ClusterState before, ClusterState after, ClusterState written, ClusterState next) {
    for (IndexMetadata index : next.metadata()) {
      if (Identity.isSame(index, written.metadata().index(index.getIndex().getName()))) {
        assertThat(after.metadata().index(index.getIndex()))
            .isSameAs(before.metadata().index(index.getIndex()));
      }
    }
    for (IndexRoutingTable table : next.routingTable()) {
      if (Identity.isSame(table, written.routingTable().index(table.getIndex()))) {
        assertThat(after.routingTable().index(table.getIndex()))
            .isEqualTo(before.routingTable().index(table.getIndex()));
      }
    }
    if (Identity.isSame(next.metadata(), written.metadata())) {
      assertThat(after.metadata()).isSameAs(before.metadata());
    }
    if (Identity.isSame(next.nodes(), written.nodes())) {
      assertThat(after.nodes()).isSameAs(before.nodes());
    }
  }

  private static Map<String, Object> toMap(ClusterState state) throws IOException {
    try (XContentBuilder json = XContentBuilder.builder(JsonXContent.jsonXContent)) {
      json.startObject();
      state.toXContent(json, new ToXContent.MapParams(Map.of()));
      json.endObject();
      Map<String, Object> map =
          XContentHelper.convertToMap(BytesReference.bytes(json), false, MediaTypeRegistry.JSON)
              .v2();
      map.remove("routing_nodes"); // the same as the routing table, in the order of a hash table
      return map;
    }
  }
}
