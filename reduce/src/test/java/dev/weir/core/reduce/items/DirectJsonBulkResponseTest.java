package dev.weir.core.reduce.items;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.model.ResponseBody;
import dev.weir.model.SpliceableOutput;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.OpenSearchException;
import org.opensearch.action.DocWriteRequest.OpType;
import org.opensearch.action.DocWriteResponse;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.delete.DeleteResponse;
import org.opensearch.action.index.IndexResponse;
import org.opensearch.action.support.replication.ReplicationResponse.ShardInfo;
import org.opensearch.action.update.UpdateResponse;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.breaker.CircuitBreaker;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.core.xcontent.MediaTypeRegistry;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.index.get.GetResult;

class DirectJsonBulkResponseTest {
  private static final String[] IDS = {
    "1",
    "plain id",
    "a/b",
    "with\"quote",
    "back\\slash",
    "\u00fcml\u00e4ut",
    "\t",
    "",
    "\u007f",
    "x".repeat(512)
  };

  private final Random random = new Random(11);

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 8, 200})
  void writeTheSameJsonAsOpenSearch(int size) throws IOException {
    for (int round = 0; round < 50; round++) {
      BulkItemResponse[] items = items(size);
      long ingestTook = round % 2 == 0 ? BulkResponse.NO_INGEST_TOOK : round;
      assertThat(
              json(
                  new DirectJsonBulkResponse(resultsOf(items), round, ingestTook),
                  ToXContent.EMPTY_PARAMS,
                  XContentType.JSON))
          .isEqualTo(
              json(
                  new BulkResponse(items, round, ingestTook),
                  ToXContent.EMPTY_PARAMS,
                  XContentType.JSON));
    }
  }

  @Test
  void leavesOtherFormatsToOpenSearch() throws IOException {
    BulkItemResponse[] items = items(20);
    for (XContentType type : XContentType.values()) {
      assertThat(
              json(
                  new DirectJsonBulkResponse(resultsOf(items), 3, 4),
                  ToXContent.EMPTY_PARAMS,
                  type))
          .isEqualTo(json(new BulkResponse(items, 3, 4), ToXContent.EMPTY_PARAMS, type));
    }
  }

  @Test
  void leavesPrettyAndFilteredAnswersToOpenSearch() throws IOException {
    BulkItemResponse[] items = items(20);
    ToXContent.Params pretty = new ToXContent.MapParams(Map.of("pretty", "true"));
    assertThat(pretty(new DirectJsonBulkResponse(resultsOf(items), 3, 4), pretty))
        .isEqualTo(pretty(new BulkResponse(items, 3, 4), pretty));
    assertThat(filtered(new DirectJsonBulkResponse(resultsOf(items), 3, 4)))
        .isEqualTo(filtered(new BulkResponse(items, 3, 4)));
  }

  @Test
  void leavesItemsOfUsualSizeToTheClient() throws IOException {
    BulkItemResponse[] items = new BulkItemResponse[20];
    for (int slot = 0; slot < items.length; slot++) {
      IndexResponse done =
          new IndexResponse(new ShardId("logs", "u", 0), "i" + slot, 1, 1, 1, true);
      done.setShardInfo(new ShardInfo(2, 2));
      items[slot] = new BulkItemResponse(slot, OpType.INDEX, done);
    }
    SplicedStream usual = write(items);
    assertThat(usual.parts).hasSize(1);
    assertThat(usual.text()).isEqualTo(opensearchJson(items));

    items[7] =
        new BulkItemResponse(
            7,
            OpType.INDEX,
            new BulkItemResponse.Failure(
                "logs", "7", new OpenSearchException("long ".repeat(4_000))));
    SplicedStream large = write(items);
    assertThat(large.parts).isEmpty();
    assertThat(large.text()).isEqualTo(opensearchJson(items));
  }

  @Test
  void copyLargeFailuresInPieces() throws IOException {
    BulkItemResponse[] items = failures(1000, "long ".repeat(2_000));
    SplicedStream out = write(items);
    assertThat(out.parts).isEmpty();
    assertThat(out.text()).isEqualTo(opensearchJson(items));
    assertThat(out.largestWrite)
        .as("what is reserved, and one item")
        .isLessThan(1000 * 320 + 20_000);
  }

  @Test
  void stopWhereTheResponseMayGrowNoMore() {
    SplicedStream out = new SplicedStream();
    out.maxBytes = 1 << 20;
    assertThatThrownBy(() -> write(failures(1000, "long ".repeat(2_000)), out))
        .isInstanceOf(CircuitBreakingException.class);
    assertThat(out.largestWrite).isLessThan(1000 * 320 + 20_000);
  }

  private static BulkItemResponse[] failures(int size, String message) {
    BulkItemResponse[] items = new BulkItemResponse[size];
    for (int slot = 0; slot < size; slot++) {
      OpenSearchException cause = new OpenSearchException(message);
      items[slot] =
          new BulkItemResponse(
              slot, OpType.INDEX, new BulkItemResponse.Failure("logs", "i" + slot, cause));
    }
    return items;
  }

  /** OpenSearch forbids no control characters in the name of an index. */
  @Test
  void escapeTheNameOfAnIndex() throws IOException {
    BulkItemResponse[] items = new BulkItemResponse[20];
    for (int slot = 0; slot < items.length; slot++) {
      String index = slot % 3 == 0 ? "a\tb" : slot % 3 == 1 ? "\u00fcbrig" : "logs";
      IndexResponse done = new IndexResponse(new ShardId(index, "u", 0), "i", 1, 1, 1, true);
      done.setShardInfo(new ShardInfo(2, 2));
      items[slot] = new BulkItemResponse(slot, OpType.INDEX, done);
    }
    assertThat(
            json(
                new DirectJsonBulkResponse(resultsOf(items), 3, 4),
                ToXContent.EMPTY_PARAMS,
                XContentType.JSON))
        .isEqualTo(opensearchJson(items))
        .contains("a\\tb");
  }

  private static String opensearchJson(BulkItemResponse[] items) throws IOException {
    return json(new BulkResponse(items, 3, 4), ToXContent.EMPTY_PARAMS, XContentType.JSON);
  }

  private static SplicedStream write(BulkItemResponse[] items) throws IOException {
    SplicedStream out = new SplicedStream();
    write(items, out);
    return out;
  }

  private static void write(BulkItemResponse[] items, SplicedStream out) throws IOException {
    XContentBuilder builder = new XContentBuilder(JsonXContent.jsonXContent, out);
    new DirectJsonBulkResponse(resultsOf(items), 3, 4).toXContent(builder, ToXContent.EMPTY_PARAMS);
    builder.close();
  }

  /** A response of bytes with parts in between, as a client's. */
  private static final class SplicedStream extends BytesStreamOutput {
    private final Map<Integer, ResponseBody> parts = new TreeMap<>();
    private int maxBytes = Integer.MAX_VALUE;
    private int largestWrite;

    @Override
    public void writeBytes(byte[] bytes, int offset, int length) {
      if (size() > maxBytes - length) {
        throw new CircuitBreakingException("no memory", CircuitBreaker.Durability.TRANSIENT);
      }
      largestWrite = Math.max(largestWrite, length);
      super.writeBytes(bytes, offset, length);
    }

    @Override
    public BytesReference bytes() {
      BytesReference written = super.bytes();
      return (BytesReference)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {BytesReference.class, SpliceableOutput.class},
              (proxy, method, arguments) ->
                  method.getName().equals("splice")
                      ? parts.put(written.length(), (ResponseBody) arguments[0])
                      : method.invoke(written, arguments));
    }

    String text() {
      StringBuilder all = new StringBuilder(super.bytes().utf8ToString());
      parts.forEach((at, part) ->
          all.insert(at, new String(part.toByteArray(), StandardCharsets.ISO_8859_1)));
      return all.toString();
    }
  }

  private BulkItemResponse[] items(int size) {
    BulkItemResponse[] items = new BulkItemResponse[size];
    for (int slot = 0; slot < size; slot++) {
      items[slot] =
          random.nextInt(10) == 0
              ? new BulkItemResponse(
                  slot,
                  OpType.values()[random.nextInt(4)],
                  new BulkItemResponse.Failure(
                      "logs", id(), new OpenSearchException("odd \"" + slot + "\"")))
              : success(slot);
    }
    return items;
  }

  private BulkItemResponse success(int slot) {
    ShardId shard = new ShardId(random.nextBoolean() ? "logs" : "other-1", "uuid", 1);
    long seqNo = random.nextInt(5) == 0 ? -2 : number();
    OpType operation = OpType.values()[random.nextInt(4)];
    DocWriteResponse done =
        switch (operation) {
          case INDEX, CREATE ->
              new IndexResponse(shard, id(), seqNo, number(), number(), random.nextBoolean());
          case DELETE ->
              new DeleteResponse(shard, id(), seqNo, number(), number(), random.nextBoolean());
          case UPDATE -> update(shard, seqNo);
        };
    done.setForcedRefresh(random.nextInt(4) == 0);
    done.setShardInfo(shardInfo(shard));
    return new BulkItemResponse(slot, operation, done);
  }

  private UpdateResponse update(ShardId shard, long seqNo) {
    DocWriteResponse.Result[] results = DocWriteResponse.Result.values();
    UpdateResponse update =
        new UpdateResponse(
            shard, id(), seqNo, number(), number(), results[random.nextInt(results.length)]);
    if (random.nextInt(4) == 0) {
      update.setGetResult(
          new GetResult(
              "logs", "1", 1, 1, 1, true, new BytesArray("{\"a\":1}"), Map.of(), Map.of()));
    }
    return update;
  }

  private ShardInfo shardInfo(ShardId shard) {
    return random.nextInt(6) > 0
        ? new ShardInfo(random.nextInt(12), random.nextInt(3))
        : new ShardInfo(
            2,
            1,
            new ShardInfo.Failure(
                shard, "n1", new OpenSearchException("lost"), RestStatus.CONFLICT, false));
  }

  private String id() {
    return IDS[random.nextInt(IDS.length)];
  }

  private long number() {
    return switch (random.nextInt(4)) {
      case 0 -> Long.MAX_VALUE;
      case 1 -> random.nextInt(10);
      case 2 -> random.nextInt(100_000);
      default -> random.nextLong(1L << 40);
    };
  }

  private static String json(BulkResponse response, ToXContent.Params params, XContentType type)
      throws IOException {
    try (XContentBuilder builder = MediaTypeRegistry.contentBuilder(type)) {
      response.toXContent(builder, params);
      return hex(builder);
    }
  }

  private static String pretty(BulkResponse response, ToXContent.Params params) throws IOException {
    try (XContentBuilder builder =
        MediaTypeRegistry.contentBuilder(XContentType.JSON).prettyPrint()) {
      response.toXContent(builder, params);
      return hex(builder);
    }
  }

  private static String filtered(BulkResponse response) throws IOException {
    try (XContentBuilder builder =
        XContentBuilder.builder(
            JsonXContent.jsonXContent, Set.of("errors", "items.*.status"), Set.of())) {
      response.toXContent(
          builder, new ToXContent.MapParams(Map.of("filter_path", "errors,items.*.status")));
      return hex(builder);
    }
  }

  private static String hex(XContentBuilder builder) {
    return new String(
        BytesReference.toBytes(BytesReference.bytes(builder)), StandardCharsets.ISO_8859_1);
  }

  private static BulkResults resultsOf(BulkItemResponse... items) {
    BulkResults results = new BulkResults(items.length);
    for (int i = 0; i < items.length; i++) {
      results.set(i, items[i]);
    }
    return results;
  }
}
