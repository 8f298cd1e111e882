package dev.weir.core.actions.ingest;

import dev.weir.cluster.ClusterView;
import dev.weir.core.actions.retry.WriteFailureClassifier;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.core.coordinate.write.WriteOperation;
import dev.weir.core.coordinate.write.WriteTarget;
import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestMemory;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.ReplyFrame;
import dev.weir.rest.bulk.FastBulkParser;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.OpenSearchSecurityException;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.discovery.ClusterManagerNotDiscoveredException;

/**
 * Has one node run the pipelines of a bulk's items. Nothing is written meanwhile, so a failed
 * attempt may always be repeated on another node, and without results the bulk may pass through.
 * Used once; confined to the request's event loop.
 */
public final class PipelineOperation implements WriteOperation<PipelineResults> {
  /** The plugin's action, {@code RunPipelinesAction}. */
  static final String ACTION = "indices:data/write/weir/run_pipelines";

  private final IngestPipelines pipelines;
  private final List<DocWriteRequest<?>> items;
  private final RequestContext context;
  private final Duration timeout;

  /** Nodes of attempts that failed. */
  private final Set<String> failedNodes = new HashSet<>();

  private @Nullable String chosenNode;

  /** The node of the attempt in flight. */
  private @Nullable String askedNode;

  private @Nullable PipelineResults results;

  PipelineOperation(
      IngestPipelines pipelines,
      List<DocWriteRequest<?>> items,
      RequestContext context,
      Duration timeout) {
    this.pipelines = pipelines;
    this.items = List.copyOf(items);
    this.context = context;
    this.timeout = timeout;
    context.onEnd(this::endAttempt);
  }

  /** Returns the results; null if no node gave them. */
  public @Nullable PipelineResults results() {
    return results;
  }

  @Override
  public Duration waitTimeout() {
    return timeout;
  }

  /** {@inheritDoc} It stays with a node until an attempt fails there. */
  @Override
  public WriteTarget target(ClusterView view) {
    if (askedNode != null) {
      fail(); // the last attempt was not sent
    }
    List<String> nodes = pipelines.rank(view, context);
    String chosen = chosenNode;
    if (chosen == null || !nodes.contains(chosen)) {
      chosen = nodes.stream().filter(id -> !failedNodes.contains(id)).findFirst().orElse(null);
      chosenNode = chosen;
    }
    return chosen == null
        ? new WriteTarget.Rejected(new ClusterManagerNotDiscoveredException())
        : new WriteTarget.Node(chosen);
  }

  @Override
  public NodeCallType work() {
    return NodeCallType.PIPELINES;
  }

  /** As the node counts it while it runs the pipelines: as coordinating bytes. */
  @Override
  public long bytes() {
    return items.stream().mapToLong(DocWriteRequest::ramBytesUsed).sum();
  }

  @Override
  public NodeCall<PipelineResults> call() {
    String node = chosenNode;
    if (node == null) {
      throw new IllegalStateException("got no node to send to (expected: that of target())");
    }
    if (!failedNodes.isEmpty()) {
      pipelines.counts().recordRetry();
    }
    askedNode = node;
    pipelines.busyNodes().onSend(node);
    return new NodeCall<>(
        ACTION,
        this::write,
        PipelineResults::read,
        ChannelKind.BULK,
        context.transportHeaders(),
        Duration.ZERO);
  }

  /**
   * Writes the plugin's {@code RunPipelinesRequest}: no parent task, the number of items as a vint,
   * and each as {@code DocWriteRequest} writes it.
   */
  private void write(StreamOutput out) throws IOException {
    TaskId.EMPTY_TASK_ID.writeTo(out);
    out.writeVInt(items.size());
    for (DocWriteRequest<?> item : items) {
      DocWriteRequest.writeDocumentRequest(out, item);
    }
  }

  /** {@inheritDoc} A node reports the load of its writes with their responses. */
  @Override
  public NodeSender.@Nullable LoadFeedback<PipelineResults> loadFeedback() {
    return null;
  }

  @Override
  public FailureClass classify(Exception answer) {
    fail();
    if (WriteFailureClassifier.isNodeGone(answer)) {
      return FailureClass.UNCERTAIN;
    }
    FailureClass rejection = WriteFailureClassifier.classifyRejection(answer, ACTION);
    if (rejection != null) {
      return rejection == FailureClass.UNCERTAIN ? rejection : FailureClass.REJECTED;
    }
    if (ExceptionsHelper.unwrap(answer, OpenSearchSecurityException.class) != null) {
      pipelines.onRefusal();
    }
    return FailureClass.FINAL;
  }

  @Override
  public long reportedByteLimit(Exception refusal) {
    return WriteFailureClassifier.reportedByteLimit(refusal);
  }

  @Override
  public boolean prepareRetry(Exception cause) {
    fail();
    return true;
  }

  /**
   * {@inheritDoc}
   *
   * <p>The frame stays until the request ends; it counts in the request's memory. The items are
   * reserved as those of the client were, so that the responses to the writes are prepaid again.
   */
  @Override
  public @Nullable Exception onReply(PipelineResults reply, ReplyFrame frame) {
    endAttempt();
    long bytes = FastBulkParser.bytesFor(reply.items().size());
    RequestMemory memory = context.resources().memory();
    if (reply.items().size() != items.size()
        || memory.tryReserve(RequestMemory.Category.PARSED_BODY, bytes) != null) {
      return null;
    }
    frame.retain();
    context.onEnd(() -> {
      frame.release();
      memory.release(RequestMemory.Category.PARSED_BODY, bytes);
    });
    results = reply;
    pipelines.counts().recordBulk(items.size());
    return null;
  }

  private void fail() {
    if (askedNode != null) {
      failedNodes.add(askedNode);
    }
    chosenNode = null;
    endAttempt();
  }

  private void endAttempt() {
    String asked = askedNode;
    askedNode = null;
    if (asked != null) {
      pipelines.busyNodes().onOutcome(asked);
    }
  }

  @Override
  public void onFailure(Exception cause) {
    fail();
  }

  @Override
  public void onUncertain(UncertaintyReason reason, Exception cause) {
    fail();
  }

  @Override
  public void onDeadlineExpired(boolean maybeDone) {
    endAttempt(); // the bulk reports that nothing was written
  }

  @Override
  public void onReplan(Exception cause, boolean maybeDone) {
    fail();
  }
}
