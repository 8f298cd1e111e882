package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.DocumentShardResolver;
import dev.weir.core.actions.deadline.DeadlineExceededException;
import dev.weir.core.actions.lines.LineShardRequest;
import dev.weir.core.actions.lines.ShardLines;
import dev.weir.core.actions.retry.AuthorizedBulkCall;
import dev.weir.core.actions.retry.OutcomeUnknownException;
import dev.weir.core.actions.retry.WriteFailureClassifier;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.core.coordinate.write.WriteOperation;
import dev.weir.core.coordinate.write.WriteTarget;
import dev.weir.core.reduce.items.ColumnarShardResponse;
import dev.weir.core.reduce.items.StacklessFailure;
import dev.weir.model.NodeCallType;
import dev.weir.model.ShardCopy;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.UnavailableShardsException;
import org.opensearch.action.bulk.BulkAction;
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
import org.opensearch.cluster.metadata.IndexAbstraction;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.index.engine.DocumentMissingException;
import org.opensearch.indices.IndexClosedException;

/**
 * The items of a bulk that go to one shard, routed to its primary as OpenSearch's {@code
 * TransportReplicationAction.ReroutePhase} does.
 *
 * <p>What a node may have done already is sent again marked as a retry, so that a generated id
 * can't make two documents; scripted updates are not sent again: a script may count. Items of a
 * user are sent again as they are, because a node takes no mark from a bulk: {@link
 * AuthorizedBulkCall}.
 */
final class BulkShardOperation implements WriteOperation<BulkShardResponse> {
  private static final BulkItemRequest[] NO_ITEMS = {};

  private final BulkWork work;
  private final ShardId shard;

  /** The items as lines of the bulk; null where they are objects, as those that may be done. */
  private @Nullable ShardLines lines;

  private BulkItemRequest[] items = NO_ITEMS;

  /** As the primary's node counts it: {@code BulkShardRequest.ramBytesUsed}. */
  private long bytes;

  private long viewVersion;
  private ActiveShardCount activeShards;

  /** Whether an attempt was lost that may have executed the items that are left. */
  private boolean possiblyExecuted;

  BulkShardOperation(BulkWork work, ShardId shard, BulkItemRequest[] items, long viewVersion) {
    this.work = work;
    this.shard = shard;
    this.viewVersion = viewVersion;
    this.activeShards = work.bulk().waitForActiveShards();
    setItems(items);
  }

  BulkShardOperation(BulkWork work, ShardLines lines, long viewVersion) {
    this.work = work;
    this.shard = lines.shard();
    this.viewVersion = viewVersion;
    this.activeShards = work.bulk().waitForActiveShards();
    this.lines = lines;
    this.bytes = lines.bytes();
  }

  private void setItems(BulkItemRequest[] remaining) {
    items = remaining;
    bytes = 0;
    for (BulkItemRequest item : remaining) {
      bytes += item.ramBytesUsed();
    }
  }

  /** Returns the items, as objects. */
  private BulkItemRequest[] items() {
    ShardLines documents = lines;
    if (documents != null) {
      lines = null;
      items = new BulkItemRequest[documents.size()];
      for (int row = 0; row < items.length; row++) {
        int slot = documents.slot(row);
        items[row] = new BulkItemRequest(slot, work.items().request(slot));
      }
    }
    return items;
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
    if (possiblyExecuted && isAuthorizedByNode()) {
      String moved = findMovedName(view);
      if (moved != null) {
        return new WriteTarget.Rejected(
            new IllegalStateException(
                "[" + moved + "] no longer writes to [" + shard.getIndexName() + "]"));
      }
    }
    viewVersion = view.routingVersion();
    return new WriteTarget.Node(primary.nodeId());
  }

  /**
   * Returns the name of an item, such as that of a data stream, that no longer leads to the shard's
   * index; null for none. A node resolves the names of a user's items again: a repetition would
   * write a second document, into the new index.
   */
  private @Nullable String findMovedName(ClusterView view) {
    String last = shard.getIndexName();
    for (BulkItemRequest item : items()) {
      String name = item.request().index();
      if (!name.equals(last) && !name.equals(shard.getIndexName())) {
        IndexAbstraction named = view.state().metadata().getIndicesLookup().get(name);
        IndexMetadata written = named == null ? null : named.getWriteIndex();
        if (written == null || !written.getIndex().equals(shard.getIndex())) {
          return name;
        }
        last = name;
      }
    }
    return null;
  }

  /** Whether the items go to the node as a bulk of the user, which it authorizes. */
  private boolean isAuthorizedByNode() {
    return work.context().resources().identity() != null;
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
    return NodeCallType.forWrite(lines == null ? items.length : lines.size());
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public NodeCall<BulkShardResponse> call() {
    BulkRequest bulk = work.bulk();
    if (isAuthorizedByNode()) {
      return new AuthorizedBulkCall(shard, List.of(items()))
          .create(
              bulk.getRefreshPolicy(),
              activeShards,
              work.remainingTime(),
              work.context().transportHeaders());
    }
    ShardLines documents = lines;
    if (documents != null) {
      return shardCall(
          new LineShardRequest(
              documents, bulk.getRefreshPolicy(), activeShards, work.remainingTime(), viewVersion),
          documents.responseReader(BulkShardOperation::withoutStackTrace));
    }
    BulkShardRequest request = new BulkShardRequest(shard, bulk.getRefreshPolicy(), items);
    request.waitForActiveShards(activeShards);
    request.timeout(work.remainingTime());
    BulkInternals.setClusterStateVersion(request, viewVersion);
    return shardCall(
        request,
        items.length < StacklessFailure.MIN_FAILURES
            ? BulkInternals.shardResponseReader()
            : BulkInternals.shardResponseReader(
                items.length, BulkShardOperation::withoutStackTrace));
  }

  private NodeCall<BulkShardResponse> shardCall(
      Writeable request, Writeable.Reader<BulkShardResponse> reader) {
    return new NodeCall<>(
        TransportShardBulkAction.ACTION_NAME,
        request,
        reader,
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
    String action = isAuthorizedByNode() ? BulkAction.NAME : TransportShardBulkAction.ACTION_NAME;
    FailureClass refusal = WriteFailureClassifier.classifyRejection(answer, action);
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
    possiblyExecuted |= !WriteFailureClassifier.isRejected(cause);
    boolean mayBeExecuted = possiblyExecuted || WriteFailureClassifier.mayHaveExecuted(cause);
    List<BulkItemRequest> repeatable = new ArrayList<>(items().length);
    for (BulkItemRequest item : items()) {
      if (isScripted(item)) {
        work.items()
            .fail(item.id(), shard.getIndexName(), OutcomeUnknownException.forUnsafeRetry(cause));
      } else {
        if (item.request() instanceof IndexRequest document && !isAuthorizedByNode()) {
          markAsRetry(item.id(), document);
        }
        work.context().resources().setPossiblyRepeated(item.id());
        if (mayBeExecuted) {
          work.context().resources().setPossiblyExecuted(item.id());
        }
        repeatable.add(item);
      }
    }
    setItems(repeatable.toArray(new BulkItemRequest[0]));
    return items.length > 0;
  }

  /**
   * Marks a document as a retry. A create with a generated id is sent as an index operation:
   * otherwise a node would take the document of the first attempt for another client's, and refuse.
   */
  private void markAsRetry(int slot, IndexRequest document) {
    document.onRetry();
    if (document.opType() == DocWriteRequest.OpType.CREATE
        && AuthorizedBulkCall.hasGeneratedId(document)) {
      document.opType(DocWriteRequest.OpType.INDEX);
      work.items().reportAsCreate(slot);
    }
  }

  @Override
  public @Nullable Exception onReply(BulkShardResponse reply, ReplyFrame frame) {
    if (reply instanceof ColumnarShardResponse columns && columns.isPlain() && !possiblyExecuted) {
      work.items().completeShard(reply);
      return null;
    }
    if (hasReturnedDocuments(reply)) {
      frame.retain();
      work.context().onEnd(frame::release);
    }
    work.items().completeShard(reply);
    if (possiblyExecuted) {
      reportUnknownOutcomes(reply);
    }
    return keepUnfinishedItems(reply);
  }

  /**
   * Replaces failures after a lost attempt, which may have written the documents: those with
   * generated ids, because a client that repeats such a document writes it twice, and conflicts
   * that another cluster has to learn of, because the lost attempt may have caused them. A document
   * that is itself at fault failed in the lost attempt too.
   */
  private void reportUnknownOutcomes(BulkShardResponse reply) {
    Map<Integer, Exception> failures = new HashMap<>(0);
    for (BulkItemResponse item : reply.getResponses()) {
      if (item.isFailed() && item.status() != RestStatus.BAD_REQUEST) {
        failures.put(item.getItemId(), item.getFailure().getCause());
      }
    }
    for (BulkItemRequest item : items()) {
      Exception cause = failures.get(item.id());
      if (cause != null && (hasGeneratedId(item) || isConflictOfReplicated(cause))) {
        reportUnknown(item.id(), UncertaintyReason.RETRY_FAILED, cause);
      }
    }
  }

  private static boolean hasGeneratedId(BulkItemRequest item) {
    return item.request() instanceof IndexRequest document
        && AuthorizedBulkCall.hasGeneratedId(document);
  }

  private boolean isConflictOfReplicated(Exception cause) {
    return work.context().resources().areDocumentsReplicated()
        && ExceptionsHelper.status(cause) == RestStatus.CONFLICT;
  }

  private void reportUnknown(int slot, UncertaintyReason reason, Exception cause) {
    work.items().fail(slot, shard.getIndexName(), OutcomeUnknownException.forReason(reason, cause));
  }

  /**
   * Keeps the items that the primary rejected because they waited for a mapping and its queue was
   * full, and those of a user whose node is closing or lost the primary. The former were not done,
   * except by an earlier attempt that the node does not report; the latter may have been done. So
   * all are prepared as retries, and scripted updates keep their result.
   */
  private @Nullable Exception keepUnfinishedItems(BulkShardResponse reply) {
    Exception rejection = null;
    Exception loss = null;
    Set<Integer> unfinished = new HashSet<>(0);
    for (BulkItemResponse item : reply.getResponses()) {
      Exception cause = item.isFailed() ? item.getFailure().getCause() : null;
      if (cause != null && WriteFailureClassifier.isRejected(cause)) {
        unfinished.add(item.getItemId());
        rejection = cause;
      } else if (cause != null
          && isAuthorizedByNode()
          && WriteFailureClassifier.isNodeGone(cause)) {
        unfinished.add(item.getItemId());
        reportUnknown(item.getItemId(), UncertaintyReason.ATTEMPT_LOST, cause);
        loss = cause;
      }
    }
    Exception cause = loss == null ? rejection : loss;
    if (cause == null) {
      return null;
    }
    List<BulkItemRequest> left = new ArrayList<>(unfinished.size());
    for (BulkItemRequest item : items()) {
      if (unfinished.contains(item.id()) && !isScripted(item)) {
        left.add(item);
      }
    }
    setItems(left.toArray(new BulkItemRequest[0]));
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
    Exception reported =
        possiblyExecuted ? OutcomeUnknownException.afterLostAttempt(work.context(), cause) : cause;
    for (BulkItemRequest item : items()) {
      work.items().fail(item.id(), shard.getIndexName(), reported);
    }
  }

  @Override
  public void onUncertain(UncertaintyReason reason, Exception cause) {
    onFailure(OutcomeUnknownException.forReason(reason, cause));
  }

  @Override
  public void onDeadlineExpired(boolean maybeDone) {
    if (maybeDone) {
      onFailure(
          DeadlineExceededException.forWrite(
              work.context(), DeadlineExceededException.WriteState.UNKNOWN));
    } // otherwise the work does so for all items that were not sent
  }

  @Override
  public void onReplan(Exception cause, boolean maybeDone) {
    for (BulkItemRequest item : items()) {
      if (maybeDone || possiblyExecuted) {
        work.markUncertain(item.id());
      }
      if (work.items().isReportedAsCreate(item.id())
          && item.request() instanceof IndexRequest document) {
        document.opType(DocWriteRequest.OpType.CREATE);
      }
    }
    work.takeBackItems(items(), cause);
  }
}
