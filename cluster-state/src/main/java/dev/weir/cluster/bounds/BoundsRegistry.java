package dev.weir.cluster.bounds;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewListener;
import dev.weir.cluster.bounds.KnownBounds.ConfirmableBounds;
import dev.weir.cluster.read.BucketedMap;
import dev.weir.cluster.read.Identity;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.core.index.Index;

/**
 * The learned bounds of indices: those that still hold according to the newest view, and guesses.
 * Safe on any thread.
 *
 * <p><b>Why a search may skip a shard without asking it.</b> Suppose that the gateway learned the
 * bounds of an index at the versions V of its settings, mapping and primary terms. Suppose that a
 * search arrives at time T and that its cluster view, at position p, shows V and a write block in
 * the index's settings.
 *
 * <ol>
 *   <li><i>The bounds covered all documents.</i> {@link BoundsReader} started after every node with
 *       a copy had applied a state with V, and therefore rejected new writes. It waited until all
 *       writes in progress on these nodes had ended, refreshed the index, and read. A write that a
 *       primary accepted before it saw the block was one of those in progress.
 *   <li><i>No write followed until T.</i> Before a write, a primary checks for blocks in the state
 *       that its node has applied. Nodes apply states in order, and versions of settings never
 *       repeat. A state that allows writes to the index is therefore later than p, because by
 *       {@link IndexBounds.Versions} all states from learning to p have the block. After T every
 *       node with a copy confirms that it has applied exactly the state of p, so none executed a
 *       write before it was asked. A later write runs concurrently with the search, which may find
 *       it or not, as on any node.
 *   <li><i>No other node was the primary.</i> A node without a copy in p gets one by a later state,
 *       and becomes the primary by a state after that. The cluster manager applies a state once the
 *       others have, or after 30 seconds, and only then publishes the next one. It is asked too,
 *       and confirms p. So at most the one state after p can be on its way to any node.
 * </ol>
 *
 * The proof does not cover a view that is partitioned from the cluster together with the nodes that
 * it knows. A search that asks the copies of such a view has the same weakness.
 */
public final class BoundsRegistry implements ClusterViewListener {
  private final Map<String, IndexBounds> byUuid = new ConcurrentHashMap<>();
  private final LongAdder invalidatedCount = new LongAdder();
  private final LongAdder learnedCount = new LongAdder();
  private volatile KnownBounds known = KnownBounds.NONE;

  /** The parts of the known bounds, for a change of few. Guarded by this. */
  private BucketedMap<ConfirmableBounds> holding = BucketedMap.empty();

  private BucketedMap<Map<String, DateBounds>> guesses = BucketedMap.empty();

  /** Returns the bounds that hold under this state; empty if they were not computed. */
  public KnownBounds boundsUnder(ClusterState state) {
    KnownBounds now = known;
    return now.state().stateUUID().equals(state.stateUUID()) ? now : KnownBounds.NONE;
  }

  /** Returns the bounds that hold under the newest view. */
  public KnownBounds current() {
    return known;
  }

  /** Returns how many indices were learned, repetitions included. */
  public long learnedCount() {
    return learnedCount.sum();
  }

  /** Returns how many indices were discarded because they may have changed or were deleted. */
  public long invalidatedCount() {
    return invalidatedCount.sum();
  }

  int size() {
    return byUuid.size();
  }

  /**
   * Returns whether an index needs no learning: its bounds are known, or guessed if a guess is all
   * there can be.
   */
  boolean isUpToDate(ClusterState state, IndexMetadata index) {
    IndexBounds one = byUuid.get(index.getIndexUUID());
    return one != null
        && (one.isValidFor(state, index) || !SealedIndexChecker.isSealed(state, index));
  }

  /**
   * Returns whether newly learned bounds should replace the known ones.
   *
   * @param ofAny whether a guess for another index may be discarded
   */
  synchronized boolean shouldReplace(IndexMetadata index, boolean ofAny) {
    if (byUuid.containsKey(index.getIndexUUID())) {
      return true;
    }
    Iterator<IndexBounds> all = byUuid.values().iterator();
    while (ofAny && all.hasNext()) {
      IndexBounds one = all.next();
      if (!one.isSealed()) {
        all.remove();
        update(known.state(), Set.of(one.name()), List.of());
        return true;
      }
    }
    return false;
  }

  /** Stores the bounds of an index. */
  synchronized void store(IndexBounds index) {
    byUuid.put(index.uuid(), index);
    learnedCount.increment();
    update(known.state(), Set.of(), List.of(index));
  }

  /** Discards everything. */
  synchronized void clear() {
    byUuid.clear();
    holding = BucketedMap.empty();
    guesses = BucketedMap.empty();
    known = new KnownBounds(known.state(), holding, guesses);
  }

  @Override
  public synchronized void onChange(ClusterView before, ClusterView now) {
    ClusterState state = now.state();
    if (!now.isSameCluster(before)) {
      clear(); // a rebuilt cluster starts with low versions again
    }
    Set<String> names = new HashSet<>();
    List<IndexBounds> changed = new ArrayList<>();
    for (IndexBounds one : byUuid.values()) {
      if (isSettled(one) && !IndexChangeDetector.isChanged(known.state(), state, one.name())) {
        continue;
      }
      names.add(one.name());
      IndexBounds kept = keepUnder(state, one);
      if (kept != null) {
        changed.add(kept);
      }
    }
    update(state, names, changed);
  }

  /** Returns whether the known bounds have these, as sealed as they are. */
  private boolean isSettled(IndexBounds one) {
    ConfirmableBounds held = holding.get(one.name());
    return one.isSealed()
        ? held != null && Identity.isSame(held.index(), one)
        : Identity.isSame(guesses.get(one.name()), one.fields());
  }

  /** Makes a guess of bounds that may have changed; returns null for those of a deleted index. */
  private @Nullable IndexBounds keepUnder(ClusterState state, IndexBounds one) {
    IndexMetadata index = state.metadata().index(new Index(one.name(), one.uuid()));
    boolean isInvalid = one.isSealed() && (index == null || !one.isValidFor(state, index));
    if (isInvalid) {
      invalidatedCount.increment();
    }
    if (index == null) {
      byUuid.remove(one.uuid());
      return null;
    }
    if (!isInvalid) {
      return one;
    }
    IndexBounds guess = one.asGuess();
    byUuid.put(one.uuid(), guess);
    return guess;
  }

  /**
   * Replaces some of the known bounds; the others hold as before.
   *
   * @param removed names of indices
   * @param changed what is known of some of these, or of others
   */
  private void update(
      ClusterState state, Collection<String> removed, Collection<IndexBounds> changed) {
    Set<String> names = new HashSet<>(removed);
    Map<String, ConfirmableBounds> nowHolding = new HashMap<>();
    Map<String, Map<String, DateBounds>> nowGuessed = new HashMap<>();
    for (IndexBounds one : changed) {
      IndexMetadata index = state.metadata().index(one.name());
      if (index == null || !one.uuid().equals(index.getIndexUUID())) {
        continue;
      }
      names.add(one.name());
      Set<String> holders =
          one.isValidFor(state, index)
              ? SealedIndexChecker.nodesHolding(state, index, false)
              : null;
      if (holders == null) {
        nowGuessed.put(one.name(), one.fields());
      } else {
        nowHolding.put(one.name(), new ConfirmableBounds(one, Set.copyOf(holders)));
      }
    }
    holding = holding.with(nowHolding, names);
    guesses = guesses.with(nowGuessed, names);
    known = new KnownBounds(state, holding, guesses);
  }
}
