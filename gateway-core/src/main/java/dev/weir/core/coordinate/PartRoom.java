package dev.weir.core.coordinate;

import dev.weir.admission.queue.NodeBytes;
import dev.weir.model.RequestContext;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that one piece of a write has on its node, from when it is sent until it is answered:
 * where there is no room it waits here, and holds nothing. Given back at the latest when the
 * request is cancelled. Confined to the request's home.
 */
final class PartRoom {
  private final Environment environment;
  private final RequestContext context;
  private NodeBytes.@Nullable Lease lease;
  private Runnable noAlarm = () -> {};
  private boolean guarded;

  PartRoom(Environment environment, RequestContext context) {
    this.environment = environment;
    this.context = context;
  }

  /** What becomes of a piece that wants in. */
  interface Entry {
    /** It has its room; {@code waited} for it, so that the cluster may have changed. */
    void in(boolean waited);

    /** It found none in time. */
    void late(Exception why);
  }

  /**
   * Asks for room. At most one lease is held at a time: what was held before was given back.
   *
   * @param leftNanos for how long it may wait
   */
  void enter(String nodeId, long bytes, long leftNanos, Entry entry) {
    if (bytes == 0) {
      entry.in(false);
      return;
    }
    if (!guarded) {
      guarded = true;
      context.onCancel(this::leave);
    }
    NodeBytes node = environment.flow().bytes(nodeId);
    Waiter waiter = new Waiter(entry);
    NodeBytes.Lease asked = node.take(bytes, waiter);
    lease = asked;
    if (asked.held()) {
      waiter.in(asked, false);
      return;
    }
    noAlarm =
        environment
            .delays()
            .unlessCalledOff(
                Duration.ofNanos(Math.max(0, leftNanos)),
                context::later,
                () -> waiter.late(asked, () -> environment.flow().tooLong(context, node, bytes)));
  }

  /** What hears of a lease that had to wait. */
  private final class Waiter implements Consumer<NodeBytes.Lease> {
    private final Entry entry;
    private boolean over;

    Waiter(Entry entry) {
      this.entry = entry;
    }

    /** On any thread. */
    @Override
    public void accept(NodeBytes.Lease held) {
      try {
        context.later(() -> in(held, true));
      } catch (RuntimeException closing) {
        held.close(); // nobody is left at home
      }
    }

    void in(NodeBytes.Lease held, boolean waited) {
      if (!over && lease == held) {
        over = true;
        noAlarm.run();
        entry.in(waited);
      }
    }

    void late(NodeBytes.Lease asked, Supplier<Exception> why) {
      if (!over && lease == asked) {
        over = true;
        Exception measured = why.get();
        leave();
        entry.late(measured);
      }
    }
  }

  /** The node has answered. */
  void answered() {
    end(NodeBytes.Lease::answered);
  }

  /** The node refused it. */
  void refused(long nodesLimit) {
    end(held -> held.refused(nodesLimit));
  }

  /** It is no longer under way, or does not want in any more. */
  void leave() {
    end(NodeBytes.Lease::close);
  }

  private void end(Consumer<NodeBytes.Lease> how) {
    noAlarm.run();
    NodeBytes.Lease held = lease;
    lease = null;
    if (held != null) {
      how.accept(held);
    }
  }
}
