package dev.weir.core.coordinate.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.capability.Capability;
import dev.weir.core.coordinate.batch.PartialReduction.Part;
import dev.weir.core.coordinate.batch.RecordingNode.BatchContent;
import dev.weir.core.coordinate.batch.RecordingNode.Message;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.PendingCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.action.search.SearchTransportService;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.transport.TransportRequest;

/** Queries whose results a node reduces together. */
class ReducedBatchTest {
  private static final String QUERY = SearchTransportService.QUERY_ACTION_NAME;
  private static final String FREE = SearchTransportService.FREE_CONTEXT_ACTION_NAME;
  private static final String BATCH = "indices:data/read/search[weir/batch]";
  private static final int IN_GROUP = 2;
  private static final int LEFT_OUT = 4;
  private static final int MERGED = 8;

  private final RecordingNode node = new RecordingNode();
  private final List<String> outcomes = new ArrayList<>();
  private final Set<String> unused = new HashSet<>();
  private final PartialReductionCounts counts = new PartialReductionCounts();
  private final PartialReduction reduction =
      new PartialReduction(10, EnumSet.of(Part.HITS_BY_SCORE), counts);
  private ShardBatches batches = new ShardBatches((nodeId, capability) -> true, 0);

  /** A query with a text. */
  private static final class TextQuery extends TransportRequest implements ReducibleQuery {
    private final String text;
    private final PartialReduction reduction;
    private final int shardIndex;

    TextQuery(String text, PartialReduction reduction, int shardIndex) {
      this.text = text;
      this.reduction = reduction;
      this.shardIndex = shardIndex;
    }

    @Override
    public void writeTo(StreamOutput out) throws IOException {
      super.writeTo(out);
      out.writeString(text);
    }

    @Override
    public PartialReduction reduction() {
      return reduction;
    }

    @Override
    public int shardIndex() {
      return shardIndex;
    }

    @Override
    public @Nullable NodeCall<?> createFreeCall(Object reply) {
      return reply.equals("no hits")
          ? null
          : new NodeCall<>(
              FREE,
              out -> {
                TaskId.EMPTY_TASK_ID.writeTo(out);
                out.writeString("context of " + reply);
              },
              StreamInput::readString,
              ChannelKind.READ,
              Map.of(),
              Duration.ZERO);
    }
  }

  private PendingCall query(String text, PartialReduction of, int shardIndex) {
    return batches.send(
        node,
        new NodeCall<>(
            QUERY,
            new TextQuery(text, of, shardIndex),
            StreamInput::readString,
            ChannelKind.READ,
            Map.of(),
            Duration.ZERO),
        Runnable::run,
        new ReplyHandler<>() {
          @Override
          public void onReply(String reply, ReplyFrame frame) {
            outcomes.add(text + ": " + reply);
          }

          @Override
          public void onFailure(NodeCallException failure) {
            outcomes.add(text + ": " + failure.kind());
          }

          @Override
          public boolean isResultUsed() {
            return !unused.contains(text);
          }
        });
  }

  private void query(String... texts) {
    for (int i = 0; i < texts.length; i++) {
      query(texts[i], reduction, 7 + i);
    }
  }

  private List<String> actions() {
    return node.messages.stream().map(message -> message.call.action()).toList();
  }

  private static Writeable result(int place, int form, int leftOut, Writeable written) {
    return out -> {
      out.writeVInt(place);
      out.writeByte((byte) form);
      if ((form & LEFT_OUT) != 0) {
        out.writeVInt(leftOut);
      }
      out.writeBytesReference(RecordingNode.written(written));
    };
  }

  private static Writeable whole(int place, String text) {
    return result(place, IN_GROUP, 0, out -> out.writeString(text));
  }

  private static Writeable reduced(int place, int leftOut, String text) {
    return result(place, IN_GROUP | LEFT_OUT, leftOut, out -> out.writeString(text));
  }

  private static Writeable response(Writeable... results) {
    return out -> {
      out.writeBoolean(false);
      out.writeVInt(0);
      out.writeVInt(results.length);
      for (Writeable result : results) {
        result.writeTo(out);
      }
    };
  }

  @Test
  void tellsTheNodeHowManyHitsTheSearchCanUse() throws IOException {
    query("a", "b");
    batches.flush();
    assertThat(actions()).containsExactly(BATCH.replace("]", "/reduced]"));
    StreamInput in = node.messages.getFirst().payload();
    TaskId.readFromStream(in);
    in.readVInt();
    in.readVInt();
    assertThat(in.readVInt()).as("running").isZero();
    assertThat(in.readVInt()).as("hits").isEqualTo(10);
    int count = in.readVInt();
    assertThat(count).isEqualTo(2);
    for (int i = 0; i < count; i++) {
      assertThat(in.readString()).isEqualTo(QUERY);
      in.readBytesReference();
      assertThat(in.readVInt()).as("shard").isEqualTo(7 + i);
    }
    assertThat(in.available()).isZero();

    node.messages.getFirst().reply(response(whole(1, "hits"), reduced(0, 8, "no hits")));
    assertThat(outcomes).containsExactly("b: hits", "a: no hits");
    assertThat(counts.hits()).isEqualTo(8);
    assertThat(counts.repeatedQueries()).isZero();
  }

  @Test
  void asksForWholeResultsOfSeveralSearchesAndOfOtherNodes() {
    query("a");
    query("b", new PartialReduction(10, EnumSet.of(Part.HITS_BY_SCORE), counts), 3);
    batches.flush();
    batches =
        new ShardBatches((nodeId, capability) -> capability != Capability.PARTIAL_REDUCTION, 0);
    query("c", "d");
    batches.flush();
    assertThat(actions()).containsExactly(BATCH, BATCH);
  }

  private void assertRepeated(Message<?> message, String text) throws IOException {
    assertThat(message.call.action()).isEqualTo(QUERY);
    StreamInput in = message.payload();
    TaskId.readFromStream(in);
    assertThat(in.readString()).isEqualTo(text);
  }

  /** One message has all of them, and the node may reduce nothing of it. */
  private void assertRepeatedTogether(Message<?> message, String... texts) throws IOException {
    assertThat(message.call.action()).isEqualTo(BATCH);
    BatchContent content = message.content();
    assertThat(content.actions()).hasSize(texts.length).containsOnly(QUERY);
    assertThat(content.texts()).containsExactlyInAnyOrder(texts);
  }

  /** Another node has answered for a shard, perhaps with other hits. */
  @Test
  void repeatsReducedQueriesWhenAnotherResultIsNotUsed() throws IOException {
    query("a", "late", "c", "d");
    batches.flush();
    unused.add("late");
    node.messages
        .getFirst()
        .reply(
            response(
                reduced(0, 8, "no hits"),
                whole(1, "late hits"),
                whole(2, "hits"),
                reduced(3, 2, "some hits")));
    assertThat(outcomes).containsExactly("late: late hits", "c: hits");
    assertThat(node.messages.get(1).call.action()).isEqualTo(FREE);
    StreamInput free = node.messages.get(1).payload();
    TaskId.readFromStream(free);
    assertThat(free.readString()).isEqualTo("context of some hits");
    assertRepeatedTogether(node.messages.get(2), "a", "d");
    assertThat(node.messages).hasSize(3);
    node.messages
        .get(2)
        .reply(
            response(
                result(1, 0, 0, out -> out.writeString("all hits")),
                result(0, 0, 0, out -> out.writeString("own hits"))));
    assertThat(outcomes).endsWith("d: all hits", "a: own hits").hasSize(4);
    assertThat(counts.repeatedQueries()).isEqualTo(2);
    assertThat(counts.hits()).isZero();
  }

  @Test
  void repeatsReducedQueriesWhenAnotherResultIsNotRead() throws IOException {
    PendingCall abandoned = query("a", reduction, 0);
    query("b", reduction, 1);
    query("c", reduction, 2);
    batches.flush();
    assertThat(abandoned.abandon()).isTrue();
    node.messages
        .getFirst()
        .reply(response(whole(0, "hits"), reduced(1, 1, "no hits"), whole(2, "hits")));
    assertThat(outcomes).containsExactly("c: hits");
    assertRepeated(node.messages.get(1), "b");
  }

  @Test
  void repeatsReducedQueriesWhenAnotherResultCannotBeRead() throws IOException {
    query("a", "b");
    batches.flush();
    node.messages
        .getFirst()
        .reply(
            response(result(0, IN_GROUP, 0, out -> out.writeVInt(100)), reduced(1, 1, "no hits")));
    assertThat(outcomes).containsExactly("a: MALFORMED");
    assertRepeated(node.messages.get(1), "b");
  }

  private void queryMerged(String... texts) {
    PartialReduction both =
        new PartialReduction(10, EnumSet.of(Part.HITS_BY_SCORE, Part.AGGREGATIONS), counts);
    for (int i = 0; i < texts.length; i++) {
      query(texts[i], both, i);
    }
    batches.flush();
  }

  private static Writeable merged(int place, String text) {
    return result(place, IN_GROUP | MERGED, 0, out -> out.writeString(text));
  }

  @Test
  void takesMergedAggregations() throws IOException {
    queryMerged("a", "b", "c");
    assertThat(actions()).containsExactly(BATCH.replace("]", "/merged]"));
    StreamInput in = node.messages.getFirst().payload();
    TaskId.readFromStream(in);
    in.readVInt();
    in.readVInt();
    in.readVInt();
    assertThat(in.readVInt()).as("hits").isEqualTo(10);
    assertThat(in.readVInt()).as("parts").isEqualTo(1 + 4);
    node.messages
        .getFirst()
        .reply(response(merged(0, "all"), merged(1, "none"), merged(2, "none")));
    assertThat(outcomes).containsExactly("a: all", "b: none", "c: none");
    assertThat(counts.aggregations()).isEqualTo(2);
  }

  /** The first result has the aggregations of all, also of the one that is not used. */
  @Test
  void repeatsAllMergedQueriesWhenOneResultIsNotUsed() throws IOException {
    queryMerged("a", "late", "c");
    unused.add("late");
    node.messages
        .getFirst()
        .reply(response(merged(0, "no hits"), merged(1, "no hits"), merged(2, "no hits")));
    assertThat(outcomes).containsExactly("late: no hits");
    assertRepeatedTogether(node.messages.get(1), "a", "c");
    assertThat(node.messages).hasSize(2);
    assertThat(counts.repeatedQueries()).isEqualTo(2);
    assertThat(counts.aggregations()).isZero();
  }

  /** However many queries there are, they take two messages: with contexts to free, and again. */
  @Test
  void repeatsAWaveInTwoMessages() throws IOException {
    int shards = 40;
    String[] texts = IntStream.range(0, shards).mapToObj(i -> "q" + i).toArray(String[]::new);
    queryMerged(texts);
    unused.add("q7");
    node.messages
        .getFirst()
        .reply(
            response(
                IntStream.range(0, shards)
                    .mapToObj(i -> merged(i, "hits " + i))
                    .toArray(Writeable[]::new)));
    assertThat(actions()).containsExactly(BATCH.replace("]", "/merged]"), BATCH, BATCH);
    BatchContent frees = node.messages.get(1).content();
    assertThat(frees.actions()).hasSize(shards - 1).containsOnly(FREE);
    BatchContent again = node.messages.get(2).content();
    assertThat(again.actions()).hasSize(shards - 1).containsOnly(QUERY);
    assertThat(again.texts()).doesNotContain("q7");
    assertThat(outcomes).containsExactly("q7: hits 7");
    node.messages
        .get(2)
        .reply(
            response(
                IntStream.range(0, shards - 1)
                    .mapToObj(i -> result(i, 0, 0, out -> out.writeString("own")))
                    .toArray(Writeable[]::new)));
    assertThat(outcomes).hasSize(shards).doesNotHaveDuplicates();
    assertThat(counts.repeatedQueries()).isEqualTo(shards - 1);
    assertThat(counts.aggregations()).isZero();
  }

  /** The outcome of the first message no longer concerns what was repeated. */
  @Test
  void givesEachRepeatedQueryOneOutcome() throws IOException {
    PendingCall a = queryAll("a", "late", "c", "d").getFirst();
    unused.add("late");
    node.messages
        .getFirst()
        .reply(
            moreAfter(reduced(0, 1, "no hits"), whole(1, "late hits"), reduced(2, 1, "no hits")));
    assertThat(actions())
        .containsExactly(BATCH.replace("]", "/reduced]"), BATCH.replace("]", "/next]"), BATCH);
    node.messages.get(1).fail(NodeCallException.Kind.CONNECTION_LOST, new IOException("lost"));
    assertThat(outcomes).containsExactly("late: late hits", "d: CONNECTION_LOST");
    assertThat(a.abandon()).isTrue();
    assertThat(a.abandon()).isFalse();
    Message<?> again = node.messages.get(2);
    assertThat(again.abandoned).as("c is still wanted").isFalse();
    again.fail(NodeCallException.Kind.CONNECTION_LOST, new IOException("lost"));
    assertThat(outcomes).endsWith("c: CONNECTION_LOST").hasSize(3);
  }

  private List<PendingCall> queryAll(String... texts) {
    List<PendingCall> pending = new ArrayList<>();
    for (int i = 0; i < texts.length; i++) {
      pending.add(query(texts[i], reduction, i));
    }
    batches.flush();
    return pending;
  }

  private static Writeable moreAfter(Writeable... results) {
    return out -> {
      out.writeBoolean(true);
      out.writeLong(99);
      out.writeVInt(0);
      out.writeVInt(results.length);
      for (Writeable result : results) {
        result.writeTo(out);
      }
    };
  }

  @Test
  void asksNodesForWhatTheyCanReduce() {
    batches =
        new ShardBatches((nodeId, capability) -> capability != Capability.PARTIAL_AGGREGATIONS, 0);
    queryMerged("a", "b");
    batches = new ShardBatches((nodeId, capability) -> capability == Capability.SHARD_BATCHES, 0);
    queryMerged("c", "d");
    assertThat(actions()).containsExactly(BATCH.replace("]", "/reduced]"), BATCH);
  }

  @Test
  void keepsReducedResultsBesideAFailure() throws IOException {
    query("a", "b");
    batches.flush();
    node.messages
        .getFirst()
        .reply(
            response(
                result(0, 1, 0, out -> out.writeException(new IOException("broken"))),
                reduced(1, 1, "no hits")));
    assertThat(outcomes).containsExactly("a: REMOTE", "b: no hits");
  }
}
