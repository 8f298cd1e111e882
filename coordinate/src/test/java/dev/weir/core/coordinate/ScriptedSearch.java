package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterView;
import dev.weir.core.plan.SearchPlan;
import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.core.plan.SearchPlan.SearchRules;
import dev.weir.model.NodeCallType;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.ReplyFrame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A search without OpenSearch: a log records the calls to it, and the test scripts its results.
 * Every shard that answers the query phase keeps a search context open until it is fetched or
 * freed.
 */
final class ScriptedSearch implements PlannableSearch, SearchWork {
  static final String MOVED = "moved";

  final List<String> log = new ArrayList<>();
  final List<String> spent = new ArrayList<>();
  Function<ClusterView, SearchPlan> plan = view -> plan(shards("n1"));
  Duration cancelAfter = Duration.ZERO;
  List<MatchedShard> matched = List.of();
  Set<Integer> fetchedFrom = new HashSet<>();
  boolean dfs;
  @Nullable NodeCallType asks = NodeCallType.HITS;
  boolean repeatable;
  boolean queuesOnNodes;
  int queueSize = 3;
  long serviceTimeNanos = 5;
  boolean bound;

  /** Nodes whose copies must not replace late ones. */
  final Set<String> reservedNodes = new HashSet<>();

  boolean kept;
  @Nullable Exception reduceFailure;
  @Nullable Consumer<@Nullable Exception> reducing;
  boolean reducesLater;
  @Nullable RuntimeException fetchRoundFailure;
  @Nullable RuntimeException reportFailure;
  @Nullable Consumer<@Nullable Exception> expanding;
  boolean expands;
  Consumer<String> hopeless = reason -> {};
  @Nullable Exception prepareFailure;
  @Nullable PrunedSearchPlan lean;
  @Nullable RuntimeException mergeFailure;
  @Nullable Error firstRoundFailure;
  @Nullable RuntimeException tellFailure;

  private final Map<Integer, String> open = new TreeMap<>();
  private final List<OpenContext> unneeded = new ArrayList<>();
  private final Set<Integer> failed = new HashSet<>();

  static List<PlannedShard> shards(String... nodes) {
    List<PlannedShard> shards = new ArrayList<>();
    for (String copies : nodes) {
      shards.add(
          new PlannedShard(
              shards.size(),
              copies.isEmpty() ? List.of() : Arrays.asList(copies.split(",")),
              false));
    }
    return shards;
  }

  /** Creates shards whose copies are equivalent. */
  static List<PlannedShard> free(String... nodes) {
    return shards(nodes).stream()
        .map(shard ->
            new PlannedShard(
                shard.ordinal(),
                shard.nodeIds(),
                false,
                shard.nodeIds().stream()
                    .map(node -> new ShardCopy(node, "", false, false, Map.of()))
                    .toList(),
                ShardRoutingRecorder.NONE))
        .toList();
  }

  static SearchPlan plan(List<PlannedShard> shards) {
    return new SearchPlan(shards, new SearchRules(5, true, false, false));
  }

  static SearchPlan plan(List<PlannedShard> shards, SearchRules rules) {
    return new SearchPlan(shards, rules);
  }

  /** An empty call. */
  static NodeCall<String> call(String action) {
    return new NodeCall<>(action, out -> {}, in -> "", ChannelKind.READ, Map.of(), Duration.ZERO);
  }

  /** Tasks whose calls are named ban and unban, with this suffix. */
  static NodeTaskBan bannable(String name) {
    return new NodeTaskBan() {
      @Override
      public NodeCall<?> createBanCall(String reason) {
        return call("ban" + name);
      }

      @Override
      public NodeCall<?> createUnbanCall() {
        return call("unban" + name);
      }
    };
  }

  @Override
  public PreparedSearch prepare(ClusterView view) throws Exception {
    log.add("prepare " + view.state().version());
    if (prepareFailure != null) {
      throw prepareFailure;
    }
    return new PreparedSearch(plan.apply(view), this, cancelAfter, "too late", asks, lean);
  }

  @Override
  public boolean isStaleViewFailure(Exception failure, ClusterView view) {
    return MOVED.equals(failure.getMessage());
  }

  @Override
  public boolean hasClusterChanged(ClusterView stale, ClusterView fresh) {
    return stale.state().version() != fresh.state().version();
  }

  @Override
  public void fail(Exception failure) {
    log.add("failed before: " + failure.getMessage());
  }

  @Override
  public void onUnrecoverable(Consumer<String> cancel) {
    hopeless = cancel;
  }

  @Override
  public ShardRound<?> createCanMatchRound(List<Integer> ordinals) {
    return new Round("can_match", ordinals, false);
  }

  @Override
  public List<MatchedShard> rankShards() {
    return matched;
  }

  @Override
  public ShardRound<?> createFirstRound(List<Integer> ordinals) {
    if (firstRoundFailure != null) {
      throw firstRoundFailure;
    }
    return new Round(dfs ? "dfs" : "query", ordinals, true);
  }

  @Override
  public @Nullable NodeRound<?> createDfsQueryRound() {
    return dfs ? new Second("dfs_query", List.copyOf(open.keySet())) : null;
  }

  @Override
  public void reduce(Consumer<@Nullable Exception> done) {
    log.add("reduce");
    reducing = done;
    if (!reducesLater) {
      done.accept(reduceFailure);
    }
  }

  @Override
  public NodeRound<?> createFetchRound() {
    if (fetchRoundFailure != null) {
      throw fetchRoundFailure;
    }
    List<Integer> from = open.keySet().stream().filter(fetchedFrom::contains).toList();
    for (int shard : List.copyOf(open.keySet())) {
      if (!from.contains(shard) && !kept) {
        discard(shard);
      }
    }
    return new Second("fetch", from);
  }

  @Override
  public void merge() {
    log.add("merge");
    if (mergeFailure != null) {
      throw mergeFailure;
    }
  }

  @Override
  public boolean expandCollapsedHits(Consumer<@Nullable Exception> done) {
    expanding = done;
    return expands;
  }

  @Override
  public int failureCount() {
    return failed.size();
  }

  @Override
  public void recordPhaseTime(String phase, long nanos) {
    log.add("took " + phase);
  }

  @Override
  public void reportPhaseTime(String phase, long nanos) {
    if (reportFailure != null) {
      throw reportFailure;
    }
    spent.add(phase);
  }

  @Override
  public List<OpenContext> drainUnneededContexts() {
    List<OpenContext> drained = List.copyOf(unneeded);
    unneeded.clear();
    return drained;
  }

  @Override
  public void succeed(ShardCounts counts) {
    log.add("answer %d/%d/%d".formatted(counts.successful(), counts.total(), counts.skipped()));
  }

  @Override
  public boolean hasPersistentContexts() {
    return kept;
  }

  @Override
  public void discardPersistentContexts() {
    List.copyOf(open.keySet()).forEach(this::discard);
  }

  @Override
  public void fail(String phase, String message, @Nullable Throwable cause, boolean allShards) {
    log.add("fail " + phase + ": " + message);
    List.copyOf(open.keySet()).forEach(this::discard);
    if (tellFailure != null) {
      throw tellFailure;
    }
  }

  @Override
  public void rejectUnassigned(boolean matching, List<Integer> ordinals) {
    log.add("reject " + ordinals);
  }

  @Override
  public void abandon() {
    log.add("abandon");
    failed.clear();
    List.copyOf(open.keySet()).forEach(this::discard);
  }

  @Override
  public Exception cancellationException() {
    return new IllegalStateException("cancelled");
  }

  @Override
  public void cancel(String reason) {
    log.add("cancel: " + reason);
  }

  @Override
  public NodeTaskBan taskBan(String nodeId) {
    return bannable("");
  }

  private void discard(int shard) {
    String nodeId = open.remove(shard);
    if (nodeId != null) {
      unneeded.add(new OpenContext(nodeId, call("free " + shard)));
    }
  }

  private final class Round implements ShardRound<String> {
    private final String name;
    private final List<Integer> ordinals;
    private final boolean opens;

    Round(String name, List<Integer> ordinals, boolean opens) {
      this.name = name;
      this.ordinals = ordinals;
      this.opens = opens;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public NodeCall<String> createCall(int shard, String nodeId) {
      if (nodeId.equals("unknown")) {
        throw new IllegalStateException("no node found");
      }
      return ScriptedSearch.call(name + " " + ordinals.get(shard));
    }

    @Override
    public NodeCallType callType() {
      return NodeCallType.HITS;
    }

    @Override
    public boolean canQueue() {
      return true;
    }

    @Override
    public boolean canQueueOnNode() {
      return queuesOnNodes;
    }

    @Override
    public boolean isHedgeable() {
      return repeatable;
    }

    @Override
    public HedgeableCall<String> createHedgeableCall(int shard, String nodeId) {
      return new HedgeableCall<>(
          createCall(shard, nodeId),
          opens ? ScriptedSearch.bannable(" " + name + " " + ordinals.get(shard)) : null,
          new OrphanedContextFinder<>() {
            @Override
            public @Nullable OpenContext find(String reply) {
              return opens
                  ? new OpenContext(nodeId, ScriptedSearch.call("free " + shard + " of " + nodeId))
                  : null;
            }

            @Override
            public @Nullable OpenContext find(NodeCallException failure) {
              return failure.kind() == NodeCallException.Kind.OVER_BUDGET ? find("") : null;
            }
          });
    }

    @Override
    public int queueSize(String reply) {
      return queueSize;
    }

    @Override
    public long serviceTimeNanos(String reply) {
      return serviceTimeNanos;
    }

    @Override
    public void onReply(
        int shard, String nodeId, String reply, ReplyFrame frame, Runnable consumed) {
      if (reply.equals("broken")) {
        throw new IllegalStateException("broken");
      }
      if (opens) {
        open.put(shard, nodeId);
      }
      failed.remove(shard);
      consumed.run();
    }

    @Override
    public void onFailure(int shard, String nodeId, Exception failure) {
      if (!MOVED.equals(failure.getMessage())) {
        failed.add(shard);
      }
    }

    @Override
    public void onUnavailable(int shard) {
      log.add("unavailable " + ordinals.get(shard));
    }

    @Override
    public boolean shouldSkipCopy(int shard, String nodeId, Exception failure) {
      return nodeId.startsWith("away");
    }

    @Override
    public boolean isStale(Exception failure) {
      return MOVED.equals(failure.getMessage());
    }

    @Override
    public int failureCount() {
      return failed.size();
    }
  }

  private final class Second implements NodeRound<String> {
    private final String name;
    private final List<Integer> shards;
    private final List<String> nodes;

    Second(String name, List<Integer> shards) {
      this.name = name;
      this.shards = shards;
      this.nodes = shards.stream().map(open::get).toList();
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public NodeCallType callType(int call) {
      return NodeCallType.FETCH;
    }

    @Override
    public int callCount() {
      return shards.size();
    }

    @Override
    public String nodeId(int call) {
      return nodes.get(call);
    }

    @Override
    public NodeCall<String> createCall(int call) {
      return ScriptedSearch.call(name + " " + shards.get(call));
    }

    @Override
    public void onReply(int call, String reply, ReplyFrame frame, Runnable consumed) {
      if (name.equals("fetch") && !kept) {
        open.remove(shards.get(call));
      }
      consumed.run();
    }

    @Override
    public boolean canStartOver() {
      return !bound;
    }

    @Override
    public boolean canStartOverOn(int ordinal, String nodeId) {
      return !reservedNodes.contains(nodeId);
    }

    @Override
    public boolean isContextLost(Exception failure) {
      return !bound
          && failure instanceof NodeCallException sending
          && sending.kind() == NodeCallException.Kind.CONNECTION_LOST;
    }

    @Override
    public boolean onFailure(int call, Exception failure) {
      discard(shards.get(call));
      if (failure instanceof NodeCallException && MOVED.equals(failure.getMessage())) {
        return false;
      }
      failed.add(shards.get(call));
      return true;
    }
  }
}
