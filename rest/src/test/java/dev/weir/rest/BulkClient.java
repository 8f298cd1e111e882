package dev.weir.rest;

import dev.weir.model.RequestMemory;
import dev.weir.rest.RecordingExecutor.Call;
import dev.weir.testkit.fixtures.TestExchange;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.index.IndexResponse;
import org.opensearch.action.support.replication.ReplicationResponse.ShardInfo;
import org.opensearch.core.concurrency.OpenSearchRejectedExecutionException;
import org.opensearch.core.index.shard.ShardId;

/** Sends bulks in sections to a dispatcher, and answers the shard calls. */
final class BulkClient {
  private final RestDispatcherFixture dispatcher;

  BulkClient(RestDispatcherFixture dispatcher) {
    this.dispatcher = dispatcher;
  }

  /** A line for each id, with its document. */
  static String docs(String... ids) {
    StringBuilder lines = new StringBuilder();
    for (String id : ids) {
      lines.append("{\"index\":{\"_index\":\"a\",\"_id\":\"").append(id).append("\"}}\n");
      lines.append("{\"k\":\"").append(id).append("\"}\n");
    }
    return lines.toString();
  }

  TestExchange send(String uri, FakeSectionedBody sections) {
    return send(uri, sections, RequestMemory.UNBOUNDED);
  }

  TestExchange send(String uri, FakeSectionedBody sections, RequestMemory memory) {
    byte[] first = new byte[sections.firstSection().bytes().remaining()];
    sections.firstSection().bytes().get(first);
    return dispatcher.send(
        TestExchange.queued("POST", uri)
            .body("application/json", first)
            .sections(sections)
            .memory(memory));
  }

  private static String ids(Call call) {
    return ((BulkRequest) call.request())
        .requests().stream().map(DocWriteRequest::id).collect(Collectors.joining(" "));
  }

  /** Returns the running calls, by the ids of their items. */
  List<String> sent() {
    return dispatcher.executor().calls().stream().map(BulkClient::ids).toList();
  }

  /** Returns a call, counted from 0. */
  Call call(int number) {
    return dispatcher.executor().calls().get(number);
  }

  /** Creates each document, but rejects those whose id begins with an x. */
  static BulkResponse response(BulkRequest bulk) {
    BulkItemResponse[] items =
        IntStream.range(0, bulk.numberOfActions())
            .mapToObj(i -> item(i, bulk.requests().get(i)))
            .toArray(BulkItemResponse[]::new);
    return new BulkResponse(items, 3);
  }

  private static BulkItemResponse item(int slot, DocWriteRequest<?> request) {
    if (request.id().startsWith("x")) {
      return new BulkItemResponse(
          slot,
          request.opType(),
          new BulkItemResponse.Failure(
              request.index(), request.id(), new OpenSearchRejectedExecutionException("full")));
    }
    IndexResponse done =
        new IndexResponse(new ShardId("a", "uuid", 0), request.id(), 7, 1, 1, true);
    done.setShardInfo(new ShardInfo(2, 2));
    return new BulkItemResponse(slot, request.opType(), done);
  }

  /** Answers what was put under way, counted from 0. */
  void answer(TestExchange exchange, int number) {
    call(number).answer(response((BulkRequest) call(number).request()));
    exchange.runEventLoop();
  }
}
