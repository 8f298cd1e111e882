package dev.weir.core.reduce.round;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.coordinate.SearchWork.MatchedShard;
import dev.weir.core.reduce.SearchFixture;
import dev.weir.core.reduce.SearchFixture.CountedFrame;
import dev.weir.core.reduce.memory.MemoryRejectionTracker;
import dev.weir.core.reduce.response.ShardFailures;
import dev.weir.protocol.NodeCall;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.opensearch.OpenSearchException;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.search.SearchService.CanMatchResponse;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.sort.MinAndMax;
import org.opensearch.search.sort.SortOrder;
import org.opensearch.transport.TransportRequest;

class CanMatchRoundTest {
  private final ShardFailures failures = new ShardFailures(3);

  private CanMatchRound round(SortOrder order, Integer... ordinals) {
    SearchRequest request =
        new SearchRequest("docs").source(new SearchSourceBuilder().sort("date", order));
    return new CanMatchRound(
        SearchRoundContext.create(
            SearchFixture.scope(request, 3),
            SearchFixture.caller(),
            new MemoryRejectionTracker(List::of)),
        List.of(ordinals),
        failures);
  }

  private static void answers(CanMatchRound round, int shard, CanMatchResponse response) {
    int[] taken = new int[1];
    round.onReply(shard, "n0", response, new CountedFrame(), () -> taken[0]++);
    assertThat(taken[0]).isEqualTo(1);
  }

  private static CanMatchResponse spans(long from, long to) {
    return new CanMatchResponse(true, new MinAndMax<>(from, to));
  }

  @Test
  void asksShardsWithTheLargestValuesFirstWhenDescending() {
    CanMatchRound round = round(SortOrder.DESC, 0, 1, 2);
    answers(round, 0, spans(1, 2));
    answers(round, 1, spans(5, 9));
    answers(round, 2, spans(3, 4));
    assertThat(round.rankShards()).extracting(MatchedShard::ordinal).containsExactly(1, 2, 0);
  }

  @Test
  void asksShardsWithTheSmallestValuesFirstWhenAscending() {
    CanMatchRound round = round(SortOrder.ASC, 0, 1, 2);
    answers(round, 0, spans(5, 9));
    answers(round, 1, spans(3, 9));
    answers(round, 2, spans(1, 9));
    assertThat(round.rankShards()).extracting(MatchedShard::ordinal).containsExactly(2, 1, 0);
  }

  @Test
  void keepTheShardOrderForIncomparableValues() {
    CanMatchRound round = round(SortOrder.ASC, 0, 1, 2);
    answers(round, 0, spans(5, 9));
    answers(round, 1, new CanMatchResponse(true, new MinAndMax<>(1.0, 2.0)));
    answers(round, 2, spans(1, 9));
    assertThat(round.rankShards()).extracting(MatchedShard::ordinal).containsExactly(0, 1, 2);
  }

  /** One ban for each node stops all of them. */
  @Test
  void createNoTaskForEachShard() throws Exception {
    CanMatchRound round = round(SortOrder.ASC, 0, 1, 2);
    assertThat(round.createHedgeableCall(0, "n0").taskBan()).isNull();
    assertThat(parent(round.createHedgeableCall(0, "n0").call()))
        .isEqualTo(parent(round.createCall(1, "n0")));
  }

  private static TaskId parent(NodeCall<?> call) {
    return ((TransportRequest) call.payload()).getParentTask();
  }

  @Test
  void skipsShardsThatCantMatch() {
    CanMatchRound round = round(SortOrder.ASC, 0, 1, 2);
    answers(round, 0, new CanMatchResponse(false, null));
    answers(round, 1, new CanMatchResponse(true, null));
    answers(round, 2, new CanMatchResponse(false, null));
    assertThat(round.rankShards())
        .extracting(MatchedShard::isSkippable)
        .containsExactly(true, false, true);
  }

  @Test
  void asksOneShardEvenWhenNoneCanMatch() {
    CanMatchRound round = round(SortOrder.ASC, 1, 2);
    answers(round, 0, new CanMatchResponse(false, null));
    answers(round, 1, new CanMatchResponse(false, null));
    assertThat(round.rankShards())
        .extracting(MatchedShard::isSkippable)
        .containsExactly(true, false, true);
  }

  @Test
  void takesShardsThatFailForOnesThatMatch() {
    CanMatchRound round = round(SortOrder.ASC, 0, 1, 2);
    round.onFailure(0, "n0", new OpenSearchException("bad"));
    round.onUnavailable(1);
    answers(round, 2, new CanMatchResponse(false, null));
    assertThat(round.rankShards())
        .extracting(MatchedShard::isSkippable)
        .containsExactly(false, false, true);
    assertThat(round.failureCount()).isEqualTo(1);
  }
}
