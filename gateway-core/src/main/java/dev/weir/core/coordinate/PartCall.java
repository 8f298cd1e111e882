package dev.weir.core.coordinate;

import dev.weir.cluster.ClusterView;
import dev.weir.core.coordinate.WritePart.Doubt;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeFailure;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Gets one piece of a write done, once: finds the node, waits until that has room for its bytes,
 * sends, and decides after a failure.
 *
 * <pre>
 *            +----------- a new view, or a pause ------------+
 *            v                                               |
 *   route --Node--> room --> sent --not sent, unsure------> waiting --out of patience--> failed
 *     |  \                    |  \--refused, in part-----> pausing --often enough------> failed
 *     |   \                   |   \--stale--> a new view: given back; the same: failed
 *     |   NotYet -------------|---------------------------> waiting
 *   Never, Gone               +--answer--> answered; final error--> failed
 *                             +--timeout, malformed, no room for the answer--> doubtful
 * </pre>
 *
 * A piece that a node may have done is sent again only as far as {@link WritePart#prepareRepeat}
 * allows, and is doubtful where it would have failed; after a timeout it is never sent again. While
 * it waits or pauses it holds nothing on any node. Confined to the request's home.
 */
final class PartCall<R> implements ReplyHandler<R> {
  private static final int TOO_MANY_REQUESTS = 429;

  private final Environment environment;
  private final RequestContext context;
  private final WritePart<R> part;
  private final Runnable onOver;
  private final ViewWait wait;
  private final PartRoom room;
  private final Pauses pauses;
  private @Nullable ClusterView view;

  /** Why a node refused all of it, while it pauses for that. */
  private @Nullable Exception refused;

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
    this.room = new PartRoom(environment, context);
    this.pauses = environment.flow().pauses();
  }

  void start(ClusterView planned) {
    route(planned);
  }

  private void route(ClusterView current) {
    view = current;
    switch (part.target(current)) {
      case WriteTarget.Node(String nodeId) ->
          room.enter(nodeId, part.bytes(), wait.leftNanos(), entry(nodeId));
      case WriteTarget.NotYet(Exception why) -> again(why, false);
      case WriteTarget.Never(Exception why) -> confirm(why);
      case WriteTarget.Gone() ->
          giveBack(
              new IllegalStateException(
                  "got an index that is gone (expected: there until the piece is sent)"));
    }
  }

  private PartRoom.Entry entry(String nodeId) {
    return new PartRoom.Entry() {
      @Override
      public void in(boolean waited) {
        if (waited && hasMovedFrom(nodeId)) {
          room.leave();
          route(planned());
        } else {
          send(nodeId);
        }
      }

      @Override
      public void late(Exception why) {
        giveUp(why);
      }
    };
  }

  /** Whether by the newest view it goes elsewhere, or nowhere. */
  private boolean hasMovedFrom(String nodeId) {
    ClusterView now = environment.views().current();
    if (now.sameStateAs(planned())) {
      return false;
    }
    view = now;
    return !(part.target(now) instanceof WriteTarget.Node(String other)) || !other.equals(nodeId);
  }

  private void send(String nodeId) {
    underWay = true;
    refused = null;
    environment.sender().send(nodeId, part.work(), part.call(), context, part.piggyback(), this);
  }

  @Override
  public void onReply(R reply, ReplyFrame frame) {
    if (over) {
      return; // the deadline has passed
    }
    underWay = false;
    room.answered();
    Exception left = part.answered(reply, frame);
    if (left == null || !pause(WriteFlow.Again.ITEMS)) {
      over();
    }
  }

  /** The request's deadline has passed, and what is under way was forgotten. */
  void expire() {
    if (!over) {
      over = true;
      room.leave();
      boolean unknown = underWay || maybeDone;
      if (refused != null && !unknown) {
        part.failed(refused);
      } else {
        part.expired(unknown);
      }
    }
  }

  private void over() {
    over = true;
    room.leave();
    onOver.run();
  }

  @Override
  public void onFailure(NodeFailure failure) {
    if (over) {
      return;
    }
    Exception why = failure.exception();
    underWay = false;
    if (failure.kind() == NodeFailure.Kind.REMOTE) {
      judged(part.judge(why), why);
      return;
    }
    room.leave();
    switch (failure.kind()) {
      case NOT_SENT -> {
        if (failure.status() != TOO_MANY_REQUESTS) {
          again(why, true);
        } else if (!pause(WriteFlow.Again.NOT_SENT)) {
          giveUp(why);
        }
      }
      case CONNECTION_LOST -> repeat(why);
      case TIMED_OUT -> doubt(Doubt.UNANSWERED, why);
      case MALFORMED -> doubt(Doubt.UNREADABLE, why);
      case OVER_BUDGET -> doubt(Doubt.NO_ROOM, why);
      case REMOTE -> throw new IllegalStateException("got REMOTE (expected: it was judged)");
    }
  }

  private void judged(WritePart.Verdict verdict, Exception why) {
    switch (verdict) {
      case REFUSED -> room.refused(part.limitSaid(why));
      case REFUSED_WITHIN, FINAL, UNSURE, NOT_YET, STALE -> room.answered();
    }
    switch (verdict) {
      case FINAL -> {
        if (maybeDone) {
          doubt(Doubt.REPEAT_FAILED, why);
        } else {
          fail(why);
        }
      }
      case UNSURE -> repeat(why);
      case NOT_YET -> again(why, true);
      case STALE -> stale(why);
      case REFUSED -> refused(why);
      case REFUSED_WITHIN -> {
        if (part.prepareRepeat(why)) {
          refused(why);
        } else {
          over();
        }
      }
    }
  }

  private void refused(Exception why) {
    refused = why;
    if (!pause(WriteFlow.Again.REJECTED)) {
      giveUp(why);
    }
  }

  /** Has it sent again after a while; says whether that may be. */
  private boolean pause(WriteFlow.Again why) {
    long left = context.deadline().leftNanos(environment.nanoClock().getAsLong());
    Duration pause = pauses.next(Math.min(left, wait.leftNanos()));
    if (pause == null) {
      environment.flow().gaveUp();
      return false;
    }
    environment.flow().sentAgain(why);
    environment.delays().after(pause, context::later, this::resume);
    return true;
  }

  private void resume() {
    if (!over && context.cancelReason() == null) {
      route(environment.views().current());
    }
  }

  /** It can't be sent again; an attempt before this one may have been done. */
  private void giveUp(Exception why) {
    if (maybeDone) {
      doubt(Doubt.LOST, why);
    } else {
      fail(why);
    }
  }

  private void doubt(Doubt doubt, Exception why) {
    part.doubtful(doubt, why);
    over();
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
      giveUp(why);
    } else {
      wait.next(planned(), sameViewWillDo, this::route);
    }
  }

  /** The view forbids it: it is read anew once before the client is told so. */
  private void confirm(Exception why) {
    if (confirmed) {
      giveUp(why);
    } else {
      confirmed = true;
      refresh((before, now) -> route(now));
    }
  }

  /** The node does not know what the view says it has: one of them is behind. */
  private void stale(Exception why) {
    refresh((before, now) -> {
      if (now.sameStateAs(before)) {
        giveUp(why);
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
    part.givenBack(why, maybeDone);
    over();
  }

  private ClusterView planned() {
    if (view == null) {
      throw new IllegalStateException("got a failure before a view (expected: start first)");
    }
    return view;
  }
}
