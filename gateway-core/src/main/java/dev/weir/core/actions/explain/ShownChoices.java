package dev.weir.core.actions.explain;

import dev.weir.model.ShardNotes.Outcome;
import dev.weir.model.Shown;
import dev.weir.routing.Scale;
import dev.weir.routing.Weighed;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Puts a request's choices into maps, to be shown as JSON.
 *
 * @param names of nodes by their ids
 * @param nowNanos until when calls that are under way took
 */
record ShownChoices(RequestChoices request, UnaryOperator<String> names, long nowNanos) {
  /** As maps. */
  Map<String, Object> body() {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("request", Long.toString(request.id()));
    body.put("opaque_id", request.opaqueId());
    body.put("tenant", request.who().tenant());
    body.put("asked", request.who().asked());
    body.put("action", request.action());
    body.put("started", Instant.ofEpochMilli(request.startedMillis()).toString());
    RequestChoices.Sampled sampled = request.sampled();
    if (sampled != null) {
      body.put(
          "sampled",
          Map.of("shards", sampled.shards(), "of", sampled.of(), "seed", sampled.seed()));
    }
    body.put("shards", request.shards().stream().map(this::shard).toList());
    body.put("shards_left_out", request.shardsLeftOut());
    body.put("calls_left_out", request.callsLeftOut());
    if (!request.leftOut().isEmpty()) {
      body.put("pruned", request.leftOut().stream().map(ShownChoices::pruned).toList());
      body.put("pruned_left_out", request.leftOutUnnamed());
    }
    return body;
  }

  private static Map<String, Object> pruned(LeftOut index) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("index", index.index());
    row.put("shards", index.shards());
    row.put("field", index.field());
    row.put("min", Instant.ofEpochMilli(index.min()).toString());
    row.put("max", Instant.ofEpochMilli(index.max()).toString());
    return row;
  }

  private Map<String, Object> shard(ChosenShard shard) {
    boolean scored = shard.byScore() && shard.copies() > 0;
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("index", shard.index());
    row.put("shard", shard.number());
    row.put("work", shard.work().label());
    row.put("policy", scored ? shard.copy(0).scale().policy() : "");
    row.put("formula", scored ? shard.copy(0).scale().formula() : "");
    row.put("order", shard.byScore() ? "by score" : "fixed, or in turns");
    row.put("winner", "");
    List<Object> candidates = new ArrayList<>();
    for (int copy = 0; copy < shard.copies(); copy++) {
      candidates.add(candidate(shard, copy));
    }
    row.put("candidates", candidates);
    row.put("asked", calls(shard, row));
    return row;
  }

  private Map<String, Object> candidate(ChosenShard shard, int copy) {
    Weighed weighed = shard.copy(copy);
    List<Scale.Name> scale = weighed.scale().names();
    List<Object> terms = new ArrayList<>();
    for (int n = 0; n < scale.size(); n++) {
      Map<String, Object> term = new LinkedHashMap<>();
      term.put("term", scale.get(n).term());
      term.put("value", Shown.rounded(weighed.number(n)));
      term.put("unit", scale.get(n).unit());
      terms.add(term);
    }
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("rank", copy + 1);
    row.put("node", weighed.nodeId());
    row.put("name", names.apply(weighed.nodeId()));
    row.put("primary", shard.isPrimary(copy));
    row.put("standing", Shown.word(weighed.standing()));
    row.put("score", weighed.score());
    row.put("terms", terms);
    return row;
  }

  /** The calls; the winner is the node whose answer counted, in the last phase that had one. */
  private List<Map<String, Object>> calls(ChosenShard shard, Map<String, Object> row) {
    List<Map<String, Object>> calls = new ArrayList<>();
    boolean won = false;
    for (AskedCopy one = shard.newest(); one != null; one = one.before()) {
      Outcome outcome = one.outcome();
      if (outcome == Outcome.ANSWERED && !won) {
        row.put("winner", one.nodeId());
        won = true;
      }
      long until = outcome == null ? nowNanos : one.overNanos();
      Map<String, Object> call = new LinkedHashMap<>();
      call.put("phase", one.phase());
      call.put("node", one.nodeId());
      call.put("name", names.apply(one.nodeId()));
      call.put("reason", Shown.word(one.why()));
      call.put("after_ms", Shown.rounded((one.askedNanos() - request.startedNanos()) / 1e6));
      call.put("outcome", outcome == null ? "under-way" : Shown.word(outcome));
      call.put("took_ms", Shown.rounded((until - one.askedNanos()) / 1e6));
      calls.add(call);
    }
    return calls.reversed();
  }
}
