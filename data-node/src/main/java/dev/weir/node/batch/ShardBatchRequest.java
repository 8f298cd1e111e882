package dev.weir.node.batch;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableAwareStreamInput;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.search.internal.ShardSearchRequest;
import org.opensearch.tasks.Task;
import org.opensearch.transport.TransportRequest;
import org.opensearch.transport.TransportService;

/**
 * Requests to shards of this node. On the wire, after the parent task: the bytes of a response from
 * which on the rest waits for the next one, as a vint; how long a result may wait for others in
 * milliseconds as a vint, 0 to wait for all; how many requests may run at a time as a vint, 0 for
 * all; if results may be reduced, {@link ReductionLimits}; the number of requests as a vint; and
 * each request as a string with its action, a vint with its length, its bytes as they would be the
 * payload of a message of its own, and, if results may be reduced, the index of its shard in the
 * search as a vint. A request that cannot be read fails alone.
 */
final class ShardBatchRequest extends TransportRequest {
  private static final int MAX_WAIT_MILLIS = 1000;

  private final int maxResponseBytes;
  private final int maxWaitMillis;
  private final int maxRunning;
  private final @Nullable ReductionLimits limits;
  private final List<BatchedRequest> requests;

  /**
   * One request.
   *
   * @param request null if it cannot be read
   * @param failure why not; null if it can be read
   */
  record BatchedRequest(
      Entry entry, @Nullable TransportRequest request, @Nullable Exception failure) {}

  /**
   * What is known of a request while it runs. It does not refer to the request, which may be large.
   *
   * @param place of the request in the batch
   * @param shardIndex the shard's place in the results of the search; negative if it is not known
   * @param parent the task whose child the request is; not set if it has none
   * @param isScroll whether it is a query that opens a scroll
   * @param opensContext whether it is a query whose search context is its own: that of a point in
   *     time is not
   */
  record Entry(
      int place,
      String action,
      int shardIndex,
      TaskId parent,
      boolean isScroll,
      boolean opensContext) {
    private static Entry of(
        int place, String action, int shardIndex, @Nullable TransportRequest request) {
      ShardSearchRequest query = request instanceof ShardSearchRequest own ? own : null;
      return new Entry(
          place,
          action,
          shardIndex,
          request == null ? TaskId.EMPTY_TASK_ID : request.getParentTask(),
          query != null && query.scroll() != null,
          query != null && query.readerId() == null);
    }
  }

  /**
   * Reads a request.
   *
   * @param limitsReader reads how results may be reduced; null if they may not
   */
  ShardBatchRequest(
      StreamInput in,
      TransportService transport,
      Writeable.@Nullable Reader<ReductionLimits> limitsReader)
      throws IOException {
    super(in);
    maxResponseBytes = in.readVInt();
    maxWaitMillis = in.readVInt();
    maxRunning = in.readVInt();
    limits = limitsReader == null ? null : limitsReader.read(in);
    int count = in.readVInt();
    requests = new ArrayList<>();
    for (int place = 0; place < count; place++) {
      String action = in.readString();
      BytesReference bytes = in.readBytesReference();
      int shardIndex = limits == null ? -1 : in.readVInt();
      requests.add(readRequest(place, action, shardIndex, bytes, in, transport));
    }
  }

  private static BatchedRequest readRequest(
      int place,
      String action,
      int shardIndex,
      BytesReference bytes,
      StreamInput of,
      TransportService transport) {
    try {
      TransportRequest request = read(action, bytes, of, transport);
      return new BatchedRequest(Entry.of(place, action, shardIndex, request), request, null);
    } catch (IOException | RuntimeException unreadable) {
      return new BatchedRequest(Entry.of(place, action, shardIndex, null), null, unreadable);
    }
  }

  private static TransportRequest read(
      String action, BytesReference bytes, StreamInput of, TransportService transport)
      throws IOException {
    if (!ShardBatchService.ACTIONS.contains(action)) {
      throw new IllegalArgumentException(
          "got a batched " + action + " (expected: one of " + ShardBatchService.ACTIONS + ")");
    }
    try (StreamInput in =
        new NamedWriteableAwareStreamInput(bytes.streamInput(), of.namedWriteableRegistry())) {
      in.setVersion(of.getVersion());
      TransportRequest request = transport.getRequestHandler(action).newRequest(in);
      if (in.available() > 0) {
        throw new IllegalStateException(
            "got " + in.available() + " bytes after a batched " + action + " (expected: 0)");
      }
      return request;
    }
  }

  /** Returns what may be left out of the results; null for nothing. */
  @Nullable ReductionLimits limits() {
    return limits;
  }

  /** Returns the requests in their order. */
  List<BatchedRequest> requests() {
    return requests;
  }

  /** Returns the size of results from which on a response is sent, in bytes. */
  int maxResponseBytes() {
    return maxResponseBytes;
  }

  /** Returns how long a result waits for others; negative to wait for all. */
  TimeValue maxWait() {
    return maxWaitMillis == 0
        ? TimeValue.MINUS_ONE
        : TimeValue.timeValueMillis(Math.min(maxWaitMillis, MAX_WAIT_MILLIS));
  }

  /** Returns how many requests may run at a time; 0 for all. */
  int maxRunning() {
    return maxRunning;
  }

  @Override
  public Task createTask(
      long id, String type, String action, TaskId parent, Map<String, String> headers) {
    return new ShardBatchTask(id, type, action, getDescription(), parent, headers);
  }

  @Override
  public String getDescription() {
    Map<String, Integer> counts = new HashMap<>();
    requests.forEach(request -> counts.merge(request.entry().action(), 1, Integer::sum));
    return counts.toString();
  }
}
