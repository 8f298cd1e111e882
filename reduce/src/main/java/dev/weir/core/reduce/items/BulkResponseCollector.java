package dev.weir.core.reduce.items;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.DocWriteResponse;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.action.index.IndexResponse;

/**
 * Collects the responses to the items of one bulk, each at its item's position. Confined to the
 * request's event loop.
 */
public final class BulkResponseCollector {
  private final BulkRequest bulk;
  private final BulkResults results;

  /** The items that replaced those of the bulk; null for none. */
  private @Nullable List<DocWriteRequest<?>> ingested;

  private final LongSupplier nanoClock;
  private long startedNanos;
  private long ingestTookMillis = BulkResponse.NO_INGEST_TOOK;
  private final BitSet reportedAsCreate = new BitSet(0);
  private final Map<Integer, UnaryOperator<Exception>> uncertainFailures = new HashMap<>(0);
  private int remaining;

  /**
   * Creates a collector without responses. The bulk's {@code took} counts from now.
   *
   * @param nanoClock a monotonic clock, nanoseconds
   */
  public BulkResponseCollector(BulkRequest bulk, LongSupplier nanoClock) {
    this.bulk = bulk;
    this.results = new BulkResults(bulk.numberOfActions());
    this.nanoClock = nanoClock;
    this.startedNanos = nanoClock.getAsLong();
    this.remaining = results.size();
  }

  /** Returns the response to a bulk that failed as a whole: every item has the failure. */
  public static BulkResponse failAll(BulkRequest bulk, LongSupplier nanoClock, Exception cause) {
    BulkResponseCollector items = new BulkResponseCollector(bulk, nanoClock);
    items.failRest(cause);
    return items.buildResponse();
  }

  /** Returns the number of items. */
  public int size() {
    return results.size();
  }

  /** Returns the number of items without a response. */
  public int remaining() {
    return remaining;
  }

  public DocWriteRequest<?> request(int slot) {
    return (ingested == null ? bulk.requests() : ingested).get(slot);
  }

  /**
   * Starts over with the items that ingest pipelines returned. The bulk's {@code took} counts from
   * now, as on a node.
   *
   * @param items as many as there were; the bulk itself keeps its own
   * @param tookMillis how long the pipelines took, for {@code ingest_took}
   */
  public void onIngested(List<DocWriteRequest<?>> items, long tookMillis) {
    ingested = items;
    ingestTookMillis = tookMillis;
    startedNanos = nanoClock.getAsLong();
  }

  /** Completes an item with a response of its own. */
  public void complete(BulkItemResponse response) {
    setResponse(response.getItemId(), response);
  }

  /** Returns whether an item has its response. */
  public boolean hasResponse(int slot) {
    return results.has(slot);
  }

  /** Completes an item with a failure. */
  public void fail(int slot, String index, Exception cause) {
    DocWriteRequest<?> request = request(slot);
    DocWriteRequest.OpType operation =
        reportedAsCreate.get(slot) ? DocWriteRequest.OpType.CREATE : request.opType();
    setResponse(
        slot,
        new BulkItemResponse(
            slot,
            operation,
            new BulkItemResponse.Failure(
                index,
                request.id(),
                uncertainFailures.getOrDefault(slot, UnaryOperator.identity()).apply(cause))));
  }

  /**
   * Marks an item as possibly executed, because an attempt got no response.
   *
   * @param toClientFailure converts every later failure of the item; a success stays as it is
   */
  public void markUncertain(int slot, UnaryOperator<Exception> toClientFailure) {
    uncertainFailures.put(slot, toClientFailure);
  }

  /** Completes all items without a response with a failure. */
  public void failRest(Exception cause) {
    for (int slot = 0; slot < size(); slot++) {
      if (!hasResponse(slot)) {
        fail(slot, request(slot).index(), cause);
      }
    }
  }

  /** Completes the items of one shard. */
  public void completeShard(BulkShardResponse shard) {
    if (shard instanceof ColumnarShardResponse columns
        && columns.isPlain()
        && reportedAsCreate.isEmpty()) {
      completeRows(columns);
      return;
    }
    for (BulkItemResponse item : shard.getResponses()) {
      DocWriteResponse done = item.getResponse();
      if (done != null) {
        done.setShardInfo(shard.getShardInfo());
      }
      setResponse(
          item.getItemId(), reportedAsCreate.get(item.getItemId()) ? toCreateResponse(item) : item);
    }
  }

  private void completeRows(ColumnarShardResponse shard) {
    DocumentIds ids = shard.ids();
    for (int row = 0; row < ids.size(); row++) {
      int slot = ids.slot(row);
      if (!results.has(slot)) {
        remaining--;
      }
      results.setRow(slot, shard, row);
    }
  }

  /**
   * Reports an item's success as a create. The client asked for a create, but the gateway repeated
   * it as an index operation. The generated id was new, so the document was created by whichever
   * attempt wrote it.
   */
  public void reportAsCreate(int slot) {
    reportedAsCreate.set(slot);
  }

  /** Returns whether {@link #reportAsCreate} was called for an item. */
  public boolean isReportedAsCreate(int slot) {
    return reportedAsCreate.get(slot);
  }

  private BulkItemResponse toCreateResponse(BulkItemResponse item) {
    if (item.isFailed()) {
      return new BulkItemResponse(
          item.getItemId(), DocWriteRequest.OpType.CREATE, item.getFailure());
    }
    DocWriteResponse done = item.getResponse();
    IndexResponse created =
        new IndexResponse(
            done.getShardId(),
            done.getId(),
            done.getSeqNo(),
            done.getPrimaryTerm(),
            done.getVersion(),
            true);
    created.setForcedRefresh(done.forcedRefresh());
    created.setShardInfo(done.getShardInfo());
    return new BulkItemResponse(item.getItemId(), DocWriteRequest.OpType.CREATE, created);
  }

  private void setResponse(int slot, BulkItemResponse answer) {
    if (!results.has(slot)) {
      remaining--;
    }
    results.set(slot, answer);
  }

  /** Builds the whole response; every item must have its own. */
  public BulkResponse buildResponse() {
    if (remaining != 0) {
      throw new IllegalStateException(
          "got " + remaining + " items without a response (expected: none)");
    }
    return new DirectJsonBulkResponse(
        results,
        TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong() - startedNanos),
        ingestTookMillis);
  }
}
