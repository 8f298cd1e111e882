package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.DocumentShardResolver;
import dev.weir.core.actions.deadline.DeadlineExceededException;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.core.coordinate.WriteOperation;
import dev.weir.core.coordinate.WriteTarget;
import dev.weir.core.reduce.items.StacklessFailure;
import dev.weir.model.NodeCallType;
import dev.weir.model.ShardCopy;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.UnavailableShardsException;
import org.opensearch.action.bulk.BulkInternals;
import org.opensearch.action.bulk.BulkItemRequest;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkShardRequest;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.action.bulk.TransportShardBulkAction;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.support.ActiveShardCount;
import org.opensearch.action.update.UpdateRequest;
import org.opensearch.action.update.UpdateResponse;
import org.opensearch.cluster.block.ClusterBlockException;
import org.opensearch.cluster.block.ClusterBlockLevel;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.index.engine.DocumentMissingException;
import org.opensearch.indices.IndexClosedException;

/**
 * The items of a bulk that go to one shard, routed to its primary as OpenSearch's {@code
 * TransportReplicationAction.ReroutePhase} does.
 *
 * <p>What a node may have done already is sent again marked as a retry, so that a generated id
 * can't make two documents; scripted updates are not sent again: a script may count.
 */
final class BulkShardOperation implements WriteOperation<BulkShardResponse> {
  /** With fewer items, all failures together are small. */
  static final int MIN_ITEMS_WITHOUT_STACK_TRACES = 16;

  private final BulkWork work;
  private final ShardId shard;
  private BulkItemRequest[] items;
  private long viewVersion;
  private ActiveShardCount activeShards;

  BulkShardOperation(BulkWork work, ShardId shard, BulkItemRequest[] items, long viewVersion) {
    this.work = work;
    this.shard = shard;
    this.items = items;
    this.viewVersion = viewVersion;
    this.activeShards = work.bulk().waitForActiveShards();
  }

  @Override
  public Duration waitTimeout() {
    return work.waitTimeout();
  }

  @Override
  public WriteTarget target(ClusterView view) {
    ClusterBlockException block = findBlock(view);
    if (block != null) {
      return block.retryable()
          ? new WriteTarget.RetryLater(block)
          : new WriteTarget.Rejected(block);
    }
    IndexMetadata index = view.state().metadata().index(shard.getIndex());
    if (index == null) {
      return new WriteTarget.Missing();
    }
    if (index.getState() == IndexMetadata.State.CLOSE) {
      return new WriteTarget.Rejected(new IndexClosedException(shard.getIndex()));
    }
    if (activeShards.equals(ActiveShardCount.DEFAULT)) {
      activeShards = index.getWaitForActiveShards();
    }
    ShardCopy primary = DocumentShardResolver.activePrimary(view, shard);
    if (primary == null) {
      return unavailable("primary shard is not active");
    }
    if (!view.nodes().containsKey(primary.nodeId())) {
      return unavailable("primary shard isn't assigned to a known node.");
    }
    viewVersion = view.state().version();
    return new WriteTarget.Node(primary.nodeId());
  }

  private @Nullable ClusterBlockException findBlock(ClusterView view) {
    ClusterBlockException everywhere =
        view.state().blocks().globalBlockedException(ClusterBlockLevel.WRITE);
    return everywhere != null
        ? everywhere
        : view.state()
            .blocks()
            .indexBlockedException(ClusterBlockLevel.WRITE, shard.getIndexName());
  }

  private WriteTarget unavailable(String message) {
    return new WriteTarget.RetryLater(
        new UnavailableShardsException(shard, "{} Timeout: [{}]", message, work.bulk().timeout()));
  }

  @Override
  public NodeCallType work() {
    return NodeCallType.forWrite(items.length);
  }

  /** As the primary's node counts it: {@code BulkShardRequest.ramBytesUsed}. */
  @Override
  public long bytes() {
    long bytes = 0;
    for (BulkItemRequest item : items) {
      bytes += item.ramBytesUsed();
    }
    return bytes;
  }

  @Override
  public NodeCall<BulkShardResponse> call() {
    BulkRequest bulk = work.bulk();
    if (work.context().resources().identity() != null) {
      return new AuthorizedBulkCall(shard, List.of(items))
          .create(
              bulk.getRefreshPolicy(),
              activeShards,
              work.remainingTime(),
              work.context().transportHeaders());
    }
    BulkShardRequest request = new BulkShardRequest(shard, bulk.getRefreshPolicy(), items);
    request.waitForActiveShards(activeShards);
    request.timeout(work.remainingTime());
    BulkInternals.setClusterStateVersion(request, viewVersion);
    return new NodeCall<>(
        TransportShardBulkAction.ACTION_NAME,
        request,
        items.length < MIN_ITEMS_WITHOUT_STACK_TRACES
            ? BulkInternals.shardResponseReader()
            : BulkInternals.shardResponseReader(
                items.length, BulkShardOperation::withoutStackTrace),
        ChannelKind.BULK,
        work.context().transportHeaders(),
        Duration.ZERO);
  }

  /** Makes a failure small that is the request's own fault, and final. */
  private static Exception withoutStackTrace(Exception failure) {
    RestStatus status = ExceptionsHelper.status(failure);
    return status == RestStatus.BAD_REQUEST
            || status == RestStatus.CONFLICT
            || failure instanceof DocumentMissingException
        ? StacklessFailure.of(failure)
        : failure;
  }

  @Override
  public NodeSender.LoadFeedback<BulkShardResponse> loadFeedback() {
    return BulkLoadFeedback.INSTANCE;
  }

  @Override
  public FailureClass classify(Exception answer) {
    if (WriteFailureClassifier.isNodeGone(answer)) {
      return FailureClass.UNCERTAIN;
    }
    FailureClass refusal =
        WriteFailureClassifier.classifyRejection(answer, TransportShardBulkAction.ACTION_NAME);
    if (refusal != null) {
      return refusal;
    }
    return WriteFailureClassifier.isUnknownShard(answer)
        ? FailureClass.STALE_VIEW
        : FailureClass.FINAL;
  }

  @Override
  public long reportedByteLimit(Exception refusal) {
    return WriteFailureClassifier.reportedByteLimit(refusal);
  }

  @Override
  public boolean prepareRetry(Exception cause) {
    List<BulkItemRequest> repeatable = new ArrayList<>(items.length);
    for (BulkItemRequest item : items) {
      if (isScripted(item)) {
        work.items()
            .fail(item.id(), shard.getIndexName(), OutcomeUnknownException.forUnsafeRetry(cause));
      } else {
        if (item.request() instanceof IndexRequest document) {
          markAsRetry(item.id(), document);
        }
        repeatable.add(item);
      }
    }
    items = repeatable.toArray(new BulkItemRequest[0]);
    return items.length > 0;
  }

  /**
   * Marks a document as a retry. A create with a generated id is sent as an index operation:
   * otherwise a node would take the document of the first attempt for another client's, and refuse.
   */
  private void markAsRetry(int slot, IndexRequest document) {
    document.onRetry();
    if (document.opType() == DocWriteRequest.OpType.CREATE
        && document.getAutoGeneratedTimestamp() != IndexRequest.UNSET_AUTO_GENERATED_TIMESTAMP) {
      document.opType(DocWriteRequest.OpType.INDEX);
      work.items().reportAsCreate(slot);
    }
  }

  @Override
  public @Nullable Exception onReply(BulkShardResponse reply, ReplyFrame frame) {
    if (hasReturnedDocuments(reply)) {
      frame.retain();
      work.context().onEnd(frame::release);
    }
    work.items().completeShard(reply);
    return keepRejectedItems(reply);
  }

  /**
   * Keeps the items that the primary rejected because they waited for a mapping and its queue was
   * full. They were not done, except by an earlier attempt that the node does not report; so they
   * are marked as retries, and scripted updates keep their result.
   */
  private @Nullable Exception keepRejectedItems(BulkShardResponse reply) {
    Exception cause = null;
    Set<Integer> refused = new HashSet<>(0);
    for (BulkItemResponse item : reply.getResponses()) {
      if (item.isFailed() && WriteFailureClassifier.isRejected(item.getFailure().getCause())) {
        refused.add(item.getItemId());
        cause = item.getFailure().getCause();
      }
    }
    if (cause == null) {
      return null;
    }
    List<BulkItemRequest> left = new ArrayList<>(refused.size());
    for (BulkItemRequest item : items) {
      if (refused.contains(item.id()) && !isScripted(item)) {
        left.add(item);
      }
    }
    items = left.toArray(new BulkItemRequest[0]);
    return items.length > 0 && prepareRetry(cause) ? cause : null;
  }

  private static boolean isScripted(BulkItemRequest item) {
    return item.request() instanceof UpdateRequest update && update.script() != null;
  }

  /** Whether the response contains documents, as an update's {@code _source} requests. */
  private static boolean hasReturnedDocuments(BulkShardResponse reply) {
    for (BulkItemResponse item : reply.getResponses()) {
      if (item.getResponse() instanceof UpdateResponse update && update.getGetResult() != null) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void onFailure(Exception cause) {
    for (BulkItemRequest item : items) {
      work.items().fail(item.id(), shard.getIndexName(), cause);
    }
  }

  @Override
  public void onUncertain(UncertaintyReason doubt, Exception cause) {
    onFailure(OutcomeUnknownException.forReason(doubt, cause));
  }

  @Override
  public void onDeadlineExpired(boolean maybeDone) {
    if (maybeDone) {
      onFailure(
          DeadlineExceededException.forWrite(
              work.context().deadline(), DeadlineExceededException.WriteState.UNKNOWN));
    } // otherwise the work does so for all items that were not sent
  }

  @Override
  public void onReplan(Exception cause, boolean maybeDone) {
    for (BulkItemRequest item : items) {
      if (maybeDone) {
        work.markUncertain(item.id());
      }
      if (work.items().isReportedAsCreate(item.id())
          && item.request() instanceof IndexRequest document) {
        document.opType(DocWriteRequest.OpType.CREATE);
      }
    }
    work.takeBackItems(items, cause);
  }
}
