package dev.weir.cluster.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterStates;
import dev.weir.cluster.ClusterView;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlock;
import org.opensearch.cluster.block.ClusterBlocks;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.routing.RoutingTable;
import org.opensearch.core.index.Index;

class BoundsRegistryTest {
  private static final Index OLD = new Index("old", "uuid-of-old");
  private static final UnaryOperator<IndexMetadata.Builder> BLOCKED =
      ClusterStates.with("index.blocks.write", true);

  private final BoundsRegistry learned = new BoundsRegistry();

  private static ClusterState state(
      long version, UnaryOperator<IndexMetadata.Builder> more, ClusterBlock... blocks) {
    ClusterStates states = ClusterStates.ofNodes(3).index("old", 2, 1, more);
    for (ClusterBlock block : blocks) {
      states.blocks().addIndexBlock("old", block);
    }
    return states.build(1, version);
  }

  private static ClusterState sealed(long version) {
    return state(version, BLOCKED, IndexMetadata.INDEX_WRITE_BLOCK);
  }

  private static ClusterView view(ClusterState state) {
    return new ClusterView(state, Map.of(), 0, false);
  }

  private ClusterView show(ClusterState state) {
    ClusterView view = view(state);
    learned.onChange(view, view);
    return view;
  }

  private void learn(ClusterState from) {
    IndexMetadata index = from.metadata().index(OLD);
    learned.store(
        new IndexBounds(
            "old",
            OLD.getUUID(),
            IndexBounds.Versions.of(index),
            Map.of("@timestamp", new DateBounds(10, 20, "")),
            Instant.EPOCH,
            true));
  }

  @Test
  void holdsUnderTheStateThatItWasWorkedOutForAlone() {
    ClusterView first = show(sealed(1));
    learn(first.state());
    KnownBounds known = learned.boundsUnder(first.state());
    KnownBounds.ConfirmableBounds old = Objects.requireNonNull(known.boundsOf(OLD));
    assertThat(old.index().fields()).containsKey("@timestamp");
    assertThat(old.nodeIds()).containsExactlyInAnyOrder("n0", "n1", "n2");
    assertThat(known.addClusterManager(Set.of("n1"))).containsExactlyInAnyOrder("n0", "n1");
    assertThat(known.boundsOf(new Index("old", "another"))).isNull();
    assertThat(learned.boundsUnder(sealed(4)).byName()).isEmpty();

    ClusterView second = show(sealed(2));
    assertThat(learned.boundsUnder(second.state()).byName()).containsOnlyKeys("old");
    assertThat(learned.boundsUnder(first.state()).byName()).isEmpty();
    assertThat(learned.invalidatedCount()).isZero();
  }

  @Test
  void discardBoundsWhenTheIndexMayHaveChanged() {
    List<ClusterState> changes =
        List.of(
            state(2, index -> index),
            state(2, BLOCKED), // a setting without its block
            state(
                2, index -> index, IndexMetadata.INDEX_WRITE_BLOCK), // a block without its setting
            state(
                2,
                index -> BLOCKED.apply(index).settingsVersion(2),
                IndexMetadata.INDEX_WRITE_BLOCK),
            state(
                2,
                index -> BLOCKED.apply(index).mappingVersion(2),
                IndexMetadata.INDEX_WRITE_BLOCK),
            state(
                2,
                index -> BLOCKED.apply(index).primaryTerm(1, 7),
                IndexMetadata.INDEX_WRITE_BLOCK),
            state(
                2,
                index -> BLOCKED.apply(index).state(IndexMetadata.State.CLOSE),
                IndexMetadata.INDEX_WRITE_BLOCK),
            ClusterStates.ofNodes(3).index("other", 1, 0, index -> index).build(1, 2));
    long invalidated = 0;
    for (ClusterState changed : changes) {
      learn(show(sealed(1)).state());
      assertThat(learned.current().byName()).hasSize(1);
      assertThat(learned.boundsUnder(show(changed).state()).byName()).isEmpty();
      assertThat(learned.invalidatedCount()).isEqualTo(++invalidated);
      boolean stays = changed.metadata().hasIndex(OLD.getName());
      assertThat(learned.current().guessOf(OLD)).hasSize(stays ? 1 : 0); // only a guess now
      assertThat(learned.boundsUnder(show(sealed(3)).state()).byName()).isEmpty();
    }
  }

  @Test
  void sealOnlyIndicesWithAWriteBlockOfTheirOwn() {
    assertThat(sealed(state(1, BLOCKED, IndexMetadata.INDEX_WRITE_BLOCK))).isTrue();
    assertThat(
            sealed(
                state(
                    1,
                    ClusterStates.with("index.blocks.read_only", true),
                    IndexMetadata.INDEX_READ_ONLY_BLOCK)))
        .isTrue();
    assertThat(
            sealed(
                state(
                    1,
                    ClusterStates.with("index.blocks.read_only_allow_delete", true),
                    IndexMetadata.INDEX_READ_ONLY_ALLOW_DELETE_BLOCK)))
        .isTrue();
    assertThat(
            sealed(
                state(
                    1,
                    ClusterStates.with("index.blocks.metadata", true),
                    IndexMetadata.INDEX_METADATA_BLOCK)))
        .isFalse();
    assertThat(
            sealed(
                state(
                    1,
                    index ->
                        ClusterStates.with("index.ingestion_source.type", "kafka")
                            .apply(BLOCKED.apply(index)),
                    IndexMetadata.INDEX_WRITE_BLOCK)))
        .isFalse();
  }

  /** Returns a state in which an index has the routing that it has in another state. */
  private static ClusterState reroute(ClusterState state, String index, ClusterState like) {
    long version = state.version() + 1;
    return ClusterState.builder(state)
        .version(version)
        .stateUUID("state-1-" + version)
        .routingTable(
            RoutingTable.builder(state.routingTable())
                .add(like.routingTable().index(index))
                .build())
        .build();
  }

  private static ClusterState sealedBesideAnother() {
    ClusterStates states = ClusterStates.ofNodes(3).index("old", 2, 1, BLOCKED).index("new", 1, 1);
    states.blocks().addIndexBlock("old", IndexMetadata.INDEX_WRITE_BLOCK);
    return states.build(1, 1);
  }

  @Test
  void takeOverBoundsOfIndicesThatHaveNotChanged() {
    ClusterState first = sealedBesideAnother();
    show(first);
    learn(first);
    KnownBounds.ConfirmableBounds old = learned.current().boundsOf(OLD);
    assertThat(old).isNotNull();

    ClusterState second = reroute(first, "new", sealedBesideAnother());
    show(second);
    assertThat(learned.boundsUnder(second).boundsOf(OLD)).isSameAs(old);

    IndexMetadata other = second.metadata().index("new");
    learned.store(
        new IndexBounds(
            "new",
            other.getIndexUUID(),
            IndexBounds.Versions.of(other),
            Map.of("@timestamp", new DateBounds(30, 40, "")),
            Instant.EPOCH,
            false));
    assertThat(learned.boundsUnder(second).boundsOf(OLD)).isSameAs(old);
    assertThat(learned.boundsUnder(second).guesses()).containsOnlyKeys("new");

    IndexMetadata third =
        ClusterStates.ofNodes(1).index("third", 1, 0).build(1, 1).metadata().index("third");
    assertThat(learned.shouldReplace(third, true)).isTrue();
    assertThat(learned.boundsUnder(second).guesses()).isEmpty();
    assertThat(learned.boundsUnder(second).boundsOf(OLD)).isSameAs(old);
  }

  @Test
  void determineBoundsAgainWhenOnlyRoutingOrBlocksChange() {
    ClusterState first = sealedBesideAnother();
    show(first);
    learn(first);

    ClusterState moved =
        reroute(first, "old", ClusterStates.ofNodes(2).index("old", 2, 1, BLOCKED).build(1, 2));
    show(moved);
    assertThat(Objects.requireNonNull(learned.boundsUnder(moved).boundsOf(OLD)).nodeIds())
        .containsExactlyInAnyOrder("n0", "n1");

    ClusterState unblocked =
        ClusterState.builder(moved)
            .version(3)
            .stateUUID("state-1-3")
            .blocks(ClusterBlocks.builder())
            .build();
    show(unblocked);
    assertThat(learned.boundsUnder(unblocked).byName()).isEmpty();
    assertThat(learned.boundsUnder(unblocked).guesses()).containsOnlyKeys("old");
    assertThat(learned.invalidatedCount()).isEqualTo(1);
  }

  @Test
  void confirmBoundsThatWereStoredBeforeTheirState() {
    show(state(1, index -> index));
    ClusterState sealed = sealed(2);
    learn(sealed);
    assertThat(learned.current().byName()).isEmpty();

    show(sealed);
    assertThat(learned.boundsUnder(sealed).byName()).containsOnlyKeys("old");
    assertThat(learned.invalidatedCount()).isZero();
  }

  private static boolean sealed(ClusterState state) {
    return SealedIndexChecker.isSealed(state, state.metadata().index(OLD));
  }
}
