package dev.weir.core.coordinate;

import dev.weir.protocol.NodeCall;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All of one search that knows OpenSearch: what is sent in each round, how answers become one, and
 * whom to tell. Whoever holds it decides only the order of things. Confined to the request's home;
 * asked for in the order in which its methods stand here.
 */
public interface SearchWork extends CancellableWork {
  /** How many shards an answer counts. */
  record ShardCounts(int total, int successful, int skipped) {}

  /** Where a shard stands after can-match: its ordinal, and whether it can be left out. */
  record MatchedShard(int ordinal, boolean isSkippable) {}

  /** A search context that is open on a node and nobody needs any more. */
  record OpenContext(String nodeId, NodeCall<?> freeCall) {}

  /** The can-match round over these shards. */
  ShardRound<?> createCanMatchRound(List<Integer> ordinals);

  /** The order in which to ask the shards, by what can-match found. */
  List<MatchedShard> rankShards();

  /** The first round that does work, over these shards: query, dfs, or opening a point in time. */
  ShardRound<?> createFirstRound(List<Integer> ordinals);

  /** The round after the first, when that only gathered term statistics; null otherwise. */
  @Nullable NodeRound<?> createDfsQueryRound();

  /**
   * Reduces the answers of the query to one; hands what must be fetched to {@link
   * #createFetchRound}.
   *
   * @param done hears null, or why it failed, on the home
   */
  void reduce(Consumer<@Nullable Exception> done);

  /** The fetch round; without calls when nothing is to be fetched. */
  NodeRound<?> createFetchRound();

  /** Merges what was fetched with what was reduced. */
  void merge() throws Exception;

  /**
   * Searches for what stands behind each collapsed hit.
   *
   * @param done hears null, or what to fail with, on the home; not called when there is nothing
   * @return whether there is something to search for
   */
  boolean expandCollapsedHits(Consumer<@Nullable Exception> done);

  /** How many shards have a failure that goes into the answer. */
  int failureCount();

  /** Keeps how long a phase took, for the answer. */
  void recordPhaseTime(String phase, long nanos);

  /** Tells whoever measures searches how long a part of it took. */
  void reportPhaseTime(String phase, long nanos);

  /** Contexts that are open and not needed by anyone any more; each is given out once. */
  List<OpenContext> drainUnneededContexts();

  /** Gives the answer. Contexts that must outlive it stay open. */
  void succeed(ShardCounts counts);

  /** Whether contexts outlive the answer, which alone says their ids. */
  boolean hasPersistentContexts();

  /** Nobody has got that answer: the contexts that should have outlived it are not needed. */
  void discardPersistentContexts();

  /**
   * Fails the search in a phase.
   *
   * @param message as OpenSearch words it, such as {@code all shards failed}
   * @param cause what failed; null to look for the root cause among the shards' failures when
   *     {@code allShards}
   */
  void fail(String phase, String message, @Nullable Throwable cause, boolean allShards);

  /**
   * Fails the search before its first round, because some shards have no copy and the answer would
   * lack them.
   *
   * @param matching whether that round would have been can-match
   */
  void rejectUnassigned(boolean matching, List<Integer> ordinals);

  /** Gives up without telling anyone, because another attempt is made: frees all it holds. */
  void abandon();
}
