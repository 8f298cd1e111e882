package dev.weir.core.reduce.items;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
 * The items of one bulk and the answers they have so far, each in its place. Confined to the
 * request's event loop.
 */
public final class BulkResponseCollector {
  private final List<DocWriteRequest<?>> requests;
  private final @Nullable BulkItemResponse[] responses;
  private final LongSupplier nanoClock;
  private final long startedNanos;
  private final BitSet reportedAsCreate = new BitSet(0);
  private final Map<Integer, UnaryOperator<Exception>> uncertainFailures = new HashMap<>(0);
  private int remaining;

  /**
   * Starts with no answers; what the bulk takes is counted from now.
   *
   * @param nanoClock a monotonic clock, nanoseconds
   */
  public BulkResponseCollector(BulkRequest bulk, LongSupplier nanoClock) {
    this.requests = bulk.requests();
    this.responses = new BulkItemResponse[requests.size()];
    this.nanoClock = nanoClock;
    this.startedNanos = nanoClock.getAsLong();
    this.remaining = requests.size();
  }

  /** The whole answer to a bulk that failed as a whole: each of its items did. */
  public static BulkResponse failAll(BulkRequest bulk, LongSupplier nanoClock, Exception cause) {
    BulkResponseCollector items = new BulkResponseCollector(bulk, nanoClock);
    items.failRest(cause);
    return items.buildResponse();
  }

  /** How many items there are. */
  public int size() {
    return requests.size();
  }

  /** How many have no answer yet. */
  public int remaining() {
    return remaining;
  }

  /** An item's request. */
  public DocWriteRequest<?> request(int slot) {
    return requests.get(slot);
  }

  /** Whether an item has its answer. */
  public boolean hasResponse(int slot) {
    return responses[slot] != null;
  }

  /** Answers an item with a failure. */
  public void fail(int slot, String index, Exception cause) {
    DocWriteRequest<?> request = requests.get(slot);
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
   * Says that an item may have been done although nobody has answered it.
   *
   * @param toClientFailure makes of a failure what is told of it from now on; an answer is told as
   *     it is
   */
  public void markUncertain(int slot, UnaryOperator<Exception> toClientFailure) {
    uncertainFailures.put(slot, toClientFailure);
  }

  /** Answers all items that have no answer with a failure. */
  public void failRest(Exception cause) {
    for (int slot = 0; slot < size(); slot++) {
      if (!hasResponse(slot)) {
        fail(slot, request(slot).index(), cause);
      }
    }
  }

  /** Answers the items of one shard. */
  public void completeShard(BulkShardResponse shard) {
    for (BulkItemResponse item : shard.getResponses()) {
      DocWriteResponse done = item.getResponse();
      if (done != null) {
        done.setShardInfo(shard.getShardInfo());
      }
      setResponse(
          item.getItemId(), reportedAsCreate.get(item.getItemId()) ? toCreateResponse(item) : item);
    }
  }

  /**
   * Says that an item's success is told as that of a create: the client asked for one, and a repeat
   * went out as an index. Its generated id was new, whichever attempt wrote the document.
   */
  public void reportAsCreate(int slot) {
    reportedAsCreate.set(slot);
  }

  /** Whether {@link #reportAsCreate} was said of an item. */
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
    if (responses[slot] == null) {
      remaining--;
    }
    responses[slot] = answer;
  }

  /** The whole answer; every item must have its own. */
  public BulkResponse buildResponse() {
    BulkItemResponse[] all = new BulkItemResponse[responses.length];
    for (int slot = 0; slot < all.length; slot++) {
      all[slot] = Objects.requireNonNull(responses[slot]);
    }
    return new DirectJsonBulkResponse(
        all, TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong() - startedNanos));
  }
}
