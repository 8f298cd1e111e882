package dev.weir.bluegreen.shadow;

import dev.weir.config.policy.ShadowPolicy;
import dev.weir.model.ForwardingExchange;
import dev.weir.model.HttpExchange;
import dev.weir.model.HttpReply;
import dev.weir.model.RequestHandler;
import dev.weir.model.StreamedReply;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Has some of the reads of a cluster repeated on another one, after they were answered. What it
 * copies, it copies while the cluster works (the request) and once the client's answer was handed
 * over (the answer). Safe on any thread.
 */
public final class Shadowing implements RequestHandler {
  private final Whose whose;
  private final RequestHandler next;
  private final ShadowPolicy policy;
  private final ShadowDesk desk;

  /**
   * Whose reads they are.
   *
   * @param cluster the name of the one that answers clients
   * @param policy the name of the policy that they go by; empty for the one of the whole gateway
   */
  public record Whose(String cluster, String policy) {}

  /**
   * Makes it.
   *
   * @param next has them answered
   * @param policy says which are repeated where
   */
  public Shadowing(Whose whose, RequestHandler next, ShadowPolicy policy, ShadowDesk desk) {
    this.whose = whose;
    this.next = next;
    this.policy = policy;
    this.desk = desk;
  }

  @Override
  public void handle(HttpExchange exchange) {
    ReadKind kind =
        policy.to().isEmpty() || policy.to().equals(whose.cluster()) || exchange.sections() != null
            ? null
            : ReadKind.of(exchange.method(), exchange.uri());
    ShadowDesk.Way way =
        kind == null || !desk.draws(policy)
            ? null
            : desk.choose(policy, exchange.askedUri(), exchange.body().remaining());
    if (kind == null || way == null) {
      next.handle(exchange);
      return;
    }
    Watched watched =
        new Watched(exchange, new Asked(kind, policy, whose, way, By.EITHER), desk.now());
    try {
      next.handle(watched);
    } catch (RuntimeException | Error e) {
      watched.forget(Shed.FAILED);
      throw e;
    }
    watched.keep();
  }

  /**
   * A read that was chosen, and where it is repeated.
   *
   * @param by who answers it there
   */
  record Asked(ReadKind kind, ShadowPolicy policy, Whose whose, ShadowDesk.Way way, By by) {
    Asked by(By other) {
      return new Asked(kind, policy, whose, way, other);
    }
  }

  /** Who answers a read on the other cluster. */
  enum By {
    /** The gateway, or a node where only one can. */
    EITHER,
    /** The gateway: a node's answer would have another form. */
    GATEWAY,
    /** A node, as on the first cluster. */
    NODE
  }

  /** A read whose answer is going to be compared. Its lock is held for copying the request. */
  private final class Watched extends ForwardingExchange {
    private final HttpExchange client;
    private final Asked asked;
    private final long begunNanos;
    private @Nullable KeptRequest kept;
    private boolean over;
    private boolean lost;

    Watched(HttpExchange client, Asked asked, long begunNanos) {
      super(client);
      this.client = client;
      this.asked = asked;
      this.begunNanos = begunNanos;
    }

    /** Copies the request, unless that was done or it is over; its body is there until then. */
    synchronized void keep() {
      if (!over && kept == null) {
        kept = desk.keep(client, asked.way().to());
        over = kept == null;
      }
    }

    /** The request, to be repeated; null where it is not. Ends it. */
    private synchronized @Nullable KeptRequest take() {
      keep();
      over = true;
      KeptRequest taken = kept;
      kept = null;
      return taken;
    }

    private synchronized @Nullable KeptRequest end() {
      over = true;
      KeptRequest held = kept;
      kept = null;
      return held;
    }

    private void giveBack(@Nullable KeptRequest held) {
      if (held != null) {
        desk.giveBack(held);
      }
    }

    /** It is not repeated. */
    void forget(Shed why) {
      boolean first;
      KeptRequest held;
      synchronized (this) {
        first = !over;
        held = end();
      }
      giveBack(held);
      if (first) {
        desk.report().shed(why);
      }
    }

    /** It can't be compared. */
    private void incomparable(Verdict.Reason why) {
      giveBack(end());
      desk.report().incomparable(asked.kind(), why);
    }

    @Override
    public void lostNodes() {
      lost = true;
      super.lostNodes();
    }

    @Override
    public void respond(HttpReply reply) {
      if (lost) {
        incomparable(Verdict.Reason.LOST_NODES);
        super.respond(reply);
        return;
      }
      if (SeenAnswer.refuses(reply.status())) {
        forget(Shed.REFUSED);
        super.respond(reply);
        return;
      }
      KeptRequest request = take();
      if (request == null) {
        super.respond(reply);
        return;
      }
      long took = desk.now() - begunNanos;
      AtomicInteger readers = new AtomicInteger(2);
      Runnable read =
          () -> {
            if (readers.decrementAndGet() == 0) {
              reply.onReleased().run();
            }
          };
      try {
        super.respond(
            new HttpReply(
                reply.status(), reply.contentType(), reply.headers(), reply.body(), read));
      } finally {
        desk.answered(
            OwnForm.of(request, reply) ? asked.by(By.GATEWAY) : asked, request, reply, took);
        read.run();
      }
    }

    @Override
    public void respond(StreamedReply reply) {
      incomparable(Verdict.Reason.LONG_ANSWER);
      super.respond(reply);
    }

    @Override
    public void passThrough(String reason) {
      if (policy.passThrough()) {
        giveBack(end()); // it may be chosen once more on its way to a node
      } else {
        incomparable(Verdict.Reason.PASSED_THROUGH);
      }
      super.passThrough(reason);
    }

    @Override
    public void drop() {
      forget(Shed.GONE);
      super.drop();
    }
  }
}
