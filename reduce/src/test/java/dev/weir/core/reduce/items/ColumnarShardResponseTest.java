package dev.weir.core.reduce.items;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.junit.TestSeed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.Version;
import org.opensearch.action.DocWriteRequest.OpType;
import org.opensearch.action.bulk.BulkInternals;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.action.delete.DeleteResponse;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.index.IndexResponse;
import org.opensearch.action.support.replication.ReplicationResponse.ShardInfo;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.index.engine.VersionConflictEngineException;

class ColumnarShardResponseTest {
  private static final ShardId SHARD = new ShardId("logs", "u1", 2);

  private final Random random = TestSeed.random(ColumnarShardResponseTest.class);

  /** Ids one after the other in an array. */
  private record Ids(List<Integer> slots, List<String> texts) implements DocumentIds {
    @Override
    public int size() {
      return slots.size();
    }

    @Override
    public int slot(int row) {
      return slots.get(row);
    }

    @Override
    public String id(int row) {
      return texts.get(row);
    }

    @Override
    public byte[] idBytes() {
      return String.join("", texts).getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public int idOffset(int row) {
      return String.join("", texts.subList(0, row)).length();
    }

    @Override
    public int idLength(int row) {
      return texts.get(row).length();
    }
  }

  private Ids ids(int size) {
    List<Integer> slots = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      slots.add(size - 1 - i);
      texts.add((random.nextInt(9) == 0 ? "with\"quote" : "plain") + i);
    }
    return new Ids(slots, texts);
  }

  private BulkItemResponse success(Ids ids, int row, OpType operation) {
    IndexResponse done =
        new IndexResponse(
            SHARD,
            ids.id(row),
            random.nextInt(4) == 0 ? -2 : random.nextLong(1L << 40),
            random.nextInt(1000),
            1 + random.nextInt(3),
            random.nextBoolean());
    done.setForcedRefresh(random.nextBoolean());
    done.setShardInfo(new ShardInfo());
    return new BulkItemResponse(ids.slot(row), operation, done);
  }

  private static BulkItemResponse failure(Ids ids, int row, OpType operation) {
    return new BulkItemResponse(
        ids.slot(row),
        operation,
        new BulkItemResponse.Failure(
            "logs", ids.id(row), new VersionConflictEngineException(SHARD, ids.id(row), "there")));
  }

  private BulkShardResponse response(Ids ids, OpType operation, int oneFailureIn) {
    BulkItemResponse[] items = new BulkItemResponse[ids.size()];
    for (int row = 0; row < items.length; row++) {
      items[row] =
          random.nextInt(oneFailureIn) == 0
              ? failure(ids, row, operation)
              : success(ids, row, operation);
    }
    BulkShardResponse whole = new BulkShardResponse(SHARD, items, 123_456_789L, 7);
    whole.setShardInfo(new ShardInfo(2, 2));
    return whole;
  }

  private static BytesReference written(BulkShardResponse response) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      response.writeTo(out);
      return out.bytes();
    }
  }

  private static StreamInput bytes(BulkShardResponse response, Version wire) throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.setVersion(wire);
      response.writeTo(out);
      StreamInput in = out.bytes().streamInput();
      in.setVersion(wire);
      return in;
    }
  }

  private static String json(BulkResponse response) throws IOException {
    try (XContentBuilder builder = JsonXContent.contentBuilder()) {
      response.toXContent(builder, ToXContent.EMPTY_PARAMS);
      return BytesReference.bytes(builder).utf8ToString().replaceFirst("\"took\":\\d+", "");
    }
  }

  private static BulkResponseCollector collector(Ids ids) {
    BulkRequest bulk = new BulkRequest();
    ids.texts().forEach(id -> bulk.add(new IndexRequest("logs").id(id).source("a", 1)));
    return new BulkResponseCollector(bulk, () -> 0L);
  }

  /** Through the collector, as a client gets it; some items fail in most rounds. */
  @ParameterizedTest
  @ValueSource(strings = {"2.19.0", "3.0.0", "3.5.0", "3.6.0", "3.8.0"})
  void tellsClientsWhatOpenSearchsClassTells(String version) throws IOException {
    Version wire = Version.fromString(version);
    for (int round = 0; round < 60; round++) {
      Ids ids = ids(1 + random.nextInt(40));
      OpType operation = random.nextBoolean() ? OpType.INDEX : OpType.CREATE;
      BulkShardResponse sent = response(ids, operation, round % 2 == 0 ? 10_000 : 10);
      BulkShardResponse theirs = BulkInternals.shardResponseReader().read(bytes(sent, wire));
      StreamInput in = bytes(sent, wire);
      ColumnarShardResponse ours = ColumnarShardResponse.read(in, ids, operation);
      assertThat(in.available()).isZero();
      BulkResponseCollector same = collector(ids);
      same.completeShard(theirs);
      BulkResponseCollector collected = collector(ids);
      collected.completeShard(ours);
      assertThat(collected.remaining()).isZero();
      assertThat(json(collected.buildResponse())).isEqualTo(json(same.buildResponse()));
      assertThat(collected.buildResponse().hasFailures())
          .isEqualTo(same.buildResponse().hasFailures());
      assertThat(ours.getNodeQueueSize()).isEqualTo(theirs.getNodeQueueSize());
      assertThat(ours.getServiceTimeEWMAInNanos()).isEqualTo(theirs.getServiceTimeEWMAInNanos());
      assertThat(ours.getShardId()).isEqualTo(theirs.getShardId());
      assertThat(BytesReference.toBytes(written(ours)))
          .isEqualTo(BytesReference.toBytes(written(theirs)));
      for (int row = 0; row < ids.size(); row++) {
        BulkItemResponse item = ours.getResponses()[row];
        assertThat(item.getItemId()).isEqualTo(theirs.getResponses()[row].getItemId());
        assertThat(item.getOpType()).isEqualTo(theirs.getResponses()[row].getOpType());
        assertThat(item.status()).isEqualTo(theirs.getResponses()[row].status());
        assertThat(item.getId()).isEqualTo(theirs.getResponses()[row].getId());
      }
    }
  }

  @Test
  void isNotPlainWhenACopyOrADocumentFailed() throws IOException {
    Ids ids = ids(20);
    BulkShardResponse sent = response(ids, OpType.INDEX, 10_000_000);
    assertThat(read(sent, ids).isPlain()).isTrue();
    sent.setShardInfo(
        new ShardInfo(
            2,
            1,
            new ShardInfo.Failure(
                SHARD,
                "n2",
                new IllegalStateException("gone"),
                RestStatus.INTERNAL_SERVER_ERROR,
                false)));
    assertThat(read(sent, ids).isPlain()).isFalse();
    assertThat(read(response(ids, OpType.INDEX, 1), ids).isPlain()).isFalse();
  }

  private static ColumnarShardResponse read(BulkShardResponse sent, Ids ids) throws IOException {
    return ColumnarShardResponse.read(bytes(sent, Version.CURRENT), ids, OpType.INDEX);
  }

  @Test
  void refusesTheResponseToOtherDocuments() {
    Ids ids = ids(20);
    BulkShardResponse sent = response(ids, OpType.INDEX, 10_000_000);
    List<Integer> backwards = ids.slots().reversed();
    List<String> longer = ids.texts().stream().map(id -> id + "x").toList();
    for (Ids other :
        List.of(ids(19), new Ids(backwards, ids.texts()), new Ids(ids.slots(), longer))) {
      assertThatThrownBy(() -> read(sent, other))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("got ");
    }
    DeleteResponse done = new DeleteResponse(SHARD, "1", 1, 1, 1, true);
    done.setShardInfo(new ShardInfo());
    BulkItemResponse[] deleted = {new BulkItemResponse(0, OpType.DELETE, done)};
    BulkShardResponse deletion = new BulkShardResponse(SHARD, deleted);
    deletion.setShardInfo(new ShardInfo(1, 1));
    assertThatThrownBy(() -> read(deletion, new Ids(List.of(0), List.of("1"))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("kind 1");
  }

  @Test
  void anObjectReplacesARow() throws IOException {
    Ids ids = ids(20);
    BulkResponseCollector items = collector(ids);
    items.completeShard(read(response(ids, OpType.INDEX, 10_000_000), ids));
    items.fail(3, "logs", new IllegalStateException("late"));
    BulkResponse response = items.buildResponse();
    assertThat(response.hasFailures()).isTrue();
    assertThat(response.getItems()).filteredOn(BulkItemResponse::isFailed).hasSize(1);
    assertThat(response.getItems()[4].getId()).isEqualTo(ids.id(15));
    assertThat(json(response)).contains("late").doesNotContain("\"_id\":null");
  }
}
