package dev.weir.gateway.coordinate;

import dev.weir.gateway.cluster.ClusterView;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeFailure;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Gets one piece of a write done, once: finds the node, sends, and decides after a failure.
 *
 * <pre>
 *            +----------- a new view ------------+
 *            v                                   |
 *   route --Node--> sent --not sent, unsure--> waiting --out of patience--> failed
 *     |  \            |  \--stale--> a new view: given back; the same: failed
 *     |   NotYet -----|----------------------> waiting
 *   Never, Gone       +--answer--> answered; final error, timeout, malformed--> failed
 *                       +--no room for the answer--> unread
 * </pre>
 *
 * A piece that a node may have done is sent again only as far as {@link WritePart#prepareRepeat}
 * allows; after a timeout never. Confined to the request's home.
 */
final class PartCall<R> implements ReplyHandler<R> {
  private static final int TOO_MANY_REQUESTS = 429;

  private final Environment environment;
  private final RequestContext context;
  private final WritePart<R> part;
  private final Runnable onOver;
  private final ViewWait wait;
  private @Nullable ClusterView view;
  private boolean confirmed;
  private boolean underWay;
  private boolean maybeDone;
  private boolean over;

  /**
   * Makes a call.
   *
   * @param onOver runs once when the piece has been answered, has failed or was given back
   */
  PartCall(Environment environment, RequestContext context, WritePart<R> part, Runnable onOver) {
    this.environment = environment;
    this.context = context;
    this.part = part;
    this.onOver = onOver;
    this.wait = new ViewWait(environment, context, part.patience());
  }

  void start(ClusterView planned) {
    route(planned);
  }

  private void route(ClusterView current) {
    view = current;
    switch (part.target(current)) {
      case WriteTarget.Node(String nodeId) -> {
        underWay = true;
        environment
            .sender()
            .send(nodeId, part.work(), part.call(), context, part.piggyback(), this);
      }
      case WriteTarget.NotYet(Exception why) -> again(why, false);
      case WriteTarget.Never(Exception why) -> confirm(why);
      case WriteTarget.Gone() ->
          giveBack(
              new IllegalStateException(
                  "got an index that is gone (expected: there until the piece is sent)"));
    }
  }

  @Override
  public void onReply(R reply, ReplyFrame frame) {
    if (over) {
      return; // the deadline has passed
    }
    part.answered(reply, frame);
    over();
  }

  /** The request's deadline has passed, and what is under way was forgotten. */
  void expire() {
    if (!over) {
      over = true;
      part.expired(underWay || maybeDone);
    }
  }

  private void over() {
    over = true;
    onOver.run();
  }

  @Override
  public void onFailure(NodeFailure failure) {
    if (over) {
      return;
    }
    Exception why = failure.exception();
    underWay = false;
    switch (failure.kind()) {
      case NOT_SENT -> {
        if (failure.status() == TOO_MANY_REQUESTS) {
          noRoom(why);
        } else {
          again(why, true);
        }
      }
      case CONNECTION_LOST -> repeat(why);
      case TIMED_OUT, MALFORMED -> fail(why);
      case OVER_BUDGET -> {
        part.unread(why);
        over();
      }
      case REMOTE -> {
        switch (part.judge(why)) {
          case FINAL -> fail(why);
          case UNSURE -> repeat(why);
          case NOT_YET -> again(why, true);
          case STALE -> stale(why);
        }
      }
    }
  }

  /**
   * It was not sent because too much waits to be; an attempt before this one may have been done.
   */
  private void noRoom(Exception why) {
    if (maybeDone) {
      part.lost(why);
      over();
    } else {
      fail(why);
    }
  }

  private void repeat(Exception why) {
    maybeDone = true;
    if (part.prepareRepeat(why)) {
      again(why, true);
    } else {
      over();
    }
  }

  private void again(Exception why, boolean sameViewWillDo) {
    if (wait.isOver()) {
      fail(why);
    } else {
      wait.next(planned(), sameViewWillDo, this::route);
    }
  }

  /** The view forbids it: it is read anew once before the client is told so. */
  private void confirm(Exception why) {
    if (confirmed) {
      fail(why);
    } else {
      confirmed = true;
      refresh((before, now) -> route(now));
    }
  }

  /** The node does not know what the view says it has: one of them is behind. */
  private void stale(Exception why) {
    refresh((before, now) -> {
      if (now.sameStateAs(before)) {
        fail(why);
      } else {
        giveBack(why);
      }
    });
  }

  private void refresh(BiConsumer<ClusterView, ClusterView> then) {
    ClusterView before = planned();
    environment
        .views()
        .refresh(before)
        .thenAcceptAsync(
            now -> {
              if (context.cancelReason() == null) {
                then.accept(before, now);
              }
            },
            context::later);
  }

  private void fail(Exception why) {
    part.failed(why);
    over();
  }

  private void giveBack(Exception why) {
    part.givenBack(why);
    over();
  }

  private ClusterView planned() {
    if (view == null) {
      throw new IllegalStateException("got a failure before a view (expected: start first)");
    }
    return view;
  }
}
