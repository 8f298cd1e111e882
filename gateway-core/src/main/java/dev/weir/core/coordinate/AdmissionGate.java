package dev.weir.core.coordinate;

import dev.weir.model.RequestContext;
import dev.weir.model.Work;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets a request in when the nodes that it needs have room for it, all at once; until then it waits
 * here and holds nothing on any node. Safe on any thread.
 */
public interface AdmissionGate {
  /** Lets everything in. */
  AdmissionGate OPEN =
      new AdmissionGate() {
        @Override
        public boolean atOnce(Work work, String nodeId) {
          return true;
        }

        @Override
        public boolean hasRoom(Work work, String nodeId) {
          return true;
        }

        @Override
        public Entry ask(Asked asked, RequestContext context, Consumer<Entry> told) {
          return IN;
        }
      };

  /** How a request stands that asked to be let in. Used on the request's home. */
  interface Entry {
    /** Whether it waits. */
    boolean waits();

    /** Why it is refused; null when it is not. */
    @Nullable Exception refusal();

    /**
     * It waits no longer; or what was let in has sent its calls, so that no room need be kept for
     * it. Does nothing the second time.
     */
    void leave();
  }

  /** A request that is let in, and nothing is kept for it. */
  Entry IN =
      new Entry() {
        @Override
        public boolean waits() {
          return false;
        }

        @Override
        public @Nullable Exception refusal() {
          return null;
        }

        @Override
        public void leave() {
          // nothing is kept for it
        }
      };

  /**
   * What a request asks for.
   *
   * @param calls for each call the nodes that it may go to
   * @param work what the most costly of them asks of a node
   */
  record Asked(List<List<String>> calls, Work work) {}

  /** Whether nothing waits of the kind, and a node has room for one more call. */
  boolean atOnce(Work work, String nodeId);

  /** Whether a node has room for one more call. */
  boolean hasRoom(Work work, String nodeId);

  /**
   * Asks to be let in.
   *
   * @param context of the request, whose home this is
   * @param told hears once of a request that waits, in a task of its own on its home, when it is
   *     let in or refused; not after it has left
   */
  Entry ask(Asked asked, RequestContext context, Consumer<Entry> told);
}
