package dev.weir.core.actions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.reduce.items.StacklessFailure;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.opensearch.action.DocWriteRequest.OpType;
import org.opensearch.action.bulk.BulkInternals;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.action.support.replication.ReplicationResponse.ShardInfo;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.index.engine.DocumentMissingException;
import org.opensearch.index.mapper.MapperParsingException;

/** The failures in a shard's reply to a bulk lose their stack traces while they are read. */
class BulkReplyFailuresTest {
  private static final int ITEMS = 20;
  private static final ShardId SHARD = new ShardId("logs", "u1", 0);

  private static BulkShardResponse reply() {
    BulkItemResponse[] items = new BulkItemResponse[ITEMS];
    for (int slot = 0; slot < ITEMS; slot++) {
      Exception cause =
          slot % 2 == 0
              ? new DocumentMissingException(SHARD, "id" + slot)
              : new MapperParsingException("no number", new IllegalStateException("why"));
      items[slot] =
          new BulkItemResponse(
              slot, OpType.UPDATE, new BulkItemResponse.Failure("logs", "id" + slot, cause));
    }
    BulkShardResponse reply = new BulkShardResponse(SHARD, items);
    reply.setShardInfo(new ShardInfo(1, 1));
    return reply;
  }

  private static String json(BulkItemResponse item) throws IOException {
    try (XContentBuilder builder = JsonXContent.contentBuilder()) {
      item.toXContent(builder, ToXContent.EMPTY_PARAMS);
      return BytesReference.bytes(builder).utf8ToString();
    }
  }

  @Test
  void readFailuresWithoutStackTracesAndWithTheSameText() throws IOException {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      reply().writeTo(out);
      BulkShardResponse usual = BulkInternals.shardResponseReader().read(out.bytes().streamInput());
      BulkShardResponse read =
          BulkInternals.shardResponseReader(ITEMS, StacklessFailure::of)
              .read(out.bytes().streamInput());

      assertThat(read.getShardId()).isEqualTo(SHARD);
      assertThat(read.getResponses()).hasSize(ITEMS);
      for (int slot = 0; slot < ITEMS; slot++) {
        BulkItemResponse item = read.getResponses()[slot];
        assertThat(item.getFailure().getCause()).isInstanceOf(StacklessFailure.class);
        assertThat(item.status()).isEqualTo(usual.getResponses()[slot].status());
        assertThat(json(item)).isEqualTo(json(usual.getResponses()[slot]));
      }
    }
  }
}
