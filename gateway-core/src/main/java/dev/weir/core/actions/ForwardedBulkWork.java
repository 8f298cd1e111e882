package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.core.actions.deadline.DeadlineExceededException;
import dev.weir.core.actions.deadline.DeadlineTimeouts;
import dev.weir.core.actions.retry.OutcomeUnknownException;
import dev.weir.core.actions.retry.WriteFailureClassifier;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.core.coordinate.write.WriteOperation;
import dev.weir.core.coordinate.write.WriteStep;
import dev.weir.core.coordinate.write.WriteTarget;
import dev.weir.core.coordinate.write.WriteWork;
import dev.weir.core.reduce.items.BulkResponseCollector;
import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.bulk.BulkAction;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.core.action.ActionListener;
import org.opensearch.discovery.ClusterManagerNotDiscoveredException;

/**
 * A bulk that one node carries out as a whole: it creates indices, runs pipelines, and sends the
 * items to their shards. The gateway retries it only while no node can have started it, because
 * what a node generates, above all ids, is unknown. Confined to the request's event loop.
 */
final class ForwardedBulkWork implements WriteWork {
  private final DocumentActionServices tools;
  private final BulkRequest bulk;
  private final RequestContext context;
  private final ActionListener<BulkResponse> listener;
  private final WholeBulkOperation operation = new WholeBulkOperation();
  private @Nullable BulkResponse response;

  ForwardedBulkWork(
      DocumentActionServices tools,
      BulkRequest bulk,
      RequestContext context,
      ActionListener<BulkResponse> listener) {
    this.tools = tools;
    this.bulk = bulk;
    this.context = context;
    this.listener = listener;
  }

  @Override
  public Duration waitTimeout() {
    return Duration.ofNanos(bulk.timeout().nanos());
  }

  @Override
  public WriteStep plan(ClusterView view, ViewFreshness certainty) {
    return new WriteStep.Send(response == null ? List.of(operation) : List.of());
  }

  /**
   * {@inheritDoc}
   *
   * <p>The client's next request uses a view with the indices that the node created.
   */
  @Override
  public void onFinished() {
    BulkResponse done = response;
    if (done == null) {
      throw new IllegalStateException("the bulk finished, got no response (expected: a node's)");
    }
    ClusterViewSource views = tools.coordination().views();
    ClusterView view = views.current();
    if (hasAllIndices(view, done)) {
      listener.onResponse(done);
    } else {
      views
          .refresh(view)
          .whenComplete((fresh, failure) -> context.runLater(() -> listener.onResponse(done)));
    }
  }

  /** Whether a view has every index that the bulk wrote to. */
  private static boolean hasAllIndices(ClusterView view, BulkResponse done) {
    String before = null;
    for (BulkItemResponse item : done.getItems()) {
      if (!item.isFailed() && !item.getIndex().equals(before)) {
        before = item.getIndex();
        if (!view.state().metadata().hasIndex(before)) {
          return false;
        }
      }
    }
    return true;
  }

  @Override
  public void onDeadlineExpired() {
    if (response == null) {
      failAll(
          DeadlineExceededException.forWrite(
              context, DeadlineExceededException.WriteState.NOT_WRITTEN));
    }
    onFinished();
  }

  @Override
  public void onFailure(Exception cause) {
    listener.onFailure(cause);
  }

  private void failAll(Exception cause) {
    response = BulkResponseCollector.failAll(bulk, tools.coordination().nanoClock(), cause);
  }

  private final class WholeBulkOperation implements WriteOperation<BulkResponse> {
    /** How often it was sent; each attempt goes to another node. */
    private int attempts;

    @Override
    public Duration waitTimeout() {
      return ForwardedBulkWork.this.waitTimeout();
    }

    /** A node that runs pipelines. */
    @Override
    public WriteTarget target(ClusterView view) {
      List<String> nodes =
          view.state().nodes().getIngestNodes().keySet().stream()
              .filter(view.nodes()::containsKey)
              .sorted()
              .toList();
      if (nodes.isEmpty()) {
        nodes = view.nodes().keySet().stream().sorted().toList();
      }
      if (nodes.isEmpty()) {
        return new WriteTarget.RetryLater(new ClusterManagerNotDiscoveredException());
      }
      int next = Math.floorMod(context.taskId() + attempts, nodes.size());
      return new WriteTarget.Node(nodes.get(next));
    }

    @Override
    public NodeCallType work() {
      return NodeCallType.forWrite(bulk.numberOfActions());
    }

    /** As the node counts it while it carries out the bulk: as coordinating bytes. */
    @Override
    public long bytes() {
      return bulk.ramBytesUsed();
    }

    @Override
    public NodeCall<BulkResponse> call() {
      attempts++;
      bulk.timeout(
          DeadlineTimeouts.capTimeout(
              bulk.timeout(), context.deadline(), tools.coordination().nanoClock()));
      return new NodeCall<>(
          BulkAction.NAME,
          bulk,
          BulkResponse::new,
          ChannelKind.BULK,
          context.transportHeaders(),
          Duration.ZERO);
    }

    @Override
    public NodeSender.@Nullable LoadFeedback<BulkResponse> loadFeedback() {
      return null;
    }

    @Override
    public FailureClass classify(Exception answer) {
      return WriteFailureClassifier.isNodeGone(answer)
          ? FailureClass.UNCERTAIN
          : FailureClass.FINAL;
    }

    @Override
    public boolean prepareRetry(Exception cause) {
      failAll(OutcomeUnknownException.forReason(UncertaintyReason.ATTEMPT_LOST, cause));
      return false;
    }

    @Override
    public @Nullable Exception onReply(BulkResponse reply, ReplyFrame frame) {
      frame.retain(); // the results of updates may contain documents
      context.onEnd(frame::release);
      response = reply;
      return null;
    }

    @Override
    public void onFailure(Exception cause) {
      failAll(cause);
    }

    @Override
    public void onUncertain(UncertaintyReason reason, Exception cause) {
      failAll(OutcomeUnknownException.forReason(reason, cause));
    }

    @Override
    public void onDeadlineExpired(boolean maybeDone) {
      if (maybeDone) {
        failAll(
            DeadlineExceededException.forWrite(
                context, DeadlineExceededException.WriteState.UNKNOWN));
      } // otherwise the work reports that it was not sent
    }

    @Override
    public void onReplan(Exception cause, boolean maybeDone) {
      failAll(
          maybeDone
              ? OutcomeUnknownException.forReason(UncertaintyReason.ATTEMPT_LOST, cause)
              : cause);
    }
  }
}
