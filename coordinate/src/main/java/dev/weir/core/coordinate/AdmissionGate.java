package dev.weir.core.coordinate;

import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Admits a request when every node that it needs has capacity for it. Until then the request waits
 * here and holds no capacity on any node. Safe on any thread.
 */
public interface AdmissionGate {
  /** Admits every request. */
  AdmissionGate ADMIT_ALL =
      new AdmissionGate() {
        @Override
        public boolean canAdmitImmediately(
            NodeCallType work, String nodeId, int calls, RequestContext context) {
          return true;
        }

        @Override
        public boolean hasCapacity(NodeCallType work, String nodeId, RequestContext context) {
          return true;
        }

        @Override
        public AdmissionHandle requestAdmission(
            AdmissionRequest request, RequestContext context, Consumer<AdmissionHandle> listener) {
          return ADMITTED;
        }
      };

  /** The state of a request that asked for admission. Used on the request's event loop. */
  interface AdmissionHandle {
    /** Whether the request still waits for admission. */
    boolean isWaiting();

    /** Why the request was rejected; null when it was not. */
    @Nullable Exception rejection();

    /** Whether capacity of a node is reserved for the request, until it is released. */
    boolean isReservedOn(String nodeId);

    /**
     * Lets a waiting request also use other nodes; it keeps its time of arrival. Has no effect if
     * it does not wait any more.
     *
     * @param nodeIdsByCall for each call, all nodes that it may go to
     */
    void widen(List<List<String>> nodeIdsByCall);

    /**
     * Leaves the queue; or, once the calls of an admitted request are sent, gives its reserved
     * capacity back. Does nothing the second time.
     */
    void release();
  }

  /** An admitted request that holds no capacity. */
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
        public boolean isReservedOn(String nodeId) {
          return false;
        }

        @Override
        public void widen(List<List<String>> nodeIdsByCall) {
          // does not wait
        }

        @Override
        public void release() {
          // holds no capacity
        }
      };

  /**
   * What a request needs.
   *
   * @param nodeIdsByCall for each call, the nodes that it may go to
   * @param work the most costly work that one of its calls causes on a node
   * @param maxConcurrentPerNode how many of its calls are in flight to one node at a time
   */
  record AdmissionRequest(
      List<List<String>> nodeIdsByCall, NodeCallType work, int maxConcurrentPerNode) {
    /** Creates the request of one that makes all of its calls at once. */
    public AdmissionRequest(List<List<String>> nodeIdsByCall, NodeCallType work) {
      this(nodeIdsByCall, work, Integer.MAX_VALUE);
    }
  }

  /**
   * Whether no request of this kind waits, and the node has capacity for it.
   *
   * @param calls how many calls the request makes to the node at a time
   */
  boolean canAdmitImmediately(NodeCallType work, String nodeId, int calls, RequestContext context);

  /** Whether the node has capacity for one more call of the request. */
  boolean hasCapacity(NodeCallType work, String nodeId, RequestContext context);

  /**
   * Asks for admission.
   *
   * @param context of the request; its event loop is the caller's
   * @param listener hears once, in a task of its own on the event loop, that a waiting request is
   *     admitted or rejected; never after the request left the queue
   */
  AdmissionHandle requestAdmission(
      AdmissionRequest request, RequestContext context, Consumer<AdmissionHandle> listener);
}
