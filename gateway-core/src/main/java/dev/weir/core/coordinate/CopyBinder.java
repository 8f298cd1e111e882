package dev.weir.core.coordinate;

import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Says, when a shard is going to be asked, which of the copies that are as good as each other gets
 * the request; or lets the request wait until one of them has room. Safe on any thread.
 */
public interface CopyBinder {
  /** A request's place, as it was when it was told of. Used on the request's home. */
  interface Binding {
    /** The node to send to now; null while the request waits. */
    @Nullable String nodeId();

    /** Says that the request is sent now; false when it was given up. */
    boolean tryMarkSent();

    /** Gives the place up; does nothing once the request was sent. */
    void release();
  }

  /** A request that goes at once. */
  record ImmediateBinding(String nodeId) implements Binding {
    @Override
    public boolean tryMarkSent() {
      return true;
    }

    @Override
    public void release() {
      // nothing is kept for it
    }
  }

  /** Takes the first copy, always at once. */
  CopyBinder FIRST_COPY =
      new CopyBinder() {
        @Override
        public Binding bind(BindingRequest offer, RequestContext context, Consumer<Binding> bound) {
          return new ImmediateBinding(offer.copies().getFirst().nodeId());
        }

        @Override
        public @Nullable String selectNow(
            BindingRequest offer, RequestPolicy policy, Predicate<String> may) {
          String first = offer.copies().getFirst().nodeId();
          return may.test(first) ? first : null;
        }
      };

  /**
   * A request that is to be bound.
   *
   * @param copies at least one, as the selector ordered them
   * @param isFreshlyRanked whether they were ordered just now, so that the first may be there to be
   *     tried out
   */
  record BindingRequest(List<ShardCopy> copies, NodeCallType work, boolean isFreshlyRanked) {}

  /**
   * Takes a request.
   *
   * @param context whose home the request is on
   * @param bound hears once of a request that waits, in a task of its own on its home, when it is
   *     bound to a node; not after it has left
   */
  Binding bind(BindingRequest offer, RequestContext context, Consumer<Binding> bound);

  /**
   * Chooses for a request that must not go to some of its nodes now.
   *
   * @param policy that it goes by
   * @param may which nodes it may go to
   * @return null when it had better come again, once it may go to others; nothing is kept for it
   */
  @Nullable String selectNow(BindingRequest offer, RequestPolicy policy, Predicate<String> may);
}
