package dev.weir.gateway.coordinate;

import dev.weir.model.RequestContext;
import dev.weir.model.ShardCopy;
import dev.weir.model.Work;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Says, when a shard is going to be asked, which of the copies that are as good as each other gets
 * the request; or lets the request wait until one of them has room. Safe on any thread.
 */
public interface Binder {
  /** A request's place. Used on the request's home. */
  interface Binding {
    /** The node to send to now; null while the request waits. */
    @Nullable String nodeId();

    /** Says that the request is sent now; false when it was given up. */
    boolean sending();

    /** Gives the place up; does nothing once the request was sent. */
    void leave();
  }

  /** Takes the first copy, always at once. */
  Binder FIRST =
      (copies, work, context, bound) ->
          new Binding() {
            @Override
            public String nodeId() {
              return copies.getFirst().nodeId();
            }

            @Override
            public boolean sending() {
              return true;
            }

            @Override
            public void leave() {}
          };

  /**
   * Takes a request.
   *
   * @param copies at least one, as the selector ordered them
   * @param context whose home the request is on
   * @param bound hears once of a request that waits, in a task of its own on its home, when it is
   *     bound to a node; not after it has left
   */
  Binding bind(List<ShardCopy> copies, Work work, RequestContext context, Consumer<Binding> bound);
}
