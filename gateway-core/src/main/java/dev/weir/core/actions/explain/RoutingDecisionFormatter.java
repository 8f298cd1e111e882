package dev.weir.core.actions.explain;

import dev.weir.model.DisplayFormat;
import dev.weir.model.ShardRoutingRecorder.Outcome;
import dev.weir.routing.ScoreFormula;
import dev.weir.routing.ScoredCopy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Converts a request's routing decisions to maps for JSON.
 *
 * @param nodeNames node names by id
 * @param nowNanos the end time to assume for running calls
 */
record RoutingDecisionFormatter(
    RequestRoutingDecisions decisions, UnaryOperator<String> nodeNames, long nowNanos) {
  /** Converts the decisions. */
  Map<String, Object> toMap() {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("request_id", Long.toString(decisions.id()));
    body.put("opaque_id", decisions.opaqueId());
    body.put("tenant", decisions.identity().tenant());
    body.put("request_line", decisions.identity().requestLine());
    body.put("action", decisions.action());
    body.put("started_at", Instant.ofEpochMilli(decisions.startedMillis()).toString());
    RequestRoutingDecisions.ShardSample sampled = decisions.sampled();
    if (sampled != null) {
      body.put(
          "sampled",
          Map.of(
              "shards",
              sampled.shards(),
              "total_shards",
              sampled.totalShards(),
              "seed",
              sampled.seed()));
    }
    body.put("shards", decisions.shards().stream().map(this::shardToMap).toList());
    body.put("omitted_shards", decisions.omittedShards());
    body.put("omitted_calls", decisions.omittedCalls());
    if (!decisions.prunedIndices().isEmpty()) {
      body.put(
          "pruned_indices",
          decisions.prunedIndices().stream().map(RoutingDecisionFormatter::prunedToMap).toList());
      body.put("omitted_pruned_indices", decisions.omittedPrunedIndices());
    }
    return body;
  }

  private static Map<String, Object> prunedToMap(PrunedIndexRecord index) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("index", index.index());
    row.put("shards", index.shards());
    row.put("field", index.field());
    row.put("min", Instant.ofEpochMilli(index.minValue()).toString());
    row.put("max", Instant.ofEpochMilli(index.maxValue()).toString());
    return row;
  }

  private Map<String, Object> shardToMap(ShardRoutingDecision shard) {
    boolean scored = shard.scored() && shard.copies() > 0;
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("index", shard.index());
    row.put("shard", shard.shardId());
    row.put("work", shard.work().label());
    row.put("policy", scored ? shard.copy(0).formula().policy() : "");
    row.put("formula", scored ? shard.copy(0).formula().expression() : "");
    row.put("score_unit", scored ? shard.copy(0).formula().scoreUnit() : "");
    row.put("order", shard.scored() ? "by score" : "fixed, or in turns");
    row.put("winner", "");
    List<Object> candidates = new ArrayList<>();
    for (int copy = 0; copy < shard.copies(); copy++) {
      candidates.add(candidateToMap(shard, copy));
    }
    row.put("candidates", candidates);
    row.put("calls", callsToList(shard, row));
    return row;
  }

  private Map<String, Object> candidateToMap(ShardRoutingDecision shard, int copy) {
    ScoredCopy weighed = shard.copy(copy);
    List<ScoreFormula.TermSpec> scale = weighed.formula().termSpecs();
    List<Object> terms = new ArrayList<>();
    for (int n = 0; n < scale.size(); n++) {
      Map<String, Object> term = new LinkedHashMap<>();
      term.put("term", scale.get(n).name());
      term.put("value", DisplayFormat.roundToThousandths(weighed.termValue(n)));
      term.put("unit", scale.get(n).unit());
      terms.add(term);
    }
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("rank", copy + 1);
    row.put("node", weighed.nodeId());
    row.put("name", nodeNames.apply(weighed.nodeId()));
    row.put("primary", shard.isPrimary(copy));
    row.put("state", DisplayFormat.toKebabCase(weighed.copyRank()));
    row.put("score", weighed.score());
    row.put("terms", terms);
    return row;
  }

  /**
   * Converts the calls; the winner is the node whose response was used, in the last phase that had
   * one.
   */
  private List<Map<String, Object>> callsToList(
      ShardRoutingDecision shard, Map<String, Object> row) {
    List<Map<String, Object>> calls = new ArrayList<>();
    boolean won = false;
    for (CopyCall one = shard.newestCall(); one != null; one = one.previous()) {
      Outcome outcome = one.outcome();
      if (outcome == Outcome.ANSWERED && !won) {
        row.put("winner", one.nodeId());
        won = true;
      }
      long until = outcome == null ? nowNanos : one.endNanos();
      Map<String, Object> call = new LinkedHashMap<>();
      call.put("phase", one.phase());
      call.put("node", one.nodeId());
      call.put("name", nodeNames.apply(one.nodeId()));
      call.put("reason", DisplayFormat.toKebabCase(one.reason()));
      call.put(
          "after_ms",
          DisplayFormat.roundToThousandths((one.startNanos() - decisions.startedNanos()) / 1e6));
      call.put("outcome", outcome == null ? "in-flight" : DisplayFormat.toKebabCase(outcome));
      call.put("took_ms", DisplayFormat.roundToThousandths((until - one.startNanos()) / 1e6));
      calls.add(call);
    }
    return calls.reversed();
  }
}
