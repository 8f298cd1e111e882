package dev.weir.core.coordinate;

import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets a request in when the nodes that it needs have room for it, all at once; until then it waits
 * here and holds nothing on any node. Safe on any thread.
 */
public interface AdmissionGate {
  /** Lets everything in. */
  AdmissionGate ADMIT_ALL =
      new AdmissionGate() {
        @Override
        public boolean canAdmitImmediately(NodeCallType work, String nodeId) {
          return true;
        }

        @Override
        public boolean hasCapacity(NodeCallType work, String nodeId) {
          return true;
        }

        @Override
        public AdmissionHandle requestAdmission(
            AdmissionRequest asked, RequestContext context, Consumer<AdmissionHandle> told) {
          return ADMITTED;
        }
      };

  /** How a request stands that asked to be let in. Used on the request's home. */
  interface AdmissionHandle {
    /** Whether it waits. */
    boolean isWaiting();

    /** Why it is refused; null when it is not. */
    @Nullable Exception rejection();

    /**
     * It waits no longer; or what was let in has sent its calls, so that no room need be kept for
     * it. Does nothing the second time.
     */
    void release();
  }

  /** A request that is let in, and nothing is kept for it. */
  AdmissionHandle ADMITTED =
      new AdmissionHandle() {
        @Override
        public boolean isWaiting() {
          return false;
        }

        @Override
        public @Nullable Exception rejection() {
          return null;
        }

        @Override
        public void release() {
          // nothing is kept for it
        }
      };

  /**
   * What a request asks for.
   *
   * @param nodeIdsByCall for each call the nodes that it may go to
   * @param work what the most costly of them asks of a node
   */
  record AdmissionRequest(List<List<String>> nodeIdsByCall, NodeCallType work) {}

  /** Whether nothing waits of the kind, and a node has room for one more call. */
  boolean canAdmitImmediately(NodeCallType work, String nodeId);

  /** Whether a node has room for one more call. */
  boolean hasCapacity(NodeCallType work, String nodeId);

  /**
   * Asks to be let in.
   *
   * @param context of the request, whose home this is
   * @param told hears once of a request that waits, in a task of its own on its home, when it is
   *     let in or refused; not after it has left
   */
  AdmissionHandle requestAdmission(
      AdmissionRequest asked, RequestContext context, Consumer<AdmissionHandle> told);
}
