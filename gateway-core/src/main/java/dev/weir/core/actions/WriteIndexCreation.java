package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.core.coordinate.WritePart;
import dev.weir.core.coordinate.WriteTarget;
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
 * The creation of an index that a write names and nobody created: goes to the elected cluster
 * manager (or to any node, which forwards it). Creating twice is harmless: that the index exists
 * already is what was wanted.
 */
final class WriteIndexCreation implements WritePart<CreateIndexResponse> {
  private final ActionType<CreateIndexResponse> action;
  private final CreateIndexRequest request;
  private final RequestContext context;
  private final Runnable onCreated;
  private final Consumer<Exception> onFailed;

  /**
   * Makes a creation.
   *
   * @param action the transport action that creates
   */
  WriteIndexCreation(
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
  public Duration patience() {
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
        .orElseGet(() -> new WriteTarget.NotYet(new ClusterManagerNotDiscoveredException()));
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
  public NodeSender.@Nullable Piggyback<CreateIndexResponse> piggyback() {
    return null;
  }

  @Override
  public Verdict judge(Exception answer) {
    return WriteVerdicts.isNodeGone(answer) ? Verdict.UNSURE : Verdict.FINAL;
  }

  @Override
  public boolean prepareRepeat(Exception why) {
    return true;
  }

  @Override
  public @Nullable Exception answered(CreateIndexResponse reply, ReplyFrame frame) {
    onCreated.run();
    return null;
  }

  @Override
  public void failed(Exception why) {
    if (exists(ExceptionsHelper.unwrapCause(why))) {
      onCreated.run();
    } else {
      onFailed.accept(why);
    }
  }

  /**
   * Whether the name is taken by now: by an index, or by an alias that the view did not know yet.
   */
  private static boolean exists(Throwable why) {
    return why instanceof ResourceAlreadyExistsException
        || (why instanceof InvalidIndexNameException
            && String.valueOf(why.getMessage()).contains("already exists as alias"));
  }

  /** What it was for was not sent; it may be sent again. */
  @Override
  public void doubtful(Doubt doubt, Exception why) {
    failed(why);
  }

  /** What it was for was not sent, whether there is an index by now or not. */
  @Override
  public void expired(boolean maybeDone) {}

  @Override
  public void givenBack(Exception why, boolean maybeDone) {
    failed(why);
  }
}
