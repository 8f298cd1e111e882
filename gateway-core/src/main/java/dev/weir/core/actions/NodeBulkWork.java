package dev.weir.core.actions;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViews;
import dev.weir.core.coordinate.NodeSender;
import dev.weir.core.coordinate.WritePart;
import dev.weir.core.coordinate.WriteStep;
import dev.weir.core.coordinate.WriteTarget;
import dev.weir.core.coordinate.WriteWork;
import dev.weir.core.reduce.BulkItems;
import dev.weir.model.RequestContext;
import dev.weir.model.Work;
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
 * items to their shards. It is sent again only as long as no node can have begun with it: what a
 * node makes of it, ids above all, is not known. Confined to the request's home.
 */
final class NodeBulkWork implements WriteWork {
  private final DocumentTools tools;
  private final BulkRequest bulk;
  private final RequestContext context;
  private final ActionListener<BulkResponse> listener;
  private final Part part = new Part();
  private @Nullable BulkResponse response;

  NodeBulkWork(
      DocumentTools tools,
      BulkRequest bulk,
      RequestContext context,
      ActionListener<BulkResponse> listener) {
    this.tools = tools;
    this.bulk = bulk;
    this.context = context;
    this.listener = listener;
  }

  @Override
  public Duration patience() {
    return Duration.ofNanos(bulk.timeout().nanos());
  }

  @Override
  public WriteStep plan(ClusterView view, Certainty certainty) {
    return new WriteStep.Send(response == null ? List.of(part) : List.of());
  }

  /**
   * {@inheritDoc}
   *
   * <p>What the client asks next goes by a view that has the indices which the node created.
   */
  @Override
  public void finished() {
    BulkResponse done = response;
    if (done == null) {
      return;
    }
    ClusterViews views = tools.environment().views();
    ClusterView view = views.current();
    if (hasIndices(view, done)) {
      listener.onResponse(done);
    } else {
      views
          .refresh(view)
          .whenComplete((fresh, failure) -> context.later(() -> listener.onResponse(done)));
    }
  }

  /** Whether a view has every index that something was written to. */
  private static boolean hasIndices(ClusterView view, BulkResponse done) {
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
  public void expired() {
    if (response == null) {
      failAll(
          DeadlineExceededException.writing(context.deadline(), DeadlineExceededException.Done.NO));
    }
    finished();
  }

  @Override
  public void failed(Exception why) {
    listener.onFailure(why);
  }

  private void failAll(Exception why) {
    response = BulkItems.allFailed(bulk, tools.environment().nanoClock(), why);
  }

  /** All of it. */
  private final class Part implements WritePart<BulkResponse> {
    /** How often it was sent: each attempt goes to another node. */
    private int attempts;

    @Override
    public Duration patience() {
      return NodeBulkWork.this.patience();
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
        return new WriteTarget.NotYet(new ClusterManagerNotDiscoveredException());
      }
      int next = Math.floorMod(context.taskId() + attempts, nodes.size());
      return new WriteTarget.Node(nodes.get(next));
    }

    @Override
    public Work work() {
      return Work.writing(bulk.numberOfActions());
    }

    /** As the node counts it while it carries the bulk out: as coordinating bytes. */
    @Override
    public long bytes() {
      return bulk.ramBytesUsed();
    }

    @Override
    public NodeCall<BulkResponse> call() {
      attempts++;
      bulk.timeout(
          TimeLeft.least(bulk.timeout(), context.deadline(), tools.environment().nanoClock()));
      return new NodeCall<>(
          BulkAction.NAME,
          bulk,
          BulkResponse::new,
          ChannelKind.BULK,
          context.transportHeaders(),
          Duration.ZERO);
    }

    @Override
    public NodeSender.@Nullable Piggyback<BulkResponse> piggyback() {
      return null;
    }

    @Override
    public Verdict judge(Exception answer) {
      return WriteVerdicts.isNodeGone(answer) ? Verdict.UNSURE : Verdict.FINAL;
    }

    @Override
    public boolean prepareRepeat(Exception why) {
      failAll(OutcomeUnknownException.of(Doubt.LOST, why));
      return false;
    }

    @Override
    public @Nullable Exception answered(BulkResponse reply, ReplyFrame frame) {
      frame.retain(); // the answers to updates may have documents in it
      context.onEnd(frame::release);
      response = reply;
      return null;
    }

    @Override
    public void failed(Exception why) {
      failAll(why);
    }

    @Override
    public void doubtful(Doubt doubt, Exception why) {
      failAll(OutcomeUnknownException.of(doubt, why));
    }

    @Override
    public void expired(boolean maybeDone) {
      if (maybeDone) {
        failAll(
            DeadlineExceededException.writing(
                context.deadline(), DeadlineExceededException.Done.UNKNOWN));
      } // else the work says that it was not sent
    }

    @Override
    public void givenBack(Exception why, boolean maybeDone) {
      failAll(maybeDone ? OutcomeUnknownException.of(Doubt.LOST, why) : why);
    }
  }
}
