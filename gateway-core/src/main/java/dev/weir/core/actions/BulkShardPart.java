package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.DocShards;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.core.coordinate.WritePart;
import dev.weir.core.coordinate.WriteTarget;
import dev.weir.model.ShardCopy;
import dev.weir.model.Work;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.UnavailableShardsException;
import org.opensearch.action.bulk.BulkDoor;
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
import org.opensearch.indices.IndexClosedException;

/**
 * The items of a bulk that go to one shard, routed to its primary as OpenSearch's {@code
 * TransportReplicationAction.ReroutePhase} does.
 *
 * <p>What a node may have done already is sent again marked as a retry, so that a generated id
 * can't make two documents; scripted updates are not sent again: a script may count.
 */
final class BulkShardPart implements WritePart<BulkShardResponse> {
  private final BulkWork work;
  private final ShardId shard;
  private BulkItemRequest[] items;
  private long viewVersion;
  private ActiveShardCount activeShards;

  BulkShardPart(BulkWork work, ShardId shard, BulkItemRequest[] items, long viewVersion) {
    this.work = work;
    this.shard = shard;
    this.items = items;
    this.viewVersion = viewVersion;
    this.activeShards = work.bulk().waitForActiveShards();
  }

  @Override
  public Duration patience() {
    return work.patience();
  }

  @Override
  public WriteTarget target(ClusterView view) {
    ClusterBlockException block = block(view);
    if (block != null) {
      return block.retryable() ? new WriteTarget.NotYet(block) : new WriteTarget.Never(block);
    }
    IndexMetadata index = view.state().metadata().index(shard.getIndex());
    if (index == null) {
      return new WriteTarget.Gone();
    }
    if (index.getState() == IndexMetadata.State.CLOSE) {
      return new WriteTarget.Never(new IndexClosedException(shard.getIndex()));
    }
    if (activeShards.equals(ActiveShardCount.DEFAULT)) {
      activeShards = index.getWaitForActiveShards();
    }
    ShardCopy primary = DocShards.primary(view, shard);
    if (primary == null) {
      return unavailable("primary shard is not active");
    }
    if (!view.nodes().containsKey(primary.nodeId())) {
      return unavailable("primary shard isn't assigned to a known node.");
    }
    viewVersion = view.state().version();
    return new WriteTarget.Node(primary.nodeId());
  }

  private @Nullable ClusterBlockException block(ClusterView view) {
    ClusterBlockException everywhere =
        view.state().blocks().globalBlockedException(ClusterBlockLevel.WRITE);
    return everywhere != null
        ? everywhere
        : view.state()
            .blocks()
            .indexBlockedException(ClusterBlockLevel.WRITE, shard.getIndexName());
  }

  private WriteTarget unavailable(String message) {
    return new WriteTarget.NotYet(
        new UnavailableShardsException(shard, "{} Timeout: [{}]", message, work.bulk().timeout()));
  }

  @Override
  public Work work() {
    return Work.writing(items.length);
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
    BulkShardRequest request = new BulkShardRequest(shard, bulk.getRefreshPolicy(), items);
    request.waitForActiveShards(activeShards);
    request.timeout(work.timeLeft());
    BulkDoor.routedBy(request, viewVersion);
    return new NodeCall<>(
        TransportShardBulkAction.ACTION_NAME,
        request,
        BulkDoor.shardResponseReader(),
        ChannelKind.BULK,
        work.context().transportHeaders(),
        Duration.ZERO);
  }

  @Override
  public NodeSender.Piggyback<BulkShardResponse> piggyback() {
    return BulkPiggyback.INSTANCE;
  }

  @Override
  public Verdict judge(Exception answer) {
    if (WriteVerdicts.isNodeGone(answer)) {
      return Verdict.UNSURE;
    }
    Verdict refusal = WriteVerdicts.refusal(answer, TransportShardBulkAction.ACTION_NAME);
    if (refusal != null) {
      return refusal;
    }
    return WriteVerdicts.isUnknownShard(answer) ? Verdict.STALE : Verdict.FINAL;
  }

  @Override
  public long limitSaid(Exception refusal) {
    return WriteVerdicts.limitSaid(refusal);
  }

  @Override
  public boolean prepareRepeat(Exception why) {
    List<BulkItemRequest> repeatable = new ArrayList<>(items.length);
    for (BulkItemRequest item : items) {
      if (isScripted(item)) {
        work.items()
            .fail(item.id(), shard.getIndexName(), OutcomeUnknownException.unrepeatable(why));
      } else {
        if (item.request() instanceof IndexRequest document) {
          repeat(item.id(), document);
        }
        repeatable.add(item);
      }
    }
    items = repeatable.toArray(new BulkItemRequest[0]);
    return items.length > 0;
  }

  /**
   * Marks a document. A create with a generated id goes out as an index this time: a node would
   * take what the first attempt may have written for somebody else's document, and refuse.
   */
  private void repeat(int slot, IndexRequest document) {
    document.onRetry();
    if (document.opType() == DocWriteRequest.OpType.CREATE
        && document.getAutoGeneratedTimestamp() != IndexRequest.UNSET_AUTO_GENERATED_TIMESTAMP) {
      document.opType(DocWriteRequest.OpType.INDEX);
      work.items().answerAsCreate(slot);
    }
  }

  @Override
  public @Nullable Exception answered(BulkShardResponse reply, ReplyFrame frame) {
    if (returnsDocuments(reply)) {
      frame.retain();
      work.context().onEnd(frame::release);
    }
    work.items().answer(reply);
    return keepRefused(reply);
  }

  /**
   * Keeps the items that the primary refused: those that waited for a mapping and found its queue
   * full. They were not done, but for an earlier attempt that the node does not tell of; so they
   * are marked as a repeat, and scripted updates keep their answer.
   */
  private @Nullable Exception keepRefused(BulkShardResponse reply) {
    Exception why = null;
    Set<Integer> refused = new HashSet<>(0);
    for (BulkItemResponse item : reply.getResponses()) {
      if (item.isFailed() && WriteVerdicts.isRejected(item.getFailure().getCause())) {
        refused.add(item.getItemId());
        why = item.getFailure().getCause();
      }
    }
    if (why == null) {
      return null;
    }
    List<BulkItemRequest> left = new ArrayList<>(refused.size());
    for (BulkItemRequest item : items) {
      if (refused.contains(item.id()) && !isScripted(item)) {
        left.add(item);
      }
    }
    items = left.toArray(new BulkItemRequest[0]);
    return items.length > 0 && prepareRepeat(why) ? why : null;
  }

  private static boolean isScripted(BulkItemRequest item) {
    return item.request() instanceof UpdateRequest update && update.script() != null;
  }

  /** Whether the answer has documents in it, as an update's {@code _source} asks for. */
  private static boolean returnsDocuments(BulkShardResponse reply) {
    for (BulkItemResponse item : reply.getResponses()) {
      if (item.getResponse() instanceof UpdateResponse update && update.getGetResult() != null) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void failed(Exception why) {
    for (BulkItemRequest item : items) {
      work.items().fail(item.id(), shard.getIndexName(), why);
    }
  }

  @Override
  public void doubtful(Doubt doubt, Exception why) {
    failed(OutcomeUnknownException.of(doubt, why));
  }

  @Override
  public void expired(boolean maybeDone) {
    if (maybeDone) {
      failed(
          DeadlineExceededException.writing(
              work.context().deadline(), DeadlineExceededException.Done.UNKNOWN));
    } // else the work says so of all that was not sent
  }

  @Override
  public void givenBack(Exception why, boolean maybeDone) {
    for (BulkItemRequest item : items) {
      if (maybeDone) {
        work.doubt(item.id());
      }
      if (work.items().isAnsweredAsCreate(item.id())
          && item.request() instanceof IndexRequest document) {
        document.opType(DocWriteRequest.OpType.CREATE);
      }
    }
    work.takeBack(items, why);
  }
}
