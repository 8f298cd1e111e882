package dev.weir.gateway.coordinate;

import dev.weir.gateway.cluster.ClusterView;
import dev.weir.model.Phase;
import dev.weir.model.RequestContext;
import dev.weir.model.ShardCopy;
import dev.weir.protocol.NodeFailure;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads from one shard: asks its copies in order until one answers. When all are exhausted because
 * the view of the cluster was behind, it is read anew and the new copies are asked, once. Of
 * several failures the last one that says more than that a copy is missing is told, as a node does.
 *
 * <pre>
 *   Planning --Copies--> Asking(0) --failure--> Asking(1) .. --exhausted--> Refreshing, once
 *   Planning --Impossible--> Refreshing, once --> Planning
 *   Asking --answer--> Done
 * </pre>
 *
 * Confined to the request's home.
 */
public final class ReadCoordinator<R> implements ReplyHandler<R> {
  private final Environment environment;
  private final RequestContext context;
  private final ReadWork<R> work;
  private State state = new Planning();
  private @Nullable Exception lastFailure;
  private boolean unreachable;
  private boolean refreshed;

  private sealed interface State {}

  private record Planning() implements State {}

  private record Asking(ClusterView view, List<ShardCopy> copies, int at) implements State {}

  private record Refreshing() implements State {}

  private record Done() implements State {}

  /** Makes a coordinator of one read. */
  public ReadCoordinator(Environment environment, RequestContext context, ReadWork<R> work) {
    this.environment = environment;
    this.context = context;
    this.work = work;
  }

  /** Starts; the work hears one of {@code answered}, {@code exhausted} and {@code failed}, once. */
  public void start() {
    plan(environment.views().current());
  }

  private void plan(ClusterView view) {
    state = new Planning();
    switch (work.plan(view)) {
      case ReadPlan.Copies(List<ShardCopy> copies) -> ask(new Asking(view, copies, 0));
      case ReadPlan.Impossible(Exception why) -> {
        if (refreshed) {
          fail(why);
        } else {
          refresh(view);
        }
      }
      case ReadPlan.Refused(Exception why) -> fail(why);
    }
  }

  private void ask(Asking asking) {
    state = asking;
    if (asking.at < asking.copies.size()) {
      environment
          .sender()
          .send(asking.copies.get(asking.at).nodeId(), Phase.GET, work.call(), context, null, this);
    } else if (!refreshed && mayBeBehind()) {
      refresh(asking.view);
    } else {
      state = new Done();
      work.exhausted(lastFailure);
    }
  }

  private void fail(Exception why) {
    state = new Done();
    work.failed(why);
  }

  private boolean mayBeBehind() {
    return unreachable || lastFailure == null || work.isCopyMissing(lastFailure);
  }

  private void refresh(ClusterView view) {
    refreshed = true;
    lastFailure = null;
    state = new Refreshing();
    environment
        .views()
        .refresh(view)
        .thenAcceptAsync(
            now -> {
              if (context.cancelReason() == null) {
                plan(now);
              }
            },
            context::later);
  }

  @Override
  public void onReply(R reply, ReplyFrame frame) {
    state = new Done();
    work.answered(reply, frame);
  }

  @Override
  public void onFailure(NodeFailure failure) {
    if (!(state instanceof Asking asking)) {
      throw new IllegalStateException("got a node's failure in " + state + " (expected: Asking)");
    }
    Exception why = failure.exception();
    unreachable |= failure.kind() != NodeFailure.Kind.REMOTE;
    if (lastFailure == null || !work.isCopyMissing(why)) {
      lastFailure = why;
    }
    ask(new Asking(asking.view, asking.copies, asking.at + 1));
  }
}
