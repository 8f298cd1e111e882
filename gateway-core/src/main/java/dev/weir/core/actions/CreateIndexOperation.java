package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.core.actions.retry.WriteFailureClassifier;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.core.coordinate.write.WriteOperation;
import dev.weir.core.coordinate.write.WriteTarget;
import dev.weir.model.RequestContext;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.ResourceAlreadyExistsException;
import org.opensearch.action.ActionType;
import org.opensearch.action.admin.indices.create.CreateIndexRequest;
import org.opensearch.action.admin.indices.create.CreateIndexResponse;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.discovery.ClusterManagerNotDiscoveredException;
import org.opensearch.indices.InvalidIndexNameException;

/**
 * Creates an index that a write names and that does not exist. Goes to the elected cluster manager,
 * or to any node, which forwards it. Creating twice is harmless: an index that already exists is
 * the wanted result.
 */
final class CreateIndexOperation implements WriteOperation<CreateIndexResponse> {
  private final ActionType<CreateIndexResponse> action;
  private final CreateIndexRequest request;
  private final RequestContext context;
  private final Runnable onCreated;
  private final Consumer<Exception> onFailed;

  /**
   * Prepares a creation.
   *
   * @param action the transport action that creates
   */
  CreateIndexOperation(
      ActionType<CreateIndexResponse> action,
      CreateIndexRequest request,
      RequestContext context,
      Runnable onCreated,
      Consumer<Exception> onFailed) {
    this.action = action;
    this.request = request;
    this.context = context;
    this.onCreated = onCreated;
    this.onFailed = onFailed;
  }

  @Override
  public Duration waitTimeout() {
    return Duration.ofMillis(request.clusterManagerNodeTimeout().millis());
  }

  @Override
  public WriteTarget target(ClusterView view) {
    DiscoveryNode manager = view.state().nodes().getClusterManagerNode();
    if (manager != null && view.nodes().containsKey(manager.getId())) {
      return new WriteTarget.Node(manager.getId());
    }
    return view.nodes().keySet().stream()
        .findAny()
        .<WriteTarget>map(WriteTarget.Node::new)
        .orElseGet(() -> new WriteTarget.RetryLater(new ClusterManagerNotDiscoveredException()));
  }

  @Override
  public NodeCall<CreateIndexResponse> call() {
    return new NodeCall<>(
        action.name(),
        request,
        action.getResponseReader(),
        ChannelKind.CONTROL,
        context.transportHeaders(),
        Duration.ZERO);
  }

  @Override
  public NodeSender.@Nullable LoadFeedback<CreateIndexResponse> loadFeedback() {
    return null;
  }

  @Override
  public FailureClass classify(Exception answer) {
    return WriteFailureClassifier.isNodeGone(answer) ? FailureClass.UNCERTAIN : FailureClass.FINAL;
  }

  @Override
  public boolean prepareRetry(Exception cause) {
    return true;
  }

  @Override
  public @Nullable Exception onReply(CreateIndexResponse reply, ReplyFrame frame) {
    onCreated.run();
    return null;
  }

  @Override
  public void onFailure(Exception cause) {
    if (isAlreadyExists(ExceptionsHelper.unwrapCause(cause))) {
      onCreated.run();
    } else {
      onFailed.accept(cause);
    }
  }

  /** Whether an index or an alias that the view lacked has the name now. */
  private static boolean isAlreadyExists(Throwable cause) {
    return cause instanceof ResourceAlreadyExistsException
        || (cause instanceof InvalidIndexNameException
            && String.valueOf(cause.getMessage()).contains("already exists as alias"));
  }

  /** The write's items were not sent; the client may retry them. */
  @Override
  public void onUncertain(UncertaintyReason reason, Exception cause) {
    onFailure(cause);
  }

  /** The write's items were not sent, whether the index exists now or not. */
  @Override
  public void onDeadlineExpired(boolean maybeDone) {}

  @Override
  public void onReplan(Exception cause, boolean maybeDone) {
    onFailure(cause);
  }
}
