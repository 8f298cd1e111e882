package dev.weir.node.bulk;

import dev.weir.node.bulk.BulkBatchResponse.Result;
import dev.weir.node.results.BatchTransport;
import dev.weir.node.results.KeptBatches;
import dev.weir.node.results.ResponseHeaders;
import dev.weir.node.results.ResultWriter;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.threadpool.ThreadPool;
import org.opensearch.transport.RemoteTransportException;
import org.opensearch.transport.TransportChannel;
import org.opensearch.transport.TransportRequest;
import org.opensearch.transport.TransportService;

/**
 * The parts of a batch while they are carried out, all at the same time, and their results. A
 * response goes out once all results are there, or as many as one response may have, or when one
 * has waited for the others for long enough: for as long as the batch had taken until then, so that
 * results that take some time come in few responses, and a slow part delays the others by as much
 * as they have taken themselves. A failure waits for a short time only, because the gateway may
 * carry its part out again. A batch does not refer to its parts: the documents of each are free
 * when that part ends. Safe on any thread.
 */
final class BulkBatch {
  /** How long a failed part waits for others that fail with it. */
  private static final long FAILURE_WAIT_MILLIS = 5;

  /** About what a response takes on the wire: its header, and each item. */
  private static final int RESPONSE_BYTES = 128;

  private static final int ITEM_BYTES = 64;

  private final TransportService transport;
  private final BatchTransport local;
  private final KeptBatches<BulkBatch> kept;
  private final int maxResponseBytes;
  private final long minWaitMillis;
  private final ResultWriter writer;
  private final long startNanos = System.nanoTime();
  private final Deque<Result> results = new ArrayDeque<>();

  /** The headers of the responses whose results were not sent yet. */
  private ResponseHeaders headers = new ResponseHeaders();

  /** The places of the parts that have a result. */
  private final BitSet finished = new BitSet();

  private long resultBytes;
  private int unfinished;
  private @Nullable TransportChannel waiting;
  private boolean discarded;

  /** When the results go out at the latest, by the monotonic clock; null while none waits. */
  private @Nullable Long dueNanos;

  private boolean overdue;

  /**
   * Creates a batch whose parts {@link #start} begins.
   *
   * @param kept gets the batch while it has more results than it has sent
   * @param version that of the gateway
   */
  BulkBatch(
      TransportService transport,
      KeptBatches<BulkBatch> kept,
      BulkBatchRequest request,
      Version version) {
    this.transport = transport;
    this.local = new BatchTransport(transport);
    this.kept = kept;
    this.maxResponseBytes = request.maxResponseBytes();
    this.minWaitMillis = request.minWaitMillis();
    this.writer = new ResultWriter(transport, version);
    this.unfinished = request.parts().size();
  }

  /**
   * Begins all parts. The first results go to a channel once all have begun.
   *
   * @param parts those of the request
   */
  void start(List<TransportRequest> parts, TransportChannel channel) {
    for (int i = 0; i < parts.size(); i++) {
      int place = i;
      local.run(() -> start(place, parts.get(place)));
    }
    await(channel);
  }

  private void start(int place, TransportRequest part) {
    local.send(
        BulkBatchService.PART_ACTION,
        part,
        ActionListener.wrap(
            response -> finish(place, response),
            failure -> finishFailed(place, asAnswered(failure))));
  }

  /**
   * Wraps a failure as often as in the response to a message of its own: the gateway sees by the
   * number of wrappers whether the part was refused on arrival. Within a node an exception that is
   * one of transport already, such as that of the primary's handler, is not wrapped again.
   */
  private RemoteTransportException asAnswered(Exception failure) {
    return failure instanceof RemoteTransportException answer
            && BulkBatchService.PART_ACTION.equals(answer.action())
            && transport.getLocalNode().getAddress().equals(answer.address())
        ? answer
        : answer(failure);
  }

  private RemoteTransportException answer(Exception cause) {
    return writer.failure(BulkBatchService.PART_ACTION, cause);
  }

  private void finish(int place, TransportResponse response) {
    BytesReference bytes;
    try {
      bytes = writer.write(response, expectedBytes(response));
    } catch (IOException | RuntimeException unwritable) {
      finishFailed(place, answer(unwritable));
      return;
    }
    add(new Result(place, false, bytes));
  }

  private void finishFailed(int place, RemoteTransportException failure) {
    add(new Result(place, true, writer.writeFailure(BulkBatchService.PART_ACTION, failure)));
  }

  private static long expectedBytes(TransportResponse response) {
    int items = response instanceof BulkShardResponse bulk ? bulk.getResponses().length : 0;
    return RESPONSE_BYTES + (long) ITEM_BYTES * items;
  }

  private void add(Result result) {
    Map<String, List<String>> responded = local.threadContext().getResponseHeaders();
    long wait;
    synchronized (this) {
      headers.add(responded);
      if (finished.get(result.place())) {
        return;
      }
      finished.set(result.place());
      unfinished--;
      if (discarded) {
        return;
      }
      results.add(result);
      resultBytes += result.bytes().length();
      wait = unfinished == 0 ? 0 : planWait(result.failed());
    }
    if (wait > 0) {
      transport
          .getThreadPool()
          .scheduleUnlessShuttingDown(
              TimeValue.timeValueMillis(wait), ThreadPool.Names.GENERIC, this::stopWaiting);
    }
    respond();
  }

  /** Returns in how many milliseconds to look whether a result is due; 0 if that is planned. */
  private long planWait(boolean failed) {
    long now = System.nanoTime();
    long millis =
        failed
            ? FAILURE_WAIT_MILLIS
            : Math.max(minWaitMillis, TimeUnit.NANOSECONDS.toMillis(now - startNanos));
    long due = now + TimeUnit.MILLISECONDS.toNanos(millis);
    Long planned = dueNanos;
    if (planned != null && planned - due <= 0) {
      return 0;
    }
    dueNanos = due;
    return millis;
  }

  /** Sends what is there, at once or when somebody asks for it. */
  private void stopWaiting() {
    synchronized (this) {
      Long due = dueNanos;
      if (due == null || due - System.nanoTime() > 0) {
        return; // what was due went out before
      }
      dueNanos = null;
      overdue = true;
    }
    respond();
  }

  /** Sets who gets the next results. */
  void await(TransportChannel channel) {
    synchronized (this) {
      waiting = channel;
    }
    respond();
  }

  private boolean isComplete() {
    return unfinished == 0 || resultBytes >= maxResponseBytes || (overdue && !results.isEmpty());
  }

  /** Responds if somebody waits and enough results are there. */
  private void respond() {
    TransportChannel channel;
    List<Result> sent = new ArrayList<>();
    ResponseHeaders sentHeaders;
    boolean more;
    synchronized (this) {
      channel = waiting;
      if (channel == null || !isComplete()) {
        return;
      }
      waiting = null;
      long bytes = 0;
      while (!results.isEmpty() && (sent.isEmpty() || bytes < maxResponseBytes)) {
        Result next = results.remove();
        bytes += next.bytes().length();
        sent.add(next);
      }
      resultBytes -= bytes;
      overdue = !results.isEmpty();
      if (results.isEmpty()) {
        dueNanos = null;
      }
      sentHeaders = headers;
      headers = new ResponseHeaders();
      more = unfinished > 0 || !results.isEmpty();
    }
    local.respond(
        channel, new BulkBatchResponse(more, more ? kept.keep(this) : 0, sent), sentHeaders);
  }

  /** Drops the results, those to come included. The parts that run go on. */
  synchronized void discard() {
    discarded = true;
    results.clear();
    resultBytes = 0;
  }
}
