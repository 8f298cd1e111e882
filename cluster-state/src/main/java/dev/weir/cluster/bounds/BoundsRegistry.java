package dev.weir.cluster.bounds;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewListener;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.core.index.Index;

/**
 * All that was learned of indices: what still holds as far as the newest view shows, and guesses.
 * Safe on any thread.
 *
 * <p><b>Why a shard may be left out without being asked.</b> Let an index be learned with the
 * versions V of its settings, mapping and primary terms, and let a search come at the time T whose
 * view of the cluster, of position p, shows V and a block of writes from the index's settings.
 *
 * <ol>
 *   <li><i>What was learned is all there was.</i> {@link BoundsReader} began after every node with
 *       a copy had applied a state with V, so that from then on each refuses writes; it then waited
 *       until all writes that these nodes had under way were over, refreshed, and read. A write
 *       that a primary had let in before it saw the block is one of those waited for.
 *   <li><i>Nothing came after it until T.</i> A primary looks for blocks in the state that its node
 *       has applied before it carries out a write. Nodes apply states in order, and versions of
 *       settings never come back, so a state that lets writes into this index is later than p (by
 *       {@link IndexBounds.Versions} the states from learning to p have the block). After T every
 *       node with a copy says that the state it has applied is that of p: hence none has carried
 *       out a write before it was asked. What it carries out later runs beside the search, which
 *       then may find it or not, as on any node.
 *   <li><i>No other node was the primary.</i> One that has no copy in p first gets one by a later
 *       state, and becomes the primary by one after that. The cluster manager applies a state when
 *       the others have, or had 30 seconds for it, and publishes the next one after that; it is
 *       asked too, and is at p. So at most the one state after p is under way anywhere.
 * </ol>
 *
 * What is not covered is not covered by a search that asks the copies of the same view either: a
 * view that is cut off from the cluster, together with the nodes it knows.
 */
public final class BoundsRegistry implements ClusterViewListener {
  private final Map<String, IndexBounds> byUuid = new ConcurrentHashMap<>();
  private final LongAdder invalidatedCount = new LongAdder();
  private final LongAdder learnedCount = new LongAdder();
  private volatile KnownBounds known = KnownBounds.NONE;

  /** What holds under this state; nothing where that was not worked out. */
  public KnownBounds boundsUnder(ClusterState state) {
    KnownBounds now = known;
    return now.state().stateUUID().equals(state.stateUUID()) ? now : KnownBounds.NONE;
  }

  /** What holds under the newest view. */
  public KnownBounds current() {
    return known;
  }

  /** How many indices were learned, again and again. */
  public long learnedCount() {
    return learnedCount.sum();
  }

  /** How many were forgotten because they may have changed, or went. */
  public long invalidatedCount() {
    return invalidatedCount.sum();
  }

  int size() {
    return byUuid.size();
  }

  /** Whether there is nothing to learn of an index: it is known, or guessed where more can't be. */
  boolean isUpToDate(ClusterState state, IndexMetadata index) {
    IndexBounds one = byUuid.get(index.getIndexUUID());
    return one != null
        && (one.isValidFor(state, index) || !SealedIndexChecker.isSealed(state, index));
  }

  /**
   * Whether what is learned of an index takes the place of what was known.
   *
   * @param ofAny whether a guess at another index may go for it
   */
  synchronized boolean shouldReplace(IndexMetadata index, boolean ofAny) {
    if (byUuid.containsKey(index.getIndexUUID())) {
      return true;
    }
    Iterator<IndexBounds> all = byUuid.values().iterator();
    while (ofAny && all.hasNext()) {
      if (!all.next().isSealed()) {
        all.remove();
        return true;
      }
    }
    return false;
  }

  /** Keeps what was learned. */
  synchronized void store(IndexBounds index) {
    byUuid.put(index.uuid(), index);
    learnedCount.increment();
    known = KnownBounds.forState(known.state(), byUuid.values());
  }

  /** Forgets all. */
  synchronized void clear() {
    byUuid.clear();
    known = new KnownBounds(known.state(), Map.of(), Map.of());
  }

  @Override
  public synchronized void onChange(ClusterView before, ClusterView now) {
    ClusterState state = now.state();
    if (!now.isSameCluster(before)) {
      byUuid.clear(); // a rebuilt cluster counts versions from the start
    }
    for (IndexBounds one : List.copyOf(byUuid.values())) {
      IndexMetadata index = state.metadata().index(new Index(one.name(), one.uuid()));
      if (one.isSealed() && (index == null || !one.isValidFor(state, index))) {
        byUuid.put(one.uuid(), one.asGuess());
        invalidatedCount.increment();
      }
      if (index == null) {
        byUuid.remove(one.uuid());
      }
    }
    known = KnownBounds.forState(state, byUuid.values());
  }
}
