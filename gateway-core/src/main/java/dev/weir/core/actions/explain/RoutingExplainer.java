package dev.weir.core.actions.explain;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.SearchShardResolver;
import dev.weir.cluster.ShardTarget;
import dev.weir.model.DisplayFormat;
import dev.weir.model.NodeCallType;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.RankingExplanation;
import dev.weir.routing.ReplicaSelector;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.IndexAbstraction;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.core.index.Index;

/**
 * Explains, as maps for JSON, which copy of each shard of an index a search would be sent to now,
 * and why. Changes no rotation and sends no probe. Safe on any thread.
 */
public final class RoutingExplainer {
  private static final int ALL = -1;

  private final Supplier<ClusterView> views;
  private final ReplicaSelector selector;

  /** Explains by the newest view. */
  public RoutingExplainer(Supplier<ClusterView> views, ReplicaSelector selector) {
    this.views = views;
    this.selector = selector;
  }

  /**
   * Explains.
   *
   * @param query {@code index}, the name of an index, alias or data stream; and if wanted {@code
   *     shard}, {@code routing}, {@code preference} as in a search, {@code work} as {@link
   *     NodeCallType} names it
   * @throws IllegalArgumentException for what can't be explained
   */
  public Map<String, Object> explain(Map<String, String> query) {
    ClusterView view = views.get();
    String name = query.getOrDefault("index", "");
    List<Index> indices = indices(view, name);
    int shard = number(query.get("shard"));
    NodeCallType work = work(query.get("work"));
    List<ShardTarget> targets =
        SearchShardResolver.resolve(
            view, indices, routing(indices, query.get("routing")), query.get("preference"), null);
    List<Object> shards = new ArrayList<>();
    for (ShardTarget target : targets) {
      if (shard == ALL || target.shardId().id() == shard) {
        shards.add(describeShard(view, target, work));
      }
    }
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("index", name);
    body.put("adaptive", view.settings().routing().adaptive());
    body.put("shards", shards);
    return body;
  }

  private static List<Index> indices(ClusterView view, String name) {
    IndexAbstraction found = view.state().metadata().getIndicesLookup().get(name);
    if (found == null) {
      throw new IllegalArgumentException(
          "index: got [" + name + "] (expected: the name of an index, alias or data stream)");
    }
    return found.getIndices().stream().map(IndexMetadata::getIndex).toList();
  }

  private static int number(@Nullable String shard) {
    try {
      return shard == null ? ALL : Integer.parseUnsignedInt(shard);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("shard: got [" + shard + "] (expected: a number)", e);
    }
  }

  private static Map<String, Set<String>> routing(List<Index> indices, @Nullable String routing) {
    Map<String, Set<String>> byIndex = new HashMap<>();
    if (routing != null) {
      indices.forEach(index -> byIndex.put(index.getName(), Set.of(routing.split(","))));
    }
    return byIndex;
  }

  private static NodeCallType work(@Nullable String label) {
    NodeCallType work = label == null ? NodeCallType.HITS : NodeCallType.fromLabel(label);
    if (work == null || work.phase() != Phase.QUERY) {
      throw new IllegalArgumentException(
          "work: got [" + label + "] (expected: a kind of query, such as aggregations)");
    }
    return work;
  }

  private Map<String, Object> describeShard(
      ClusterView view, ShardTarget target, NodeCallType work) {
    List<List<ShardCopy>> tiers = new ArrayList<>();
    Map<ShardCopy, Map<String, Object>> rows = new HashMap<>();
    RankingExplanation last = selector.explain(List.of(), work.phase());
    boolean adaptive = view.settings().routing().adaptive();
    for (List<ShardCopy> tier : target.tiers()) {
      last = selector.explain(tier, work.phase(), work.costClass());
      for (RankingExplanation.Candidate candidate : last.candidates()) {
        Map<String, Object> row = describeCandidate(view, candidate, adaptive);
        row.put("tier", tiers.size() + 1);
        rows.put(candidate.copy(), row);
      }
      tiers.add(last.candidates().stream().map(RankingExplanation.Candidate::copy).toList());
    }
    Map<String, Object> shard = new LinkedHashMap<>();
    shard.put("index", target.shardId().getIndexName());
    shard.put("shard", target.shardId().id());
    shard.put("policy", last.policy());
    shard.put("formula", last.formula());
    List<ShardCopy> firsts = tiers.stream().map(List::getFirst).toList();
    int tier =
        adaptive && target.canFallBack() && !firsts.isEmpty()
            ? selector.peekPreferred(firsts, work.phase(), work.costClass())
            : 0;
    List<ShardCopy> order = join(target, tiers, tier, work.phase(), adaptive);
    shard.put("work", work.label());
    shard.put(
        "order",
        adaptive && !target.isOrderFixed() ? "by score" : fixedOrderReason(adaptive, target));
    shard.put(
        "yields", tier > 0 ? "yes: tier 1 is overloaded, tier " + (tier + 1) + " is not" : "no");
    boolean scored = adaptive && !last.formula().isEmpty();
    shard.put("winner", order.isEmpty() || !scored ? "" : order.getFirst().nodeId());
    List<Object> candidates = new ArrayList<>();
    for (ShardCopy copy : order) {
      Map<String, Object> row = Objects.requireNonNull(rows.get(copy));
      row.put("rank", candidates.size() + 1);
      candidates.add(row);
    }
    shard.put("candidates", candidates);
    return shard;
  }

  private List<ShardCopy> join(
      ShardTarget target, List<List<ShardCopy>> tiers, int first, Phase phase, boolean adaptive) {
    if (tiers.isEmpty()) {
      return List.of();
    }
    return adaptive
        ? target.join(tiers, first, selector, phase)
        : selector.drainedLast(tiers.stream().flatMap(List::stream).toList(), phase);
  }

  private static String fixedOrderReason(boolean adaptive, ShardTarget target) {
    if (target.copies().size() < 2) {
      return "nothing to choose";
    }
    return target.isOrderFixed() || adaptive
        ? "fixed by the preference, or by how nodes order copies"
        : "in turns: the cluster has adaptive replica selection off";
  }

  private static Map<String, Object> describeCandidate(
      ClusterView view, RankingExplanation.Candidate candidate, boolean adaptive) {
    ShardCopy copy = candidate.copy();
    NodeEndpoint node = view.nodes().get(copy.nodeId());
    List<Object> terms = new ArrayList<>();
    for (RankingExplanation.Term term : candidate.terms()) {
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("term", term.name());
      shown.put("value", Math.round(term.value() * 1e3) / 1e3);
      shown.put("unit", term.unit());
      terms.add(shown);
    }
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("node", copy.nodeId());
    row.put("name", node == null ? "" : node.name());
    row.put("primary", copy.primary());
    row.put("score", candidate.score());
    row.put("state", DisplayFormat.toKebabCase(candidate.copyRank()));
    row.put("reason", adaptive ? candidate.reason() : "takes its turn");
    row.put("terms", terms);
    return row;
  }
}
